"""``footfall.pose``: joint positions in which frames of a body in a scene reach their goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Scene, assemble, discover, load_robot, load_scene
from footfall.api.command import Key
from footfall.api.engine import Pose, Tree, rotation_from_rpy
from footfall.api.plugin import Floats, Registry, RobotError, SceneError, nearest
from footfall_import.pose.kinematics import CLOSE, Goal, Kinematics, Linkage
from footfall_stepper.api import Body, stepped

DIGITS = 12
"""Number of decimals of returned positions, [rad or m]."""
AT_LIMIT = 1e-4
"""Distance from a limit at which a joint counts as being at it, [rad or m]."""
EXTRA = f"inverse kinematics needs pink: {RobotError.pip('pose')}"


@dataclass(frozen=True, slots=True)
class Posed:
    """A posture found by ``pose``.

    Attributes:
        body: name of the body in the scene.
        joint_positions: of all its joints, by name, [rad or m].
        base_position: position of its root, [m], world frame; None if the root did not move.
        base_orientation: roll, pitch, yaw of its root, [rad]; None if the root did not move.
        errors: distance [m] and angle [rad] of each frame from its goal.
        holding: torques that hold a body with a fixed base against gravity, by joint, [N m or N];
            empty for other bases, which also need ground forces.
    """

    body: str
    joint_positions: dict[str, float]
    base_position: tuple[float, float, float] | None
    base_orientation: tuple[float, float, float] | None
    errors: dict[str, tuple[float, float]]
    holding: dict[str, float]

    def overrides(self) -> dict[str, Any]:
        """Return the overrides for ``footfall.load`` that make a scene start in this posture."""
        body: dict[str, Any] = {"joint_positions": dict(self.joint_positions)}
        if self.base_position is not None:
            body["base_position"] = list(self.base_position)
            body["base_orientation"] = list(self.base_orientation or ())
        return {str(Key(("bodies", self.body, key))): value for key, value in body.items()}


def pose(
    scene: Scene | str,
    reach: Mapping[str, Sequence[float]],
    *,
    hold: Sequence[str] | str = (),
    body: str | None = None,
    start: Mapping[str, float] | None = None,
    registry: Registry | None = None,
) -> Posed:
    """Return joint positions in which frames of a robot reach their goals.

    The result is near the scene's own posture, inside the position limits of the model, and
    satisfies couplings. Collisions between links are not checked.

    Args:
        scene: a scene or its name; the robot starts in the scene's posture.
        reach: goals by frame (a link, or a joint of the model file): x, y, z, [m], in the world,
            and optionally roll, pitch and yaw, [rad].
        hold: a frame or frames to keep in place. If given, a floating base moves with the joints,
            and its centre of mass keeps its horizontal position.
        body: the robot; by default the only one with joints.
        start: joint positions to search from instead of the scene's, [rad or m].
        registry: the plugins to use; by default the installed ones.

    Raises:
        SceneError: if the scene has no such body.
        RobotError: if pink is not installed, a frame or joint does not exist, numbers are missing,
            or no posture was found (names the distance left and the joints at their limits).
    """
    if find_spec("pink") is None:
        raise RobotError(EXTRA)
    kept_frames = _frames(reach, hold)
    registry = registry if registry is not None else discover()
    loaded = scene if isinstance(scene, Scene) else load_scene(scene, None, registry)
    world = stepped(assemble(loaded, registry, tell_deep=False)).world
    robots = [each.name for each in world.bodies if each.tree is not None]
    chosen = world.bodies[world.index(_chosen(body, robots))]
    assert chosen.tree is not None
    q = _start(chosen, start or {})
    goals = [_goal(chosen, frame, numbers) for frame, numbers in reach.items()]
    chosen.tree.evaluate(q, np.zeros(chosen.model.nv))
    held = [_place(chosen.tree, _frame(chosen, frame, "hold")) for frame in kept_frames]
    kept = [Goal(f, at.translation, at.rotation) for f, at in zip(kept_frames, held, strict=True)]
    moves = bool(kept_frames) and chosen.model.base == "floating"
    linkage = _linkage(loaded, chosen, registry, base_moves=moves)
    kinematics = Kinematics(linkage, [*goals, *kept])
    kinematics.refuse_far(q)
    found = kinematics.solve(q)
    return _posed(chosen, linkage, found, [*goals, *kept])


def _chosen(wanted: str | None, robots: Sequence[str]) -> str:
    """Return the name of the body to pose.

    Raises:
        SceneError: if there is none, or several.
    """
    if wanted is None and len(robots) == 1:
        return robots[0]
    listed = ", ".join(robots) or "none"
    if not robots:
        raise SceneError("the scene has no robot with joints")
    if wanted is None:
        raise SceneError(f"the scene has several robots: name one as body (robots: {listed})")
    if wanted not in robots:
        hint = nearest(wanted, robots) or f" (robots: {listed})"
        raise SceneError(f"no robot {wanted!r} in the scene{hint}")
    return wanted


def _frames(reach: object, hold: object) -> tuple[str, ...]:
    """Return the frames to hold, after a check of both arguments.

    Raises:
        RobotError: if ``reach`` is not a table of goals, ``hold`` is not a list of names, or a
            frame is in both.
    """
    if not isinstance(reach, Mapping):
        raise RobotError(f"reach: must be a table of goals by frame, got {reach!r:.60}")
    if not reach:
        raise RobotError("nothing to reach: give a frame and its goal")
    names = (hold,) if isinstance(hold, str) else hold
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise RobotError(f"hold: must be names of frames, got {hold!r:.60}")
    both = [name for name in names if name in reach]
    if both:
        raise RobotError(f"{both[0]!r} is in both reach and hold: choose one")
    return tuple(dict.fromkeys(names))


def _start(body: Body, given: Mapping[str, float]) -> Floats:
    """Return the positions to search from, shape (nq,)."""
    q, names = body.q.copy(), body.model.joint_names
    if not isinstance(given, Mapping):
        raise RobotError(f"{body.name}: start: must be a table of positions by joint")
    for name, value in given.items():
        if name not in names:
            raise RobotError(f"{body.name}: start: no joint {name!r}{nearest(name, names)}")
        try:
            q[len(q) - len(names) + names.index(name)] = float(value)
        except (TypeError, ValueError) as error:
            told = f"{body.name}: start: {name!r} must be a number, got {value!r:.60}"
            raise RobotError(told) from error
    if not np.isfinite(q).all():
        raise RobotError(f"{body.name}: start: positions must be finite")
    return q


def _frame(body: Body, frame: str, key: str) -> str:
    frames = body.model.frames
    if frame not in frames:
        hint = nearest(frame, frames) or f" (e.g. {', '.join(list(frames)[-3:])})"
        raise RobotError(f"{body.name}: {key}: no frame {frame!r}{hint}")
    return frame


def _goal(body: Body, frame: str, numbers: Sequence[float]) -> Goal:
    """Return the goal of a frame from the user's three or six numbers."""
    try:
        given = np.array(numbers, float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape not in ((3,), (6,)) or not np.isfinite(given).all():
        text = "needs x, y, z, or x, y, z, roll, pitch, yaw"
        raise RobotError(f"{body.name}: reach: {frame!r} {text}, got {numbers!r:.60}")
    rotation = rotation_from_rpy([*map(float, given[3:])]) if len(given) == 6 else None
    return Goal(_frame(body, frame, "reach"), given[:3], rotation)


def _linkage(scene: Scene, body: Body, registry: Registry, *, base_moves: bool) -> Linkage:
    """Return the variables and constraints of the search.

    Raises:
        RobotError: if the robot has closed loops.
    """
    table = scene.bodies[body.name]
    robot = load_robot(str(table.robot), scene.folder if scene.file else None, registry)
    spec, base = robot.spec, table.base or robot.base
    position = table.base_position or spec.base_position
    rpy = table.base_orientation or spec.base_orientation
    placement = None if base == "floating" else Pose(rotation_from_rpy(rpy), np.array(position))
    followers = []
    for loop in body.loops:
        if loop.kind != "coupling":
            raise RobotError(f"{body.name}: loop {loop.name!r}: pose does not support closed loops")
        followers.append((loop.joint, loop.of, loop.ratio, loop.offset))
    model = body.model
    limits = np.column_stack([model.position_lower, model.position_upper])
    limits[limits[:, 0] >= limits[:, 1]] = -np.inf, np.inf
    if len(body.position_limits):
        limits = np.where(np.isfinite(body.position_limits), body.position_limits, limits)
    planar = base == "planar"
    return Linkage(
        source=robot.source(body.name, np.array(scene.world.gravity), base, placement),
        model=model,
        limits=limits,
        held=range(3) if planar else (),
        followers=followers,
        base_moves=base_moves,
    )


def _place(tree: Tree, frame: str) -> Pose:
    """Return the pose of a frame in the world, computed by the scene's engine."""
    at = tree.model.frames[frame]
    link = tree.pose[at.link]
    outer = Pose(link[:9].reshape(3, 3).T.copy(), link[9:].copy())
    return outer @ Pose(at.rotation, at.translation)


def _posed(body: Body, linkage: Linkage, q: Floats, goals: Sequence[Goal]) -> Posed:
    """Return the found posture, checked with the scene's own engine.

    Raises:
        RobotError: if it misses the goals.
    """
    assert body.tree is not None
    names = body.model.joint_names
    base, joints = q[: len(q) - len(names)], np.round(q[len(q) - len(names) :], DIGITS)
    body.tree.evaluate(np.concatenate([base, joints]), np.zeros(body.model.nv))
    errors = {goal.frame: goal.error(_place(body.tree, goal.frame)) for goal in goals}
    if any(far > 2 * CLOSE[0] or turn > 2 * CLOSE[1] for far, turn in errors.values()):
        raise RobotError(_miss(body, linkage, joints, errors))
    moved = linkage.base_moves
    rpy = Rotation.from_quat(base[3:]).as_euler("xyz") if moved else np.zeros(3)
    return Posed(
        body=body.name,
        joint_positions=dict(zip(names, map(float, joints), strict=True)),
        base_position=_three(base[:3]) if moved else None,
        base_orientation=_three(rpy) if moved else None,
        errors=errors,
        holding=_holding(body, linkage) if body.model.base == "fixed" else {},
    )


def _holding(body: Body, linkage: Linkage) -> dict[str, float]:
    """Return the torques that hold the joints against gravity in their present positions.

    The torque of a follower, times its ratio, acts at its leader.
    """
    assert body.tree is not None
    tau, names = body.tree.h.copy(), body.model.joint_names
    for joint, of, ratio, _ in linkage.followers:
        tau[of] += ratio * tau[joint]
        tau[joint] = 0.0
    return {name: round(float(value), 9) for name, value in zip(names, tau, strict=True) if value}


def _miss(
    body: Body, linkage: Linkage, joints: Floats, errors: Mapping[str, tuple[float, float]]
) -> str:
    worst = max(errors, key=lambda frame: max(errors[frame][0] / CLOSE[0], errors[frame][1]))
    far, turn = errors[worst]
    near = np.abs(joints[:, None] - linkage.limits).min(axis=1) < AT_LIMIT
    names = [name for name, is_near in zip(body.model.joint_names, near, strict=True) if is_near]
    stopped = f"; at their limits: {', '.join(names)}" if names else ""
    turned = f" and {np.degrees(turn):.2g} degrees" if turn else ""
    distance = f"{far:.3g} m" if far >= 1.0 else f"{1e3 * far:.3g} mm"
    text = f"{worst!r} comes within {distance}{turned} of its goal"
    return f"{body.name}: no posture found: {text}{stopped}"


def _three(values: Floats) -> tuple[float, float, float]:
    x, y, z = (round(float(value), DIGITS) for value in values)
    return x, y, z
