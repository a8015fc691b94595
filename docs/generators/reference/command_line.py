"""The page of the command line: what every command takes, from the commands themselves."""

import typer

from docs.generators.reference.docstring_markdown import inline
from footfall.cli.main import app


def command_line_page():
    """Return every command with its arguments and options."""
    found = commands(typer.main.get_command(app))
    return "\n".join(_command(words, command) for words, command in found)


def commands(group, before=()):
    """Yield the words of every command and the command; groups stand before their commands'."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name), command


def _command(words, command):
    context = command.make_context(words[-1], [], resilient_parsing=True)
    usage = " ".join(["footfall", *words, *command.collect_usage_pieces(context)])
    help_text = "\n\n".join(inline(" ".join(p.split())) for p in command.help.split("\n\n"))
    lines = [f"## footfall {' '.join(words)}\n", f"```text\n{usage}\n```\n", f"{help_text}\n"]
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [_row(*record) for record in records if record is not None]  # None: hidden
    if rows:
        lines += ["| | meaning |", "|---|---|", *rows, ""]
    lines += ["```sh", *examples(command), "```\n"]
    return "\n".join(lines)


def examples(command):
    """Return the example lines of a command's help."""
    return [line.strip() for line in (command.epilog or "").splitlines()[2:]]


def _row(given, meaning):
    """Return how an argument or option is given, and what it does, as a row of a table."""
    cells = (f"`{given}`", inline(" ".join(meaning.split())))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
