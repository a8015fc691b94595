"""Tables on the screen with the results of an import."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from footfall.api.command import console
from footfall_import.checks import LEVELS, Finding, Level
from footfall_import.proposal import Proposal

WIDTH = 170
"""Width of tables without a terminal, [columns]."""
STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "note": "dim"}


def print_proposal(proposal: Proposal) -> None:
    """Print the robot's facts, its contact features and each finding."""
    screen = console(WIDTH)
    screen.print(_facts(proposal))
    if proposal.soles:
        screen.print(_soles(proposal))
    print_findings(proposal.findings)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print findings, one line each, and their number by level."""
    screen = console(WIDTH)
    table = _table("findings")
    table.add_column("level", no_wrap=True)
    table.add_column("of", overflow="fold")
    table.add_column("what", overflow="fold")
    for level, text, subjects in _grouped(findings):
        table.add_row(Text(level, style=STYLES[level]), Text(subjects), Text(text))
    if findings:
        screen.print(table)
    counts = Counter(finding.level for finding in findings)
    said = [f"{counts[level]} {level}{'s' * (counts[level] != 1)}" for level in LEVELS]
    screen.print(", ".join(said))


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[Level, str, str]]:
    """Yield level, text and subjects; equal notes of three or more subjects are merged."""
    of = defaultdict(list)
    for finding in findings:
        of[finding.level, finding.text].append(finding.subject)
    for (level, text), subjects in of.items():
        if level == "note" and len(subjects) > 2:
            yield level, text, f"{subjects[0]}, ... {subjects[-1]} ({len(subjects)})"
            continue
        for subject in subjects:
            yield level, text, subject


def _facts(proposal: Proposal) -> Table:
    facts, located = proposal.facts, proposal.located
    table = _table(proposal.name)
    table.show_header = False
    where = f"{located.place} ({located.package})" if located.package else str(located.path)
    table.add_row("model", Text(where))
    table.add_row("size", f"{facts.links} links, {facts.joints} joints, {facts.mass:.4g} kg")
    table.add_row("base", Text(f"{proposal.base}: {proposal.base_origin}"))
    table.add_row("posture", Text(proposal.posture_origin))
    if proposal.soles:
        points = sum(len(sole.points) for sole in proposal.soles)
        table.add_row(
            "stands",
            f"{points} contact points, base {facts.height:.4g} m above them, centre of mass "
            f"{facts.margin:.3g} m inside their polygon",
        )
    if proposal.drives:
        n = sum(len(group.joints) for group in proposal.drives)
        groups = f"{len(proposal.drives)} group{'s' * (len(proposal.drives) > 1)}"
        most = f"{facts.busiest} needs most, {facts.load:.0%} of its torque limit"
        table.add_row("drives", f"{n} joints in {groups}{f'; {most}' if facts.busiest else ''}")
    return table


def _soles(proposal: Proposal) -> Table:
    table = _table("contact features")
    for name in ("frame", "kind", "points", "from"):
        table.add_column(name, overflow="fold")
    for sole in proposal.soles:
        kind = sole.kind if sole.kind == "point" else f"{sole.kind} of {sole.radius:.4g} m"
        table.add_row(Text(sole.link), kind, str(len(sole.points)), Text(sole.origin))
    return table


def _table(title: str) -> Table:
    return Table(box=None, title=title, title_justify="left", title_style="bold", padding=(0, 1))
