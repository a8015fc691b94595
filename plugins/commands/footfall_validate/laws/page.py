"""The page of a study: Markdown tables, with figures in a folder beside it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path

from footfall.api.command import write_whole
from footfall_validate.checks import CHECKS
from footfall_validate.circumstances import prose, table
from footfall_validate.circumstances import write_page as write_prose
from footfall_validate.exhibits.exhibit import Exhibit
from footfall_validate.exhibits.gallery import sections
from footfall_validate.laws.check import Check
from footfall_validate.laws.cost import Cost
from footfall_validate.laws.figures import draw
from footfall_validate.laws.finding import Finding, Outcome
from footfall_validate.laws.overview import overview

CELLS: dict[Outcome, str] = {
    "holds": "holds",
    "FAILS": "**FAILS**",
    "holds, not claimed": "(holds)",
    "misses as declared": "misses",
    "refused": "refused",
    "not available": "not available",
}


def write_page(
    folder: Path,
    findings: Sequence[Finding],
    costs: Sequence[Cost],
    exhibits: Sequence[Exhibit] = (),
) -> Path:
    """Write ``validation.md``, and its figures and overview to a folder ``validation`` beside it.

    Returns:
        Path of the page.
    """
    beside = folder / "validation"
    beside.mkdir(parents=True, exist_ok=True)
    drawn = draw(beside, findings)
    write_whole(beside / "overview.md", overview(findings, costs))
    parts = [
        "## Overview\n\n" + _matrix(findings),
        "## Impact models\n\n" + _impact_matrix(findings),
        "## Residuals and cost\n\n" + _costs(findings, costs),
    ]
    for check in CHECKS:
        rows = [finding for finding in findings if finding.check == check.name]
        if rows:
            parts.append(_section(check, rows, drawn.get(check.name, ())))
    if exhibits:
        parts += ["## Exhibits\n\n" + prose("impacts") + "\n", *sections(beside, exhibits)]
    return write_prose(folder, "validation", parts="\n".join(parts))


def _matrix(findings: Sequence[Finding]) -> str:
    """Return a table of outcomes, checks by laws, each law with its own impact model."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.check, finding.laws.contact), finding)
    laws = list(dict.fromkeys(finding.laws.contact for finding in findings))
    rows = []
    for check in CHECKS:
        cells = [first.get((check.name, law)) for law in laws]
        if any(cells):
            title = f"[{check.title}](#{_anchor(check)})"
            rows.append([title, *(CELLS[cell.outcome] if cell else "" for cell in cells)])
    return table(["", *(f"`{law}`" for law in laws)], rows)


def _impact_matrix(findings: Sequence[Finding]) -> str:
    """Return a table of outcomes, pairs of law and impact model by checks about impacts."""
    checks = [check for check in CHECKS if check.about == "impact"]
    names = {check.name for check in checks}
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for finding in findings:
        if finding.check in names:
            pair = pairs.setdefault((finding.laws.contact, finding.laws.impact), {})
            pair[finding.check] = CELLS[finding.outcome]
    rows = [
        [f"`{law}`", f"`{impact}`", *(cells.get(check.name, "") for check in checks)]
        for (law, impact), cells in pairs.items()
    ]
    return table(["law", "impact model", *(check.title for check in checks)], rows)


def _costs(findings: Sequence[Finding], costs: Sequence[Cost]) -> str:
    rows = []
    for cost in costs:
        mine = [f for f in findings if f.laws.contact == cost.law and not f.error]
        mine = [f for f in mine if f.laws.impact == mine[0].laws.impact]
        worst = max((finding.residual or 0.0 for finding in mine), default=0.0)
        figures = [f"{worst:.1e}", *([cost.error, ""] if cost.error else cost.figures)]
        rows.append([f"`{cost.law}`", *figures])
    header = ["law", "largest natural map [m/s]", "step of the humanoid [us]"]
    told = (inspect.getdoc(Cost) or "").split("\n\n")[1]
    return f"{told}\n\n{table([*header, 'relative'], rows)}"


def _section(check: Check, findings: Sequence[Finding], figures: Sequence[str]) -> str:
    reference = check.reference.replace("``", "`")
    pictures = "".join(f"![{check.title}](validation/{name}.svg)\n\n" for name in figures)
    header = ["law", "impact", "integrator", "", "worst of", "measured", "expected", "error"]
    rows = [_row(finding) for finding in findings]
    shown = table([*header, "allowed", "residual [m/s]"], rows)
    return f"## {check.title}\n\n`{check.name}`: {reference}\n\n{pictures}{shown}"


def _row(finding: Finding) -> list[str]:
    worst = finding.worst
    figures = worst.figures(5) if worst else [""] * 4
    parts = (worst.title if worst else "", finding.reason)
    what = ". ".join(part for part in parts if part).replace("|", "\\|")
    names = (finding.laws.contact, finding.laws.impact, finding.laws.integrator)
    codes = [f"`{name}`" for name in names]
    return [*codes, CELLS[finding.outcome], what, *figures, finding.shown_residual]


def _anchor(check: Check) -> str:
    kept = "".join(c for c in check.title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")
