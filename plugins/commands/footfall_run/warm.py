"""Short runs of all kinds that compile their kernels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic
from typing import Annotated, Any

import typer

FOLDER = "FOOTFALL_CACHE_DIR"
SHORT = 50
"""Steps of each run."""
OBJECTS = ("cube/drop", "cube/sliding")
"""Scenes of free objects, with and without impacts."""
SOFT = {"contact.plugin": "compliant"}
"""Settings for integrators: the law that all of them take."""
ROLES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "contact": ({}, (*OBJECTS, "humanoid/standing")),
    "impact": ({}, (*OBJECTS, "humanoid/standing")),
    "integrator": (SOFT, (*OBJECTS, "quadruped/standing", "pendulum/swing")),
}
"""Roles whose plugins run one after another: their other settings, and their scenes."""


def cases(chosen: list[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield scenes with overrides: the chosen ones, or all of Footfall and its plugins."""
    import footfall

    names = chosen or [listing.name for listing in footfall.list_scenes()]
    yield from ((name, {}) for name in names)
    registry = footfall.discover()
    for role, (beside, scenes) in ({} if chosen else ROLES).items():
        for plugin in getattr(registry, role):
            for scene in scenes:
                yield scene, {f"{role}.plugin": plugin.name, **beside}


def warm(
    scene: Annotated[
        list[str] | None,
        typer.Argument(help="Scenes to compile for; default: all scenes and plugins."),
    ] = None,
) -> None:
    """Compile kernels (inner loops) in advance, so that runs start without waiting.

    Examples:
        footfall warm
        footfall warm humanoid/standing cube/stack
    """
    import footfall
    from footfall.api.plugin import FootfallError

    made, asked = footfall.compilations, os.environ.get(FOLDER)
    folder, made.ahead = made.folder, True
    if os.environ.get(FOLDER) != asked:  # a folder that ends with this process
        raise FootfallError("kernels cannot be compiled in advance: they would not be kept")
    began, compiled, kept, left_out = monotonic(), made.kernels, made.kept, 0
    for name, changes in cases(scene):
        before, ready, then = made.kernels, made.loaded, monotonic()
        label = " ".join([name, *(f"{key}={value}" for key, value in changes.items())])
        try:
            sim = footfall.load(name, changes)
            sim.record(SHORT * sim.time_step)
        except FootfallError as error:
            if scene:
                raise
            left_out += 1
            typer.echo(f"{label}: left out: {str(error).splitlines()[0]}")
            continue
        except KeyboardInterrupt:
            typer.echo(f"interrupted: {made.kept - kept} kernels kept; the next call goes on")
            raise
        count, ready = made.kernels - before, made.loaded - ready
        if scene or count or ready:
            typer.echo(f"{label}: {count} compiled, {ready} ready-made, {monotonic() - then:.1f} s")
    count, saved = made.kernels - compiled, made.kept - kept
    which = f"{count - saved} of them are not" if saved < count else "they are"
    told = f"{count} kernels compiled in {monotonic() - began:.0f} s, {left_out} cases left out"
    typer.echo(f"{told}; {which} kept in {folder} ({FOLDER})")
    told = f"{made.loaded} kernels came ready-made with the installation"
    typer.echo(f"{told} (FOOTFALL_OBJECTS=0 ignores them)")
    if saved < count:
        raise typer.Exit(1)
