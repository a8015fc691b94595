"""Bodies that others move, in a scene: prescribed motions and velocities of surfaces."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from footfall.errors import RobotWarning, SettingError
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.motion import FACES, FaceVelocities
from footfall.scene.needs import Need, contact_needs
from footfall.scene.scene import Scene
from footfall.spatial.rotation import quaternion_to_pose
from footfall.typing import Floats
from footfall_stepper.assembly.bodies import base_pose
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.filters import PairFilter
from footfall_stepper.collision.shape import CollisionShape, pack
from footfall_stepper.devices.motions import Motion, Motions, motion_of
from footfall_stepper.kernels.contact.detected import RELEASE
from footfall_stepper.stepping.settings import Physics
from footfall_stepper.world.body import Body
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.step_arrays import SurfaceArrays
from footfall_stepper.world.world import in_order

LOOKS = 257
"""Number of instants of a scene's duration at which prescribed bodies are checked for meeting."""


def moved_by_others(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield body and key of all prescribed motions and velocities of surfaces."""
    for name, body in scene.bodies.items():
        for key in ("motion", "surface_velocity"):
            if getattr(body, key) is not None:
                yield name, key


def motion_needs(scene: Scene, registry: Registry) -> Iterator[Need]:
    """Yield the needs of bodies that others move: contacts see them as a moving ground."""
    for name, key in moved_by_others(scene):
        why = f"{name} has a {key.replace('_', ' ')}"
        yield from contact_needs(scene, registry, Capability.MOVING_GROUND, why)


def check_moved(scene: Scene, physics: Physics, guest: bool) -> None:
    """Reject bodies that others move where nothing would move them.

    Raises:
        SceneError: names the key.
    """
    for name, key in moved_by_others(scene):
        if guest:
            told = f'simulator "{scene.simulator.plugin}" does not support it ("footfall" does)'
            raise scene.error(told, "bodies", name, key)
        if isinstance(physics.integrator, Continuous):
            told = (
                f'integrator "{scene.integrator.plugin}" does not support it: take a one-step one'
            )
            raise scene.error(told, "bodies", name, key)


def scene_motions(
    scene: Scene, bodies: Sequence[Body], robots: Mapping[str, Robot], collider: Collider | None
) -> tuple[Motion, ...]:
    """Return the prescribed motions of a scene; warn of those that jump, and of bodies that meet.

    Raises:
        SceneError: if a file or a function does not give a motion; names the key.
    """
    found, shapes = [], [] if collider is None else collider.shapes
    for name, body in scene.bodies.items():
        if body.motion is None:
            continue
        own = [shape for shape in shapes if shape.name.split("/")[0] == name]
        size = max((_extent(shape) for shape in own), default=np.inf)
        try:
            motion = motion_of(name, body.motion, base_pose(body, robots[name]), size)
        except SettingError as error:
            where = "bodies", name, "motion", *error.path
            raise scene.error(error.reason, *where) from error
        motion.check_jumps(scene.simulation.part)
        found.append(motion)
    if found:
        _tell_meeting(scene, in_order(bodies), found, shapes)
    return tuple(found)


def _extent(shape: object) -> float:
    """Return the diagonal of a shape's bounding box, [m]."""
    assert isinstance(shape, CollisionShape)
    packed = pack(shape.geometry)
    return 2.0 * float(max(np.linalg.norm(packed.box[3:]), np.linalg.norm(packed.size)))


def _tell_meeting(
    scene: Scene, bodies: Sequence[Body], found: Sequence[Motion], shapes: Sequence[object]
) -> None:
    """Warn of the first time at which two bodies that nothing pushes overlap."""
    held = [s for s in shapes if isinstance(s, CollisionShape) and scene_fixed(scene, s)]
    links = {body.name: k for k, body in enumerate(b for b in bodies for _ in b.model.link_names)}
    if len(held) < 2:
        return
    detector = Detector(held, PairFilter(), 0.0, 1)
    q, v, poses = np.zeros(7 * len(found)), np.zeros(6 * len(found)), np.zeros((len(links), 12))
    places = [(7 * k, 6 * k) for k in range(len(found))]
    motions, told = Motions(found, places, q, v), set[str]()
    place = quaternion_to_pose.twin  # type: ignore[attr-defined]
    for time in np.linspace(0.0, scene.simulation.duration, LOOKS):
        for motion, pose in zip(found, motions.poses(float(time)), strict=True):
            place(pose, 0, poses, links[motion.body])
        contacts = detector.detect(poses)
        for k in np.flatnonzero(contacts.gap < -RELEASE):
            pair = [held[s[k]].body for s in (contacts.shape_a, contacts.shape_b)]
            names = " and ".join(sorted(pair))
            if names not in told:
                told.add(names)
                warnings.warn(
                    f"{names} meet at t = {time:.6g} s: nothing pushes either of them, so they "
                    "pass through each other",
                    RobotWarning,
                    stacklevel=4,
                )


def scene_fixed(scene: Scene, shape: CollisionShape) -> bool:
    """Return whether a shape is that of a fixed or prescribed body, or the ground's."""
    body = scene.bodies.get(shape.body)
    return body is None or body.fixed


def surface_arrays(
    scene: Scene, bodies: Sequence[Body], collider: Collider | None, physics: Physics
) -> SurfaceArrays | None:
    """Return the velocities of the surfaces of a scene's bodies; None if nothing needs them."""
    given = {
        name: body.surface_velocity
        for name, body in scene.bodies.items()
        if body.surface_velocity is not None
    }
    if not any(moved_by_others(scene)):
        return None
    shapes = [] if collider is None else list(collider.shapes)
    row, numbers = (
        {name: k for k, name in enumerate(given)},
        1 + max((s.number for s in shapes), default=-1),
    )
    of_shape, pose = np.full(numbers, -1), np.zeros((numbers, 12))
    for shape in shapes:
        of_shape[shape.number] = row.get(shape.name.split("/")[0], -1)
        pose[shape.number] = *shape.pose.rotation.T.ravel(), *shape.pose.translation
    links = [row.get(b.name, -1) for b in in_order(bodies) for _ in b.model.link_names]
    return SurfaceArrays(
        shape=of_shape.astype(np.int64),
        of_link=np.array(links, np.int64),
        pose=pose,
        face=np.array([_faces(velocity) for velocity in given.values()]).reshape(-1, 6, 3),
        adds=np.array([Capability.MOVING_GROUND in physics.terrain.capabilities], np.int64),
    )


def _faces(given: tuple[float, float, float] | FaceVelocities) -> Floats:
    """Return the velocity of each face, shape (6, 3)."""
    if not isinstance(given, FaceVelocities):
        return np.tile(np.array(given), (6, 1))
    faces = np.zeros((6, 3))
    for name, code in FACES.items():
        faces[code if code >= 0 else 3 + ~code] = getattr(given, name) or 0.0
    return faces
