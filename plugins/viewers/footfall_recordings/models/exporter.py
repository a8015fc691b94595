"""What is exported: the simulator of a scene or of a recording's scene, and what is left out."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import Scene, assemble, discover, is_recording, load_scene, open_run, stored_scene
from footfall.api.command import write_whole
from footfall.api.errors import RecordingError, RobotWarning
from footfall.api.plugin import Floats
from footfall_stepper.api import stepped

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


QUIET = {"plugin": "none"}


def opened(source: Path, *, trust: bool) -> tuple[Scene, StepperSimulator]:
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
    return scene, stepped(assemble(scene, registry, tell_deep=False))


def refuse_to_replace(output: Path, *, overwrite: bool) -> None:
    """Raise a RecordingError if a file exists and is not to be replaced."""
    if output.exists() and not overwrite:
        raise RecordingError(f"{output} exists: choose another name or add --overwrite")


def write(output: Path, text: str, *, overwrite: bool) -> None:
    """Write a file whole, and the folder that it is in.

    Raises:
        RecordingError: if it exists and is not to be replaced, or cannot be written.
    """
    refuse_to_replace(output, overwrite=overwrite)
    try:
        output.parent.mkdir(exist_ok=True)
        write_whole(output, text)
    except OSError as error:
        raise RecordingError(f"{output} cannot be written: {error.strerror or error}") from error


def tell(output: Path, lost: list[str]) -> None:
    """Warn in one line of what a format does not hold."""
    if lost:
        warnings.warn(f"{output}: left out: {'; '.join(lost)}", RobotWarning, stacklevel=2)


DELIVER = ("ideal", "reflected", "parallel_elastic")
"""Actuators that deliver what is commanded."""
SPRING = "parallel_elastic"
"""The one of these with a spring beside it."""


def losses(scene: Scene, sim: StepperSimulator) -> list[str]:
    """Return what neither format holds."""
    law = scene.simulator if scene.set_aside else scene.contact
    lost = ["what is only drawn", f"how contacts push ({law.plugin})"]
    drives = sim.participants.drives
    dynamic = sorted({d.actuator.name for d in drives if d.actuator.name not in DELIVER})
    lost += [f"the dynamics of {name} actuators" for name in dynamic]
    frames = sum(len(b.model.frames.keys() - set(b.model.link_names)) for b in sim.world.bodies)
    if frames:
        lost.append(f"{frames} frames on links, by name")
    if any(body.motor_friction for body in sim.world.bodies):
        lost.append("Coulomb friction of coupled motors")
    paced = [name for name, body in scene.bodies.items() if body.pace.rate or body.pace.delay]
    lost += [f"rate and delay of the controller of {name}" for name in paced]
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
    given = {path[-1] for path, _ in scene.coefficients()}
    if "restitution" in given or np.nan_to_num(_restitutions(sim)).any():
        lost.append("restitution")
    if sim.world.moments:
        lost.append("torsional and rolling friction")
    return lost


def _restitutions(sim: StepperSimulator) -> Floats:
    """Return the coefficients of restitution of the sides of all that can touch."""
    collider = sim.world.collider
    shapes = [shape.restitution for shape in collider.shapes] if collider else []
    return np.concatenate([sim.world.candidates.restitution, shapes])


def spring_of(sim: StepperSimulator, body: str, joint: str) -> tuple[float, float] | None:
    """Return stiffness [N m/rad or N/m] and position at rest [rad or m] of a joint's spring."""
    for drive in sim.participants.drives:
        if (drive.body, drive.actuator.name) == (body, SPRING) and joint in drive.joints:
            config: Any = drive.actuator.config  # type: ignore[attr-defined]
            return config.stiffness, config.rest
    return None
