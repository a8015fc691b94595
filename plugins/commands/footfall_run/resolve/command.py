"""``footfall resolve``: print a scene with all its defaults."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import Changes, SceneName


def resolve(
    scene: SceneName,
    set_: Changes = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    against: Annotated[
        Path | None,
        typer.Option(metavar="RECORDING", help="Print only defaults that changed since RECORDING."),
    ] = None,
) -> None:
    """Print every key of a scene, its value and its source.

    The source is a line of the scene file, an override, the robot's file, or a default of Footfall
    or of a plugin. The output is itself a valid scene file.

    Examples:
        footfall resolve cube/sliding
        footfall resolve cube/sliding --set contact.plugin=gauss --json
    """
    import footfall
    from footfall.api.command import parse_assignments
    from footfall_run.resolve.sources import rows, toml

    loaded = footfall.load_scene(scene, parse_assignments(set_ or []))
    for note in loaded.notes:
        print(f"note: {note}", file=sys.stderr)
    if against is not None:
        there = footfall.open_run(against).attrs["resolved_scene"]
        changed = footfall.changed_defaults(there, footfall.resolved(loaded))
        for key, old, new in changed:
            print(f"{key}: {old} in {against}, {new} now")
        if "given" not in there:
            print(f"{against} does not record which of its settings are defaults")
        elif not changed:
            print(f"no default has changed since {against}")
        return
    table = list(rows(loaded))
    if json:
        from json import dumps

        print(dumps([asdict(row) for row in table], indent=2))
        return
    lines = [f"{row.key} = {toml(row.value)}" for row in table]
    width = min(max(map(len, lines)), 60)
    for line, row in zip(lines, table, strict=True):
        print(f"{line:<{width}}  # {row.source}")
