"""Bodies that others move, in a scene: prescribed motions and velocities of surfaces."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from footfall.config.fields import Vector3, values_by_name
from footfall.errors import RobotError, RobotWarning, SettingError
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.motion import FACES
from footfall.scene.needs import Need, contact_needs
from footfall.scene.scene import Scene
from footfall_stepper.assembly.bodies import base_pose
from footfall_stepper.assembly.collision import links_of
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.filters import PairFilter
from footfall_stepper.collision.shape import CollisionShape, pack
from footfall_stepper.devices.motions import Motion, motion_of
from footfall_stepper.kernels.contact.detected import RELEASE
from footfall_stepper.world.body import Body
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.step_arrays import SurfaceArrays
from footfall_stepper.world.world import in_order

LOOKS = 257
"""Number of instants of a scene's duration at which prescribed bodies are checked for meeting."""


def moved_by_others(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield body and key of all prescribed motions and velocities of surfaces."""
    for name, body in scene.bodies.items():
        yield from ((name, k) for k in ("motion", "surface_velocity") if getattr(body, k))


def motion_needs(scene: Scene, registry: Registry) -> Iterator[Need]:
    """Yield the needs of bodies that others move: contacts see them as a moving ground."""
    for name, key in moved_by_others(scene):
        why = f"bodies.{name}.{key} moves a surface"
        yield from contact_needs(scene, registry, Capability.MOVING_GROUND, why)


def scene_motions(
    scene: Scene, bodies: Sequence[Body], robots: Mapping[str, Robot], collider: Collider | None
) -> tuple[Motion, ...]:
    """Return the prescribed motions of a scene; warn of those that jump, and of bodies that meet.

    Raises:
        SceneError: if a file or a function does not give a motion; names the key.
    """
    found: list[Motion] = []
    shapes = [s for s in (collider.shapes if collider else ()) if isinstance(s, CollisionShape)]
    for name, body in scene.bodies.items():
        if body.motion is not None:
            own = [pack(shape.geometry) for shape in shapes if shape.body == name]
            size = max((2.0 * float(np.linalg.norm([*p.box[3:], *p.size])) for p in own), default=0)
            try:
                start = base_pose(body, robots[name])
                found.append(motion_of(name, body.motion, start, size, scene.simulation.part))
            except SettingError as error:
                raise scene.error(error.reason, "bodies", name, "motion", *error.path) from error
    if found:
        _tell_meeting(scene, links_of(in_order(bodies)), found, shapes)
    return tuple(found)


def _tell_meeting(
    scene: Scene, links: list[Body], found: Sequence[Motion], shapes: Sequence[CollisionShape]
) -> None:
    """Warn of the first time at which two bodies that nothing pushes overlap."""
    moving = {name for name, body in scene.bodies.items() if not body.fixed}
    held, met = [shape for shape in shapes if shape.body not in moving], dict[str, float]()
    detector = Detector(held, PairFilter(), 0.0, 1)
    names, poses = [body.name for body in links], np.zeros((len(links), 12))
    for time in np.linspace(0.0, scene.simulation.duration, LOOKS).tolist():
        for motion in found:
            place, turn = motion.at(time)
            poses[names.index(motion.body)] = *turn.as_matrix().T.ravel(), *place
        contacts = detector.detect(poses)
        for k in np.flatnonzero(contacts.gap < -RELEASE):
            pair = sorted(held[s[k]].body for s in (contacts.shape_a, contacts.shape_b))
            met.setdefault(" and ".join(pair), time)
    for pair_names, time in met.items():
        warnings.warn(
            f"{pair_names} meet at t = {time:.6g} s: nothing pushes either of them, so they pass "
            "through each other",
            RobotWarning,
            stacklevel=4,
        )


def _links_velocities(
    scene: Scene, bodies: Sequence[Body], collider: Collider
) -> Iterator[tuple[tuple[str, str], Vector3]]:
    """Yield the surface velocity of robots' links, by body and link.

    Raises:
        SceneError: if there is no such link, or it has no shape that touches.
    """
    for body in bodies:
        given = scene.bodies[body.name].surface_velocity
        if scene.bodies[body.name].shape is not None or not isinstance(given, dict):
            continue
        path = "bodies", body.name, "surface_velocity"
        try:
            found = values_by_name(given, body.model.link_names, "surface_velocity")
        except RobotError as error:
            raise scene.error(str(error), *path) from error
        for link, velocity in found.items():
            if not any(s.name.startswith(f"{body.name}/{link}/") for s in collider.shapes):
                raise scene.error(f"{link} has no collision shape", *path)
            yield (body.name, link), velocity


def surface_arrays(
    scene: Scene, bodies: Sequence[Body], collider: Collider | None, terrain: Terrain
) -> SurfaceArrays | None:
    """Return the velocities of the surfaces of a scene's bodies; None if nothing needs them.

    Raises:
        SceneError: if contacts between bodies are not detected.
    """
    moved = list(moved_by_others(scene))
    if not moved:
        return None
    if collider is None:
        told = "needs detected contacts: leave out [collisions] detect = false"
        raise scene.error(told, "bodies", *moved[0])
    n = 1 + max(shape.number for shape in collider.shapes)
    moves, links = Capability.MOVING_GROUND in terrain.capabilities, links_of(in_order(bodies))
    link, of_link, pose, face = (
        np.full(n, -1),
        [0] * len(links),
        np.zeros((n, 12)),
        np.zeros((n, 6, 3)),
    )
    zero = (0.0, 0.0, 0.0)
    of_robots = dict(_links_velocities(scene, bodies, collider))
    for shape in collider.shapes:
        k = shape.number
        link[k], pose[k] = shape.link, [*shape.pose.rotation.T.ravel(), *shape.pose.translation]
        name, part = shape.name.split("/")[:2]
        body = scene.bodies.get(name)
        given = body.surface_velocity if body is not None else None
        if shape.link >= 0:
            of_link[shape.link] = k
        if (name, part) in of_robots:
            face[k] = of_robots[name, part]
        elif given is not None and body is not None and body.shape is not None:
            face[k] = [given.get(f, zero) for f in FACES] if isinstance(given, dict) else given
    return SurfaceArrays(
        np.array(of_link, np.int64), link.astype(np.int64), pose, face, np.array([moves], np.int64)
    )
