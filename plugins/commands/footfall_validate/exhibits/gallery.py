"""All exhibits, and the sections of a page that show them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.api.plugin import Registry
from footfall_validate.circumstances import table, write_page
from footfall_validate.exhibits.cradle import cradle
from footfall_validate.exhibits.exhibit import Exhibit, answerers
from footfall_validate.exhibits.rocking import rocking
from footfall_validate.exhibits.spinning import spinning
from footfall_validate.laws.figures import merge, save

INTRODUCTION = """\
Mechanics alone gives no single answer to these impacts, or laws differ most in them. So nobody is
judged: each impact model and each contact law answers by itself, from arrays.
"""


def gallery(
    registry: Registry,
    laws: Sequence[str] = (),
    impacts: Sequence[str] = (),
    solver: str | None = None,
) -> list[Exhibit]:
    """Return Newton's cradle, the rocking block and the spinning ball; see ``answerers``."""
    asked = answerers(registry, laws, impacts, solver)
    return [cradle(asked), rocking(asked), spinning(asked)]


def sections(beside: Path, exhibits: Sequence[Exhibit], where: str = "") -> list[str]:
    """Return a Markdown section for each exhibit, and draw its figures into a folder.

    Args:
        beside: the folder, which is made if it is missing.
        exhibits: all exhibits.
        where: path from the page to this folder, with a slash at its end.
    """
    beside.mkdir(parents=True, exist_ok=True)
    return [_section(beside, exhibit, where) for exhibit in exhibits]


def write_gallery(folder: Path, exhibits: Sequence[Exhibit]) -> Path:
    """Write ``exhibits.md``, with figures in a folder ``exhibits`` beside it; return the path."""
    shown = "\n".join([INTRODUCTION, *sections(folder / "exhibits", exhibits, "exhibits/")])
    return write_page(folder, "exhibits", exhibits=shown)


def _section(beside: Path, exhibit: Exhibit, where: str) -> str:
    pictures = ""
    for name, figure in exhibit.figures.items():
        labelled = [(label, trace) for label, trace in exhibit.curves if trace.figure == name]
        if labelled:
            save(beside, name, figure, merge(labelled, figure))
            pictures += f"![{exhibit.title}]({where}{name}.svg)\n\n"
    alike: dict[tuple[str, ...], list[str]] = {}
    for who, *answer in exhibit.rows:
        alike.setdefault(tuple(answer), []).append(who)
    rows = table(exhibit.header, [["; ".join(who), *answer] for answer, who in alike.items()])
    return f"### {exhibit.title}\n\n{exhibit.text}\n\n{pictures}{rows}"
