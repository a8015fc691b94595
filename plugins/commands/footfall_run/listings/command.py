"""``footfall plugins``, ``scenes``, ``schema``: lists of plugins, scenes and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.api.command import console

if TYPE_CHECKING:
    from rich.table import Table

    from footfall.api.plugin import Registry

WIDTH = 160
"""Number of columns of the listing without a terminal."""


def plugins(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the installed plugins by role, with capabilities and missing requirements.

    Examples:
        footfall plugins
        footfall plugins --json
    """
    from footfall import discover

    listing = plugin_listing(discover())
    if json:
        from json import dumps

        print(dumps(listing, indent=2))
        return
    _print(listing)


def scenes() -> None:
    """List the scenes that come with Footfall; `footfall run NAME` runs one.

    Examples:
        footfall scenes
        footfall scenes | grep humanoid
    """
    from footfall import list_scenes

    listings = list_scenes()
    width = max((len(listing.name) for listing in listings), default=0)
    for listing in listings:
        print(f"{listing.name:<{width}}  {listing.description}".rstrip())


def schema() -> None:
    """Print the JSON Schema of scene files, for editors. It covers all installed plugins.

    Examples:
        footfall schema > scene.schema.json
        footfall schema | python -m json.tool
    """
    from json import dumps

    from footfall import discover
    from footfall_run.listings.json_schema import json_schema

    print(dumps(json_schema(discover()), indent=2))


def plugin_listing(registry: Registry) -> dict[str, list[dict[str, Any]]]:
    """Return every plugin with its origin, capabilities and problem, and broken packages.

    Plugins are loaded to read their capabilities; one that cannot be loaded has a problem instead.
    """
    return {
        "plugins": [_describe(entry, registry) for c in registry.catalogs for entry in c],
        "broken": [
            {
                "distribution": broken.origin.distribution,
                "version": broken.origin.version,
                "entry_point": broken.origin.entry_point,
                "module": broken.origin.module,
                "reason": broken.reason,
            }
            for broken in registry.broken
        ],
    }


def _describe(entry: Any, registry: Registry) -> dict[str, Any]:
    from footfall import PluginError

    capabilities: list[str] = []
    problem = None
    try:
        capabilities = registry.catalog(entry.role).abilities(entry.name)
    except PluginError as error:
        problem = str(error)
    return {
        "role": entry.role,
        "name": entry.name,
        "summary": entry.summary,
        "distribution": entry.origin.distribution if entry.origin else None,
        "version": entry.origin.version if entry.origin else None,
        "capabilities": capabilities,
        "requires": list(entry.requires),
        "missing": list(entry.missing),
        "install": entry.install_hint if entry.missing else None,
        "problem": problem,
    }


def _print(listing: dict[str, list[dict[str, Any]]]) -> None:
    """Print one table per role, then the broken packages."""
    screen = console(WIDTH)
    names = max((len(plugin["name"]) for plugin in listing["plugins"]), default=0)
    for role in dict.fromkeys(plugin["role"] for plugin in listing["plugins"]):
        plugins = [plugin for plugin in listing["plugins"] if plugin["role"] == role]
        screen.print(_table(role, plugins, names))
    for broken in listing["broken"]:
        where = f"{broken['distribution']} {broken['version']}, {broken['module']}"
        screen.print(f"broken: {where}: {broken['reason']}", style="red", markup=False)


def _table(role: str, plugins: list[dict[str, Any]], names: int) -> Table:
    """Build the table of one role: name, description and capabilities, origin."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, title=role, title_justify="left", title_style="bold", show_header=False)
    table.add_column(width=names + 2, no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(no_wrap=True)
    for plugin in plugins:
        told = Text(plugin["summary"])
        if plugin["capabilities"]:
            told.append("\ncan: " + ", ".join(plugin["capabilities"]), style="dim")
        if plugin["requires"] and not plugin["missing"]:
            told.append("\nrequires (installed): " + ", ".join(plugin["requires"]), style="dim")
        if plugin["problem"]:
            told.append("\n" + plugin["problem"], style="yellow")
        origin = f"{plugin['distribution']} {plugin['version']}" if plugin["distribution"] else ""
        table.add_row(Text("  " + plugin["name"], style="cyan"), told, Text(origin, style="dim"))
    return table
