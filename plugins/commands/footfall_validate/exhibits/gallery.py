"""All exhibits, and the sections of a page that show them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.api.plugin import Registry
from footfall_validate.circumstances import prose, table, write_page
from footfall_validate.exhibits.cradle import cradle
from footfall_validate.exhibits.exhibit import Exhibit, answerers
from footfall_validate.exhibits.rocking import rocking
from footfall_validate.exhibits.spinning import spinning
from footfall_validate.laws.figures import merge, save


def gallery(
    registry: Registry,
    laws: Sequence[str] = (),
    impacts: Sequence[str] = (),
    solver: str | None = None,
) -> list[Exhibit]:
    """Return Newton's cradle, the rocking block and the spinning ball; see ``answerers``."""
    asked = answerers(registry, laws, impacts, solver)
    return [cradle(asked), rocking(asked), spinning(asked)]


def sections(beside: Path, exhibits: Sequence[Exhibit]) -> list[str]:
    """Return a Markdown section for each exhibit, and draw its figures into a folder."""
    beside.mkdir(parents=True, exist_ok=True)
    return [_section(beside, exhibit) for exhibit in exhibits]


def write_gallery(folder: Path, exhibits: Sequence[Exhibit]) -> Path:
    """Write ``exhibits.md``, with figures in a folder ``exhibits`` beside it; return the path."""
    beside = folder / "exhibits"
    parts = sections(beside, exhibits)
    return write_page(folder, "exhibits", introduction=prose("impacts"), parts="\n".join(parts))


def _section(beside: Path, exhibit: Exhibit) -> str:
    pictures = ""
    for name, figure in exhibit.figures.items():
        labelled = [(label, trace) for label, trace in exhibit.curves if trace.figure == name]
        if labelled:
            save(beside, name, figure, merge(labelled, figure))
            pictures += f"![{exhibit.title}]({beside.name}/{name}.svg)\n\n"
    rows = table(exhibit.header, exhibit.rows)
    return f"### {exhibit.title}\n\n{exhibit.text}\n\n{pictures}{rows}"
