"""``footfall.pose``: joint positions of a body of a scene in which frames are where they shall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Scene, assemble, discover, load_robot, load_scene
from footfall.api.config import Key
from footfall.api.engine import Tree
from footfall.api.errors import RobotError, SceneError, nearest
from footfall.api.geometry import Pose, rotation_from_rpy
from footfall.api.plugin import Floats
from footfall_import.pose.kinematics import CLOSE, Goal, Kinematics, Linkage
from footfall_stepper.api import stepped

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_stepper.api import Body

DIGITS = 12
"""Decimals of positions that are given, [rad or m]."""
AT_LIMIT = 1e-4
"""How near a limit a joint is said to be at it, [rad or m]."""
EXTRA = 'inverse kinematics needs pink: pip install "footfall[pose]"'


@dataclass(frozen=True, slots=True)
class Posed:
    """A posture that was found.

    Attributes:
        body: name of the body in the scene.
        joint_positions: of all its joints, by name, [rad or m].
        base_position: of its root, [m], world frame, if it had to move.
        base_orientation: roll, pitch, yaw of its root, [rad], if it had to move.
        errors: distance [m] and angle [rad] of each frame from where it shall be.
        holding: torques that hold a body with a fixed base there against gravity, by joint,
            [N m or N]; empty of others, whose feet have a part in it.
    """

    body: str
    joint_positions: dict[str, float]
    base_position: tuple[float, float, float] | None
    base_orientation: tuple[float, float, float] | None
    errors: dict[str, tuple[float, float]]
    holding: dict[str, float]

    def overrides(self) -> dict[str, Any]:
        """Return what makes a scene start there, as ``footfall.load`` takes it."""
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
    """Return joint positions in which frames of a robot are where they shall be.

    Of all that do, those near the scene's own posture; inside the position limits of the model,
    with joints that follow others. Nothing looks whether links then lie in each other.

    Args:
        scene: or the name of one; the robot starts as it says.
        reach: by frame (a link, or a joint of the model file): x, y, z, [m], in the world, and if
            its attitude counts roll, pitch and yaw, [rad], as well.
        hold: frames that stay where they are, or the name of one; if there are any, a floating base
            moves with the joints, and its mass centre stays above its place.
        body: whose frames they are; by default the only robot that has joints.
        start: positions of joints to search from instead of the scene's, [rad or m].
        registry: the plugins to use; by default those that are installed.

    Raises:
        SceneError: if the scene has no such body.
        RobotError: if pink is not installed, a frame or joint does not exist, numbers are missing,
            or nothing was found; says how near it came and which joints are at their limits.
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
    """Return the name of the body that is meant.

    Raises:
        SceneError: if there is none, or several.
    """
    if wanted is None and len(robots) == 1:
        return robots[0]
    listed = ", ".join(robots) or "none"
    if not robots:
        raise SceneError("the scene has no robot with joints")
    if wanted is None:
        raise SceneError(f"which robot is meant? (robots: {listed})")
    if wanted not in robots:
        hint = nearest(wanted, robots) or f" (robots: {listed})"
        raise SceneError(f"no robot {wanted!r} in the scene{hint}")
    return wanted


def _frames(reach: object, hold: object) -> tuple[str, ...]:
    """Return the frames to hold; look at the kind of what is given.

    Raises:
        RobotError: if it is no table of goals, no names, or a frame is in both.
    """
    if not isinstance(reach, Mapping):
        raise RobotError(f"reach: must be a table of places by frame, got {reach!r:.60}")
    if not reach:
        raise RobotError("nothing to reach: give a frame and its place")
    names = (hold,) if isinstance(hold, str) else hold
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise RobotError(f"hold: must be names of frames, got {hold!r:.60}")
    both = [name for name in names if name in reach]
    if both:
        raise RobotError(f"{both[0]!r} is to be held, and to reach another place: choose one")
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
    """Return a goal that a user gives as three or six numbers."""
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
    """Return what may move.

    Raises:
        RobotError: if frames of the robot are joined to closed loops.
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
            raise RobotError(f"{body.name}: its loop {loop.name!r} joins links: not posed yet")
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
    """Return the pose of a frame in the world, as the scene's engine has it."""
    at = tree.model.frames[frame]
    link = tree.pose[at.link]
    outer = Pose(link[:9].reshape(3, 3).T.copy(), link[9:].copy())
    return outer @ Pose(at.rotation, at.translation)


def _posed(body: Body, linkage: Linkage, q: Floats, goals: Sequence[Goal]) -> Posed:
    """Look at what was found with the scene's own engine.

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
    """Return the torques that hold the joints against gravity where they are.

    That of a joint that follows another acts there, times the ratio.
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
    text = f"{worst!r} comes within {distance}{turned} of where it shall be"
    return f"{body.name}: no posture found: {text}{stopped}"


def _three(values: Floats) -> tuple[float, float, float]:
    x, y, z = (round(float(value), DIGITS) for value in values)
    return x, y, z
