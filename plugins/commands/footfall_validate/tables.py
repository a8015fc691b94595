"""The table of ``footfall validate laws``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from footfall.api.command import console
from footfall_validate.checks import CHECKS
from footfall_validate.laws.finding import Finding, Outcome

STYLES: dict[Outcome, str] = {
    "holds": "green",
    "FAILS": "bold red",
    "holds, not claimed": "cyan",
    "misses as declared": "yellow",
    "refused": "dim",
    "not available": "dim",
}
WIDTH = 170
"""Width of the output without a terminal, [columns]."""
NO_RESIDUAL = (
    "residual -: in continuous time forces act at every instant; no step has impulses to judge"
)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print one table per check, then the number of findings by outcome."""
    screen = console(WIDTH)
    for check in CHECKS:
        rows = [finding for finding in findings if finding.check == check.name]
        if rows:
            screen.print(_table(f"{check.name}: {check.title}", rows))
    if any(finding.residual is None and finding.measures for finding in findings):
        screen.print(NO_RESIDUAL, style="dim")
    counts = Counter(finding.outcome for finding in findings)
    screen.print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    for finding in findings:
        if finding.outcome == "FAILS":
            line = f"FAILS: {finding.check} of {finding.laws}: {described(finding)}"
            screen.print(line, style=STYLES["FAILS"], markup=False)


def _table(title: str, findings: Sequence[Finding]) -> Table:
    table = Table(box=None, title=title, title_justify="left", title_style="bold", padding=(0, 1))
    for name in ("law", "impact", "integrator", "outcome"):
        table.add_column(name, no_wrap=True)
    for name in ("measured", "expected", "error", "allowed", "residual [m/s]"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("worst of", overflow="fold")
    for finding in findings:
        figures = finding.worst.figures(4) if finding.worst else [""] * 4
        table.add_row(
            finding.laws.contact,
            finding.laws.impact,
            finding.laws.integrator,
            Text(finding.outcome, style=STYLES[finding.outcome]),
            *figures,
            finding.shown_residual,
            Text(described(finding)),
        )
    return table


def described(finding: Finding) -> str:
    """Return the worst measure, and why it is not claimed or did not finish, in one line."""
    what = finding.worst.title if finding.worst else ""
    return "; ".join(part for part in (what, finding.reason) if part)
