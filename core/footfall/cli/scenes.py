"""``footfall scenes``: the bundled scenes."""

from __future__ import annotations


def scenes() -> None:
    """List the scenes that come with Footfall; `footfall run NAME` runs one."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from footfall.scene.find import list_scenes

    table = Table(box=None, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for listing in list_scenes():
        table.add_row(Text(listing.name, style="cyan"), Text(listing.description))
    Console().print(table)
