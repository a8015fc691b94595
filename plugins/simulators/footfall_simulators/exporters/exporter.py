"""Common parts of the exporters: the simulator of a scene, output, and the list of losses."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from footfall import Scene, assemble, discover, is_recording, load_scene, open_run, stored_scene
from footfall.api.command import write_whole
from footfall.api.plugin import Floats, RecordingError, RobotWarning
from footfall_simulators.skeleton import turned_to
from footfall_stepper.api import StepperSimulator, stepped

QUIET = {"plugin": "none"}
SMALL = 1e-6
"""Radius of the ball that stands for a point, and half the thickness of a rim's disc, [m]."""


def opened(source: Path, *, trust: bool) -> tuple[Scene, StepperSimulator]:
    """Return the scene of a file, a bundled name or a recording, and its simulator.

    Raises:
        SceneError: if the scene cannot be loaded, or names functions and is not trusted.
        RecordingError: if the recording cannot be read.
    """
    registry = discover()
    if is_recording(source):
        resolved = open_run(source).attrs["resolved_scene"]
        scene = stored_scene(resolved, registry, trust=trust, visualizer=QUIET)
    else:
        scene = load_scene(source, {"visualizer.plugin": "none"}, registry)
    return scene, stepped(assemble(scene, registry, tell_deep=False))


def refuse_to_replace(output: Path, *, overwrite: bool) -> None:
    """Raise a RecordingError if a file exists and ``overwrite`` is False."""
    if output.exists() and not overwrite:
        raise RecordingError(f"{output} exists: choose another name or add --overwrite")


def write(output: Path, text: str, *, overwrite: bool) -> None:
    """Write a file atomically; create its folder if missing.

    Raises:
        RecordingError: if it exists and ``overwrite`` is False, or it cannot be written.
    """
    refuse_to_replace(output, overwrite=overwrite)
    with RecordingError.of_file(output):
        output.parent.mkdir(exist_ok=True)
        write_whole(output, text)


def tell(output: Path, lost: list[str]) -> None:
    """Warn in one line of the parts that a format does not hold."""
    if lost:
        warnings.warn(f"{output}: left out: {'; '.join(lost)}", RobotWarning, stacklevel=2)


DELIVER = ("ideal", "reflected", "parallel_elastic")
"""Actuators that deliver the commanded torque."""
SPRING = "parallel_elastic"
"""The actuator with a parallel spring."""


def losses(scene: Scene, sim: StepperSimulator) -> list[str]:
    """Return the parts of a scene that neither format holds."""
    law = scene.simulator if scene.set_aside else scene.contact
    lost = ["visuals", f"the contact model ({law.plugin})"]
    drives = sim.participants.drives
    dynamic = sorted({d.actuator.name for d in drives if d.actuator.name not in DELIVER})
    lost += [f"the dynamics of {name} actuators" for name in dynamic]
    frames = sum(len(b.model.frames.keys() - set(b.model.link_names)) for b in sim.world.bodies)
    if frames:
        lost.append(f"{frames} named frames on links")
    if any(body.motor_friction for body in sim.world.bodies):
        lost.append("Coulomb friction of coupled motors")
    lost += [f"backlash {play.name}" for body in sim.world.bodies for play in body.backlash]
    paced = [name for name, body in scene.bodies.items() if body.pace.rate or body.pace.delay]
    lost += [f"rate and delay of the controller of {name}" for name in paced]
    if any(np.isfinite(drive.speed).any() for drive in drives):
        lost.append("speed limits of drives")
    if any(drive.transmission.coupling is not None for drive in drives):
        lost.append("torque limits of coupled drives")
    if len(sim.world.joints.coupling):
        lost.append("inertia coupled by transmissions")
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
    if sim.world.directed:
        lost.append("friction by direction (the larger coefficient is written)")
    return lost


def _restitutions(sim: StepperSimulator) -> Floats:
    """Return the coefficients of restitution of all contact features and shapes."""
    collider = sim.world.collider
    shapes = [shape.restitution for shape in collider.shapes] if collider else []
    stops = sim.world.joint_rows.restitution
    return np.concatenate([sim.world.candidates.restitution, shapes, stops])


def spring_of(sim: StepperSimulator, body: str, joint: str) -> tuple[float, float] | None:
    """Return stiffness [N m/rad or N/m] and rest position [rad or m] of a joint's spring."""
    for drive in sim.participants.drives:
        if (drive.body, drive.actuator.name) == (body, SPRING) and joint in drive.joints:
            config: Any = drive.actuator.config  # type: ignore[attr-defined]
            return config.stiffness, config.rest
    return None


def upright(axis: Floats) -> Floats:
    """Return a rotation, shape (3, 3), that turns z to a unit vector; none turns z to itself."""
    return np.eye(3) if axis[2] == 1.0 else turned_to(axis)
