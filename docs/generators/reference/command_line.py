"""The pages of the command line: what every command takes, from the commands themselves."""

import re
from collections import Counter

import typer

from docs.generators.reference.docstring_markdown import inline
from footfall.cli.main import app

SHARED = 2
"""Number of commands from which an option that means the same in all is described once."""
JUDGE = "judge"
FAMILIES = {
    "simulate": "demo run compare sweep fit resolve scenes",
    "look": "view playground render export",
    "robots": "import pose policy",
    JUDGE: "report validate check twin bench",
    "installation": "plugins schema new doctor warm",
}
"""Commands by what they are for; groups by their name."""
OTHERS = "others"


def command_line_page(judging=False):
    """Return commands with their arguments and options, by family.

    Args:
        judging: whether the page is that of the commands that judge laws and simulators.
    """
    found = {words: _described(words, c) for words, c in commands(_main())}
    everywhere = set.intersection(*(set(records) for _, records, _ in found.values()))
    families = {word: family for family, words in FAMILIES.items() for word in words.split()}
    by_family = {family: [] for family in [*FAMILIES, OTHERS]}
    for words in found:
        by_family[families.get(words[0], OTHERS)].append(words)
    shown = {f: those for f, those in by_family.items() if (f == JUDGE) == judging and those}
    records = [r for those in shown.values() for words in those for r in found[words][1]]
    shared = [r for r, n in Counter(records).items() if n >= SHARED and r not in everywhere]
    parts = [] if judging else ["| | commands |\n|---|---|\n"]
    for family, those in () if judging else shown.items():
        links = ", ".join(f"[`{' '.join(w)}`](#footfall-{'-'.join(w)})" for w in those)
        parts.append(f"| {family} | {links} |\n")
    rows = "".join(_row(*record) for record in shared)
    parts.append(f"\n## Options of several commands\n\n{rows}")
    left_out = (shared, everywhere)
    found |= {w: (*found[w][:2], found[w][2][:1]) for w in found}
    described = [_command(w, *found[w], *left_out) for those in shown.values() for w in those]
    return "".join(parts) + "\n" + "\n".join(described)


def _main():
    return typer.main.get_command(app)


def commands(group, before=()):
    """Yield the words of every command and the command; groups stand before their commands'."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name), command


METAVARS = {
    "<int range>": "N",
    "<float range>": "NUMBER",
    "<float>": "NUMBER",
    "<int>": "N",
    "<str>": "TEXT",
    "<path>": "PATH",
    "<list[Path]>": "PATHS",
    "<list[str]>": "NAMES",
}
RANGE = re.compile(r"(?P<sign>; | ?\[)(?:[\d.e+-]+<=?x|x[<>])[^\]]*\]")
"""Bounds of a number, as Typer appends them; a wrong number is told when it is given."""


def _described(words, command):
    """Return a command's help in paragraphs, its arguments and options, and examples."""
    context = command.make_context(words[-1], [], resilient_parsing=True)
    paragraphs = [inline(" ".join(p.split())) for p in command.help.split("\n\n")]
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [_plain(*record) for record in records if record]  # None: hidden
    return paragraphs, rows, examples(command)


def _plain(given, meaning):
    """Return how an option is given, with a word for its type, and its meaning without bounds."""
    for typed, word in METAVARS.items():
        given = given.replace(typed, word)
    meaning = RANGE.sub(lambda found: "]" if found["sign"] == "; " else "", meaning)
    meaning = meaning if given.startswith("-") else meaning.replace(" [required]", "")
    return given, meaning.replace("[default: ", "[").replace("[(", "[").replace(")]", "]")


def _command(words, paragraphs, records, shown, shared, everywhere):
    lines = [f"## footfall {' '.join(words)}\n"]
    lines += [f"{paragraph}\n" for paragraph in paragraphs]
    rows = [_row(*r) for r in records if r not in shared and r not in everywhere]
    also = [f"`{given.split()[0]}`" for given, _ in records if (given, _) in shared]
    if also:
        lines.append(f"[Common](#options-of-several-commands): {', '.join(also)}.\n")
    if rows:
        lines.append("".join(rows))
    if shown != [f"footfall {' '.join(words)}"]:  # an example that the title does not show
        lines += ["```sh", *shown, "```\n"]
    return "\n".join(lines)


def examples(command):
    """Return the example lines of a command's help."""
    return [line.strip() for line in (command.epilog or "").splitlines()[2:]]


def _row(given, meaning):
    """Return how an argument or option is given, and what it does, as an item of a list."""
    return f"- `{given}`: {inline(' '.join(meaning.split()))}\n"
