"""The page of the command line: the commands' own help."""

import typer
from typer.testing import CliRunner

from footfall.cli.main import app


def command_line_page():
    """Return the help of every command."""
    parts = []
    for words in _commands(typer.main.get_command(app)):
        name = " ".join(words)
        shown = CliRunner().invoke(app, [*words, "--help"], prog_name="footfall", color=False)
        if shown.exit_code != 0:
            raise RuntimeError(f"footfall {name} --help: {shown.output}")
        parts.append(f"## footfall {name}\n\n```text\n{shown.output.strip()}\n```\n\n")
    return "".join(parts)


def _commands(group, before=()):
    """Yield the words of every command; those of groups stand before their commands'."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*before, name))
        else:
            yield (*before, name)
