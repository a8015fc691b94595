"""The page of a report card: one file that needs no network."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, simplefilter

from footfall import discover, load
from footfall.api.command import write_whole
from footfall.api.plugin import FootfallError, error_line
from footfall_validate.checks import CHECKS
from footfall_validate.combination import SIMULATOR, overrides_of
from footfall_validate.laws.check import Check
from footfall_validate.laws.cost import Cost
from footfall_validate.laws.finding import Finding, Outcome
from footfall_validate.report.card import Card

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 66rem; padding: 0 1rem;
  color: #1c1e21; background: #fff; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem .8rem .25rem 0;
  border-bottom: 1px solid #d8dadf; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.holds { color: #1a6b35; } .FAILS { color: #a3230f; font-weight: 700; }
.misses { color: #8a5a00; } .refused { color: #5c616b; }
.lead { font-size: 1.1rem; } .small { color: #5c616b; font-size: .85rem; }
tr.class th { padding-top: 1rem; border-bottom: 2px solid #9aa0a8; }
svg { max-width: 100%; height: auto; }
.curves { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1.5rem; }
iframe { width: 100%; height: 30rem; border: 1px solid #d8dadf; }
figure { margin: 0; } figcaption { font-size: .9rem; }
"""
PLAYED = "cube/sliding"
"""Scene that the page plays."""
SUBJECTS = {
    "motion": "Motion, energy and symmetry",
    "friction": "Friction",
    "rest": "Rest",
    "impacts": "Impacts",
    "rolling": "Rolling and rocking",
}
"""Classes of closed forms by the folder of their checks."""
WORDS: dict[Outcome, tuple[str, str, str]] = {
    "holds": ("holds", "holds", "hold"),
    "FAILS": ("FAILS", "FAILS", "FAIL"),
    "holds, not claimed": ("holds", "(holds)", "hold without a claim"),
    "misses as declared": ("misses", "misses", "missed as declared"),
    "refused": ("refused", "refused", "refused"),
    "not available": ("refused", "not available", "not available"),
}
"""Class and text of a cell, and text of the summary, by outcome."""


def summary(card: Card) -> str:
    """Return the verdict in one line."""
    mine = _of(card, card.law)
    counts = Counter(finding.outcome for finding in mine)
    told = ", ".join(
        f"{counts[outcome]} {WORDS[outcome][2]}" for outcome in WORDS if counts[outcome]
    )
    failed = [f.check for f in mine if f.outcome == "FAILS"]
    line = f"{_title(card.law)}: of {len(mine)} closed forms {told}"
    return line + (f" ({', '.join(failed)})" if failed else "")


def write_page(card: Card, path: Path) -> None:
    """Write the page; an existing file is replaced.

    Raises:
        OSError: if it cannot be written.
    """
    title = f"Report card of {_title(card.law)}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(summary(card))}</p>',
        _said(card),
        _closed_forms(card),
        _pictures(card),
        _player(card.law),
        _costs(card),
        _data(card),
        _declared(card),
        f'<p class="small"><code>{escape(card.command)}</code> makes this page again; '
        f"{escape(card.circumstances)}</p>",
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(title)}</title><style>{STYLE}</style>"
    text = "\n".join(filter(None, parts))
    write_whole(
        path, f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{text}</body></html>'
    )


def _title(name: str) -> str:
    return name.removeprefix(SIMULATOR)


