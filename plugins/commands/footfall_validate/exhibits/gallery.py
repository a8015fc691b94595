"""All exhibits, and the page that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.api.plugin import Registry
from footfall_validate.circumstances import merged, table, write_page
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


def write_gallery(folder: Path, exhibits: Sequence[Exhibit]) -> Path:
    """Write ``exhibits.md``, with figures in a folder ``exhibits`` beside it; return the path."""
    shown = "\n".join(
        f"## {exhibit.title}\n\n{exhibit.text}\n\n"
        + "".join(f"{line}\n\n" for line in pictures(folder / "exhibits", exhibit, "exhibits/"))
        + table(exhibit.header, merged(exhibit.rows))
        for exhibit in exhibits
    )
    return write_page(folder, "exhibits", exhibits=shown)


def pictures(beside: Path, exhibit: Exhibit, where: str = "") -> list[str]:
    """Draw an exhibit's figures into a folder and return them in Markdown.

    Args:
        beside: the folder, which is made if it is missing.
        exhibit: the exhibit.
        where: path from the page to this folder, with a slash at its end.
    """
    beside.mkdir(parents=True, exist_ok=True)
    found = []
    for name, figure in exhibit.figures.items():
        labelled = [(label, trace) for label, trace in exhibit.curves if trace.figure == name]
        if labelled:
            save(beside, name, figure, merge(labelled, figure))
            found.append(f"![{exhibit.title}]({where}{name}.svg)")
    return found
