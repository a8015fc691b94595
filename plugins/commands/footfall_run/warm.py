"""Short runs of all kinds that compile their kernels."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Annotated, Any

import typer

SHORT = 50
"""Steps of each run."""
ROLES: dict[str, dict[str, Any]] = {
    "contact": {},
    "impact": {},
    "integrator": {"contact.plugin": "compliant"},
}
"""Roles whose plugins run one after another, with their other settings."""
TRIED_ON = ("cube/drop", "cube/sliding", "humanoid/standing")
"""Scenes for these plugins: free objects, with and without impacts, and a floating robot."""
UNBOUND = {"integrator": ("pendulum/swing",)}
"""Additional scenes: a robot with a fixed base."""


def cases(chosen: list[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield scenes with overrides: the chosen ones, or all of Footfall and its plugins."""
    import footfall

    if chosen:
        yield from ((name, {}) for name in chosen)
        return
    yield from ((listing.name, {}) for listing in footfall.list_scenes())
    registry = footfall.discover()
    for role, beside in ROLES.items():
        for plugin in getattr(registry, role):
            for scene in (*TRIED_ON, *UNBOUND.get(role, ())):
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

    footfall.compilations.ahead = True
    began, compiled, left_out = perf_counter(), footfall.compilations.kernels, 0
    for name, changes in cases(scene):
        before, since = footfall.compilations.kernels, perf_counter()
        ready = footfall.compilations.loaded
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
            count = footfall.compilations.kernels - compiled
            typer.echo(f"interrupted: {count} kernels compiled and kept; the next call goes on")
            raise
        count = footfall.compilations.kernels - before
        ready = footfall.compilations.loaded - ready
        typer.echo(f"{label}: {count} compiled, {ready} ready-made, {perf_counter() - since:.1f} s")
    count = footfall.compilations.kernels - compiled
    typer.echo(
        f"{count} kernels compiled in {perf_counter() - began:.0f} s, {left_out} cases left out; "
        f"they are kept in {footfall.compilations.folder} (FOOTFALL_CACHE_DIR)"
    )
    typer.echo(
        f"{footfall.compilations.loaded} kernels came ready-made with the installation "
        "(FOOTFALL_OBJECTS=0 ignores them)"
    )
