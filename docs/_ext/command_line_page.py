"""The page of the command line: the commands' own help."""

import typer
from typer.testing import CliRunner

from footfall.cli.main import app


def command_line_page():
    """Return the help of every command."""
    runner, parts = CliRunner(), []
    for name in typer.main.get_command(app).commands:
        shown = runner.invoke(app, [name, "--help"], prog_name="footfall", color=False)
        if shown.exit_code != 0:
            raise RuntimeError(f"footfall {name} --help: {shown.output}")
        parts.append(f"## footfall {name}\n\n```text\n{shown.output.strip()}\n```\n\n")
    return "".join(parts)
