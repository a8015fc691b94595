"""What is exported: the simulator of a scene or of a recording's scene, and what is left out."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from footfall import (
    Scene,
    Simulator,
    assemble,
    discover,
    is_recording,
    load_scene,
    open_run,
    stored_scene,
)
from footfall.api.command import write_whole
from footfall.api.errors import RecordingError, RobotWarning

QUIET = {"plugin": "none"}


def opened(source: Path, *, trust: bool) -> tuple[Scene, Simulator]:
    """Return the scene of a file, of a bundled name or of a recording, and its simulator.

    Raises:
        SceneError: if it cannot be loaded, or names functions and is not trusted.
        RecordingError: if it is a recording that cannot be read.
    """
    registry = discover()
    if is_recording(source):
        resolved = open_run(source).attrs["resolved_scene"]
        scene = stored_scene(resolved, registry, trust=trust, visualizer=QUIET)
    else:
        scene = load_scene(source, {"visualizer.plugin": "none"}, registry)
    return scene, assemble(scene, registry, tell_deep=False)


def write(output: Path, text: str, *, overwrite: bool) -> None:
    """Write a file whole.

    Raises:
        RecordingError: if it exists and is not to be replaced, or cannot be written.
    """
    if output.exists() and not overwrite:
        raise RecordingError(f"{output} exists: choose another name or add --overwrite")
    try:
        write_whole(output, text)
    except OSError as error:
        raise RecordingError(f"{output} cannot be written: {error.strerror or error}") from error


def tell(output: Path, lost: list[str]) -> None:
    """Warn in one line of what a format does not hold."""
    if lost:
        warnings.warn(f"{output}: left out: {'; '.join(lost)}", RobotWarning, stacklevel=2)


def losses(scene: Scene, sim: Simulator) -> list[str]:
    """Return what neither format holds."""
    lost = ["what is only drawn"]
    drives = sim.participants.drives
    if any(np.isfinite(drive.speed).any() for drive in drives):
        lost.append("speed limits of drives")
    if any(drive.transmission.coupling is not None for drive in drives):
        lost.append("torque limits of coupled drives")
    if len(sim.world.joints.coupling):
        lost.append("inertia that transmissions couple")
    if sim.participants.sensors:
        lost.append(f"{len(sim.participants.sensors)} sensors")
    if scene.pushes:
        lost.append(f"{len(scene.pushes)} pushes")
    if scene.hands:
        lost.append("hands")
    if np.nan_to_num(sim.world.candidates.restitution).any():
        lost.append("restitution")
    if sim.world.moments:
        lost.append("torsional and rolling friction")
    return lost
