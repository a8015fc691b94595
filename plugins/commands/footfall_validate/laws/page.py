"""The pages of a study: Markdown tables, with figures in a folder beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from footfall_validate.checks import CHECKS
from footfall_validate.circumstances import merged, table, write_page
from footfall_validate.exhibits.exhibit import Exhibit
from footfall_validate.exhibits.gallery import pictures
from footfall_validate.laws.check import Check
from footfall_validate.laws.cost import Cost
from footfall_validate.laws.figures import draw
from footfall_validate.laws.finding import Finding, Outcome
from footfall_validate.laws.overview import overview

CELLS: dict[Outcome, str] = {
    "holds": "✓",
    "FAILS": "**FAILS**",
    "holds, not claimed": "(✓)",
    "misses as declared": "✗",
    "refused": "refused",
    "not available": "not available",
}


def write_pages(
    folder: Path,
    findings: Sequence[Finding],
    costs: Sequence[Cost],
    exhibits: Sequence[Exhibit] = (),
) -> Path:
    """Write ``validation.md``; to a folder ``validation`` the details, by subject, and the figures.

    Returns:
        Path of ``validation.md``.
    """
    beside = folder / "validation"
    beside.mkdir(parents=True, exist_ok=True)
    drawn = draw(beside, findings)
    own = _own(findings)
    impacts = [check for check in CHECKS if check.about == "impact"]
    others = [check for check in CHECKS if check.about != "impact"]
    write_page(beside, "contact", checks=_checks(others, own), **_figures(others, drawn))
    write_page(
        beside,
        "impacts",
        checks=_checks(impacts, own),
        models=_models(impacts, findings),
        exhibits="\n\n".join(line for shown in exhibits for line in pictures(beside, shown)),
        **_figures(impacts, drawn),
    )
    return write_page(folder, "validation", laws=overview(own, costs), outcomes=_outcomes(own))


def _own(findings: Sequence[Finding]) -> list[Finding]:
    """Return each law's findings with the impact model that suits it, then every failure."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.check, finding.laws.contact), finding)
    failed = [finding for finding in findings if finding.outcome == "FAILS"]
    return [*first.values(), *(finding for finding in failed if finding not in first.values())]


def _outcomes(own: Sequence[Finding]) -> str:
    """Return a table of outcomes, checks by laws."""
    found = {(finding.check, finding.laws.contact): CELLS[finding.outcome] for finding in own}
    laws = list(dict.fromkeys(law for _, law in found))
    rows = [
        [check.title, *(found.get((check.name, law), "-") for law in laws)]
        for check in CHECKS
        if any((check.name, law) in found for law in laws)
    ]
    return table(["", *(f"`{law}`" for law in laws)], merged(rows))


def _checks(checks: Sequence[Check], own: Sequence[Finding]) -> str:
    """Return a table of checks: closed form, the law that meets it least, those that miss it."""
    rows = []
    for check in checks:
        measured = [f for f in own if f.check == check.name and not (f.refused or f.unavailable)]
        measured.sort(key=lambda finding: finding.worst.excess if finding.worst else 0.0)
        if measured:
            met = [_error(finding) for finding in measured if finding.is_met]
            missed = [_error(finding) for finding in measured if not finding.is_met]
            told = check.reference.split("\n\n")[0].removeprefix("Compare ").removeprefix("with ")
            told = told.replace("``", "`").replace("|", "\\|")
            title = f"{check.title} (`{check.name}`)"
            rows.append([title, told, "".join(met[-1:]), ", ".join(missed)])
    return table(["check", "comparison with", "least margin", "misses"], rows)


def _error(finding: Finding) -> str:
    """Return a law with its worst error and what is allowed."""
    worst = finding.worst
    told = "no answer"
    if worst and np.isfinite(worst.error):
        told = f"{worst.error:.2g}/{worst.tolerance:.2g}"
    return f"`{finding.laws.contact}` {told}"


def _models(checks: Sequence[Check], findings: Sequence[Finding]) -> str:
    """Return a table of how many checks hold, laws by impact models."""
    names = {check.name for check in checks}
    pairs: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.check in names and not (finding.refused or finding.unavailable):
            pairs.setdefault((finding.laws.contact, finding.laws.impact), []).append(finding)
    laws, models = (list(dict.fromkeys(pair[k] for pair in pairs)) for k in (0, 1))
    rows = [
        [f"`{law}`", *(_share(pairs.get((law, model), ())) for model in models)] for law in laws
    ]
    return table(["law", *(f"`{model}`" for model in models)], rows)


def _share(findings: Sequence[Finding]) -> str:
    met = sum(finding.is_met for finding in findings)
    failed = any(finding.outcome == "FAILS" for finding in findings)
    return f"{met}/{len(findings)}{' **FAILS**' if failed else ''}"


def _figures(checks: Sequence[Check], drawn: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return Markdown of the first figure, ``plot``, and of the others, ``curves``."""
    titles = {check.name: check.title for check in checks}
    found = [
        f"![{titles[check]}]({name}.svg)"
        for check, names in drawn.items()
        if check in titles
        for name in names
    ]
    return {"plot": "".join(found[:1]), "curves": "\n\n".join(found[1:])}
