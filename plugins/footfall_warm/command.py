"""Short runs of all kinds, so that what they need is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

LEVELS = ("x86-64-v2", "x86-64-v3")
"""Processors that a wheel brings objects for."""
SHORT = 50
"""Steps of each run."""
ROLES: dict[str, dict[str, Any]] = {
    "contact": {},
    "impact": {},
    "integrator": {"contact.plugin": "compliant"},
}
"""Roles whose plugins are tried one after another, with what else is set."""
TRIED_ON = ("cube/drop", "cube/sliding", "humanoid/standing")
"""Scenes on which they are: free objects, with and without impacts, and a floating robot."""
UNBOUND = {"integrator": ("pendulum/swing",)}
"""Scenes in addition: a robot with a fixed base."""


def cases(chosen: list[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield scenes with overrides: those chosen, or all that come with Footfall and its plugins."""
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


def make_objects(folder: Path, scenes: list[str]) -> None:
    """Compile for levels of the x86-64 instruction set, each in a process of its own."""
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as cache:
            compiled_for = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
            kept = {"FOOTFALL_CACHE_DIR": cache, "FOOTFALL_OBJECTS": str(folder.resolve() / level)}
            command = [sys.executable, "-m", "footfall.cli.main", "warm", *scenes]
            subprocess.run(command, env=os.environ | compiled_for | kept, check=True)


def warm(
    scene: Annotated[
        list[str] | None, typer.Argument(help="Scenes to compile for; default: all there are.")
    ] = None,
    objects: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Make native objects for a wheel there instead."),
    ] = None,
) -> None:
    """Compile ahead what runs need, so that none of them has to wait.

    The scenes that come with Footfall are run for a few steps, and the installed laws, impact
    models and integrators on some of them. What is compiled already is loaded only.
    """
    import footfall
    from footfall.api.errors import FootfallError

    if objects is not None:
        make_objects(objects, scene or [])
        return
    began, compiled, left_out = perf_counter(), footfall.compilations.kernels, 0
    for name, changes in cases(scene):
        before, since = footfall.compilations.kernels, perf_counter()
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
        count = footfall.compilations.kernels - before
        typer.echo(f"{label}: {count} compiled, {perf_counter() - since:.1f} s")
    count = footfall.compilations.kernels - compiled
    typer.echo(
        f"{count} kernels compiled in {perf_counter() - began:.0f} s, {left_out} cases left out; "
        f"they are kept in {footfall.compilations.folder} (FOOTFALL_CACHE_DIR)"
    )