def _of(card: Card, name: str) -> list[Finding]:
    return [finding for finding in card.findings if finding.laws.contact == name]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of HTML cells; those after the first are numbers where they look so."""
    top = "".join(f"<th>{cell}</th>" for cell in header)
    lines = []
    for row in rows:
        cells = [
            f'<td class="number">{c}</td>' if c[:1].isdigit() else f"<td>{c}</td>" for c in row
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><tr>{top}</tr>{''.join(lines)}</table>"


def _said(card: Card) -> str:
    """Return what the law says of itself."""
    role = "simulator" if card.law.startswith(SIMULATOR) else "contact"
    cls = discover().find(role, _title(card.law)).load()
    first = (inspect.getdoc(cls) or "").split("\n\n")[0]
    return f"<p>{escape(first).replace('``', '')}</p>"


def _closed_forms(card: Card) -> str:
    names = [card.law, *card.others]
    by = {(finding.check, finding.laws.contact): finding for finding in card.findings}
    rows = []
    for subject, title in SUBJECTS.items():
        some = [check for check in CHECKS if _subject(check) == subject]
        rows.append(f'<tr class="class"><th colspan="{len(names) + 2}">{title}</th></tr>')
        for check in some:
            cells = "".join(_cell(by.get((check.name, name))) for name in names)
            worst = by[check.name, card.law].worst if (check.name, card.law) in by else None
            told = worst.title if worst else ""
            rows.append(
                f'<tr><td title="{escape(check.reference)}">{escape(check.title)}</td>{cells}'
                f'<td class="small">{escape(told)}</td></tr>'
            )
    head = "".join(f"<th>{escape(_title(name))}</th>" for name in names)
    return (
        "<h2>Closed forms</h2><p>The number is the largest error in units of what the scheme and "
        "the law's own declarations allow: up to 1 it holds. A miss that the law declares is no "
        "failure.</p>"
        f'<table><tr><th></th>{head}<th class="small">worst figure</th></tr>{"".join(rows)}</table>'
    )


def _subject(check: Check) -> str:
    return check.run.__module__.split(".")[-2]


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return "<td></td>"
    look, text, _ = WORDS[finding.outcome]
    worst = finding.worst
    factor = f" {worst.excess:.2g}" if worst and not finding.refused else ""
    return f'<td class="{look}" title="{escape(finding.reason)}">{text}{factor}</td>'


def _costs(card: Card) -> str:
    by: dict[tuple[str, str], Cost] = {(cost.law, cost.scene): cost for cost in card.costs}
    scenes = list(dict.fromkeys(cost.scene for cost in card.costs))
    rows = []
    for name in (card.law, *card.others):
        cells = [escape(_title(name))]
        for scene in scenes:
            cost = by[name, scene]
            told = "; alarms: " + ", ".join(cost.alarms) if cost.alarms else ""
            figures = f"{cost.microseconds:.0f} us ({cost.relative:.1f})"
            cells.append(escape((cost.error or figures) + told))
        rows.append(cells)
    return (
        "<h2>Cost of a step</h2><p>Processor time, and relative to the default law in the same "
        "run; the fastest of 8 stretches of 100 steps. Simulators step as guests, with the host's "
        f"part of a step.</p>{_table(['', *scenes], rows)}"
    )


def _data(card: Card) -> str:
    parts = []
    for each in card.tables:
        rows = [[escape(cell) for cell in row] for row in each.rows]
        shown = _table([escape(cell) for cell in each.header], rows)
        notes = "".join(f'<p class="small">{escape(note)}</p>' for note in each.notes)
        parts.append(f"<h2>{escape(each.title)}</h2><p>{escape(each.told)}</p>{shown}{notes}")
    return "".join(parts)


def _declared(card: Card) -> str:
    """Return what the law declares, and what was seen of it."""
    if card.law.startswith(SIMULATOR):
        return ""
    cls = discover().find("contact", card.law).load()
    claims, mine = cls.claims, _of(card, card.law)
    seen = max((f.residual or 0.0 for f in mine if not f.error), default=0.0)
    bound = "none" if claims.residual is None else f"{claims.residual:.0e} m/s"
    rows = [
        ["natural map (0: exact friction and contact)", bound, f"{seen:.1e} m/s"],
        ["capabilities", ", ".join(sorted(c.value for c in cls.capabilities)), ""],
    ]
    outcomes = {finding.check: finding for finding in mine}
    for name, why in claims.misses.items():
        finding = outcomes.get(name)
        rows.append(
            [f"misses {name}: {why}", "yes", finding.outcome if finding else "not measured"]
        )
    shown = [[escape(cell) for cell in row] for row in rows]
    return f"<h2>Declared and seen</h2>{_table(['', 'declared', 'seen'], shown)}"


def _player(name: str) -> str:
    """Return a page within the page that plays a scene, or why there is none."""
    sentence = f"A cube pushed off at 6 m/s under {_title(name)}; it should neither turn nor hop."
    try:
        with TemporaryDirectory() as folder, catch_warnings():
            simplefilter("ignore")
            recording, player = Path(folder) / "run.zarr", Path(folder) / "player.html"
            load(PLAYED, overrides_of(name)).record(output=recording)
            discover().exporter["html"].load()(recording, player, overwrite=False)
            text = escape(player.read_text("utf-8"))
    except Exception as error:  # of a third party's law as well
        return f'<p class="small">No player of {PLAYED}: {escape(error_line(error))}</p>'
    told = f"<h2>Played</h2><p>{escape(sentence)}</p>"
    return f'{told}<iframe title="{PLAYED}" loading="lazy" srcdoc="{text}"></iframe>'


def _pictures(card: Card) -> str:
    """Return the curves of all, if Matplotlib is there."""
    titles, parts = {check.name: check.title for check in CHECKS}, []
    try:
        from footfall_validate.laws.figures import draw

        with TemporaryDirectory() as folder:
            for check, names in draw(Path(folder), card.findings).items():
                for name in names:
                    svg = (Path(folder) / f"{name}.svg").read_text("utf-8")
                    told = f"<figcaption>{escape(titles[check])}</figcaption>"
                    parts.append(f"<figure>{told}{svg[svg.index('<svg') :]}</figure>")
    except ImportError:
        return f'<p class="small">Curves need Matplotlib: {FootfallError.pip("plots")}</p>'
    return f'<h2>Curves</h2><div class="curves">{"".join(parts)}</div>'
