"""``footfall schema``: the JSON Schema of scene files."""

from __future__ import annotations


def schema() -> None:
    """Print the JSON Schema of scene files with all installed plugins, for editors."""
    from json import dumps

    from footfall.registry.discover import discover
    from footfall.scene.json_schema import json_schema

    print(dumps(json_schema(discover()), indent=2))
