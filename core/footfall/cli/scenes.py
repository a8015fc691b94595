"""``footfall scenes``: the bundled scenes."""

from __future__ import annotations


def scenes() -> None:
    """List the scenes that come with Footfall; `footfall run NAME` runs one."""
    from footfall.scene.load import list_scenes

    listings = list_scenes()
    width = max((len(listing.name) for listing in listings), default=0)
    for listing in listings:
        print(f"{listing.name:<{width}}  {listing.description}".rstrip())
