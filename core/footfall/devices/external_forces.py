"""External forces: wrenches on links and efforts on joints, from the scene and from Python.

The strength of a push over time enters a step as its mean over the step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from footfall.config.csv_table import read_table
from footfall.config.fields import load_function
from footfall.config.validate import sized
from footfall.errors import SettingError, SimulationError, nearest, reason
from footfall.scene.external_forces import PushTable
from footfall.scene.scene import Scene
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall.world.arrays import LINK, WORLD
from footfall.world.body import Body
from footfall.world.world import World

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


class Profile(ABC):
    """A quantity over time, a pure function of it."""

    @abstractmethod
    def mean(self, start: float, end: float) -> Floats:
        """Return its mean from ``start`` to ``end`` [s], which count from the push's start."""


class Constant(Profile):
    """The same from its start on, for some time."""

    def __init__(self, value: Floats, duration: float) -> None:
        self._value, self._duration = value, duration

    def mean(self, start: float, end: float) -> Floats:
        """Return the value times the part of the interval in which it acts."""
        part = min(end, self._duration) - max(start, 0.0)
        return self._value * (min(max(part / (end - start), 0.0), 1.0))


class Table(Profile):
    """Straight lines between the rows of a file, nothing outside of them; means are exact."""

    def __init__(self, time: Floats, values: Floats, duration: float) -> None:
        self._time, self._values, self._duration = time, values, duration
        steps = 0.5 * np.diff(time)[:, None] * (values[1:] + values[:-1])
        self._sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])

    def mean(self, start: float, end: float) -> Floats:
        """Return the difference of the integrals, by the length."""
        return (self._integral(end) - self._integral(start)) / (end - start)

    def _integral(self, time: float) -> Floats:
        """Return the integral up to a time: of whole rows, and of a part of the next."""
        time = min(max(time, float(self._time[0])), float(self._time[-1]), self._duration)
        if time <= self._time[0]:
            return np.zeros(self._values.shape[1])
        k = min(int(np.searchsorted(self._time, time, side="right")) - 1, len(self._time) - 2)
        part = (time - self._time[k]) / (self._time[k + 1] - self._time[k])
        here = (1.0 - part) * self._values[k] + part * self._values[k + 1]
        integral: Floats = self._sums[k] + 0.5 * (time - self._time[k]) * (self._values[k] + here)
        return integral


class Function(Profile):
    """A function of the user's, in the middle of the interval."""

    def __init__(self, name: str, size: int, duration: float) -> None:
        self._function: Callable[..., Any] = load_function(name)
        self._name, self._size, self._duration = name, size, duration

    def mean(self, start: float, end: float) -> Floats:
        """Return the function's value in the middle.

        Raises:
            SimulationError: if it is not what it should be.
        """
        time = 0.5 * (start + end)
        if not 0.0 <= time <= self._duration:
            return np.zeros(self._size)
        try:
            value = np.atleast_1d(np.asarray(self._function(time), float))
        except Exception as error:
            raise SimulationError(
                f"push {self._name} failed at {time:.6g} s: {reason(error)}"
            ) from error
        if value.shape != (self._size,) or not np.isfinite(value).all():
            expected = "an effort" if self._size == 1 else "six numbers: force and moment"
            raise SimulationError(
                f"push {self._name} returned {value.tolist()} at {time:.6g} s, expected {expected}"
            )
        return value


def profile_of(table: PushTable) -> Profile:
    """Return how a push goes over time.

    Raises:
        SettingError: if its file is not a table of pushes.
        ValueError: if there is no such function.
    """
    names = WRENCH if table.joint is None else ("effort",)
    duration = np.inf if table.duration is None else table.duration
    if table.file is not None:
        rows = read_table(table.file, ("time",), names)
        return Table(rows["time"], np.column_stack([rows[name] for name in names]), duration)
    if table.function is not None:
        return Function(table.function, len(names), duration)
    zero = (0.0, 0.0, 0.0)
    value = (table.effort,) if table.joint else (*(table.force or zero), *(table.moment or zero))
    return Constant(np.array(value, float), duration)


FrameName = Literal["world", "link"]


@dataclass(frozen=True, slots=True)
class LinkPush:
    """A wrench on a link.

    Attributes:
        name: ``body/link``.
        link: global link.
        point: shape (3,), where the force acts, [m], link frame.
        rotation: shape (3, 3), from the frame that the wrench is given in to the link's; None: it
            is given along the world's axes.
        start: [s].
        profile: force [N] and moment about the point [N m] over time, counted from the start.
    """

    name: str
    link: int
    point: Floats
    rotation: Floats | None
    start: float
    profile: Profile


@dataclass(frozen=True, slots=True)
class JointPush:
    """An effort on a joint.

    Attributes:
        name: ``body/joint``.
        dof: its place among all velocities.
        start: [s].
        profile: [N m or N] over time, counted from the start.
    """

    name: str
    dof: int
    start: float
    profile: Profile


class Pushes:
    """What pushes a world, step by step.

    Attributes:
        names: of the pushes on links that a scene makes, in the order of ``wrenches``:
            ``body/link``; of the same link's second push ``body/link/2``, and so on.
        idle: whether there is nothing to begin or to end in the next step.
        held: how many grips hold a link and will act within the step.
    """

    def __init__(self, world: World, pushes: Sequence[LinkPush | JointPush]) -> None:
        self._world = world
        self._links = tuple(push for push in pushes if isinstance(push, LinkPush))
        self._joints = tuple(push for push in pushes if isinstance(push, JointPush))
        self.names = _numbered([push.name for push in self._links])
        world.reserve_pushes(len(self._links))
        self._added = 0
        self._effort = np.zeros(world.nv)
        self.idle = not pushes
        self.held = 0

    @property
    def scheduled(self) -> bool:
        """Whether the scene makes pushes."""
        return bool(self._links or self._joints)

    @property
    def waiting(self) -> bool:
        """Whether the scene pushes, or Python has asked for something in the next step."""
        return self.scheduled or self._added > 0 or bool(self._effort.any())

    def add(self, link: int, point: Floats, wrench: Floats, frame: FrameName) -> None:
        """Let a wrench act on a link over the next step; several add up.

        Raises:
            SimulationError: if there are more than there is room for.
        """
        arrays, at = self._world.pushes, len(self._links) + self._added
        if at == len(arrays.link):
            raise SimulationError(f"more than {self._added} pushes in one step")
        arrays.link[at], arrays.frame[at] = link, LINK if frame == "link" else WORLD
        arrays.point[at], arrays.wrench[at] = point, wrench
        self._added += 1
        self.idle = False

    def add_effort(self, dof: int, effort: float) -> None:
        """Let an effort act on a dof over the next step; several add up."""
        self._effort[dof] += effort
        self.idle = False

    def begin(self, time: float, dt: float) -> None:
        """Set what acts over the step from ``time`` [s] of length dt [s]."""
        arrays = self._world.pushes
        for at, push in enumerate(self._links):
            arrays.link[at], arrays.point[at] = push.link, push.point
            wrench = push.profile.mean(time - push.start, time + dt - push.start)
            arrays.frame[at] = WORLD if push.rotation is None else LINK
            turned = wrench if push.rotation is None else _turned(push.rotation, wrench)
            arrays.wrench[at] = turned
        arrays.effort[:] = self._effort
        for joint in self._joints:
            mean = joint.profile.mean(time - joint.start, time + dt - joint.start)
            arrays.effort[joint.dof] += mean[0]
        arrays.acting[:] = len(self._links) + self._added, 1

    def act_now(self, link: int, point: Floats, wrench: Floats) -> None:
        """Let a wrench along the world's axes act over the rest of a step that has begun.

        Raises:
            SimulationError: if there are more than there is room for.
        """
        arrays, at = self._world.pushes, int(self._world.pushes.acting[0])
        if at == len(arrays.link):
            raise SimulationError(f"more than {at} pushes and grips in one step")
        arrays.link[at], arrays.frame[at] = link, WORLD
        arrays.point[at], arrays.wrench[at] = point, wrench
        arrays.acting[:] = at + 1, 1
        arrays.held[self._world.topology.link_tree[link]] = 1

    def end(self) -> None:
        """Forget what Python has asked for the step; without pushes of the scene let go of all."""
        self._added = 0
        self._effort[:] = 0.0
        if not self.scheduled:
            self._world.pushes.acting[:] = 0
            self._world.joints.external[:] = 0.0
            self.idle = self.held == 0

    def wrenches(self) -> Floats:
        """Return the scene's pushes on links in the last step, shape (n, 6), [N, N m].

        Along the world's axes, about the points that are pushed, as the links last were evaluated.
        """
        arrays, n = self._world.pushes, len(self._links)
        found = arrays.wrench[:n].copy()
        for i in np.flatnonzero(arrays.frame[:n] == LINK):
            R = self._world.dynamics.pose[arrays.link[i], :9].reshape(3, 3).T
            found[i] = _turned(R, found[i])
        return found


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with a number added from the second time on that one occurs."""
    times = [names[: k + 1].count(name) for k, name in enumerate(names)]
    return tuple(name if n == 1 else f"{name}/{n}" for name, n in zip(names, times, strict=True))


def _turned(rotation: Floats, wrench: Floats) -> Floats:
    return np.concatenate([rotation @ wrench[:3], rotation @ wrench[3:]])


def find_body(world: World, name: str | None) -> int:
    """Return the place of a body by name; None: of the only one there is.

    Raises:
        SettingError: if there is none of that name, or several to choose from.
    """
    names = [body.name for body in world.bodies]
    if name is None:
        if len(names) > 1:
            raise SettingError(f"is missing: there are several bodies ({', '.join(names)})", "body")
        return 0
    if name not in names:
        raise SettingError(f"no body {name!r}{nearest(name, names, 'bodies')}", "body")
    return names.index(name)


def _require(world: World, body: int, what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        told = f"has no {what} {name!r}{nearest(name, names, f'{what}s')}"
        raise SettingError(f"{world.bodies[body].name} {told}", what)


def find_link(world: World, body: int, name: str) -> tuple[int, Pose]:
    """Return the global link that carries a named frame, and the frame's pose in it.

    Raises:
        SettingError: if the body has none of that name.
    """
    frames = world.bodies[body].model.frames
    _require(world, body, "link", name, frames)
    frame = frames[name]
    return int(world.topology.tree_link[body]) + frame.link, Pose(frame.rotation, frame.translation)


def find_joint(world: World, body: int, name: str) -> int:
    """Return the dof of a joint among all velocities.

    Raises:
        SettingError: if the body has none of that name.
    """
    joints = world.bodies[body].model.joint_names
    _require(world, body, "joint", name, joints)
    return int(world.joint_slice(body).start) + joints.index(name)


def pushes_of(scene: Scene, world: World) -> Iterator[LinkPush | JointPush]:
    """Yield the pushes of a scene.

    Raises:
        SceneError: if something in one does not exist; names the key.
    """
    for number, table in enumerate(scene.pushes):
        try:
            yield push_of(table, world)
        except SettingError as error:
            raise scene.error(error.reason, "pushes", number, *error.path) from error


def push_of(table: PushTable, world: World) -> LinkPush | JointPush:
    """Return the push that a scene's table describes.

    Raises:
        SettingError: if something in it does not exist; names the key.
    """
    index = find_body(world, table.body)
    body: Body = world.bodies[index]
    try:
        profile = profile_of(table)
    except ValueError as error:
        raise SettingError(str(error), "function") from error
    if table.joint is not None:
        dof = find_joint(world, index, table.joint)
        return JointPush(f"{body.name}/{table.joint}", dof, table.start, profile)
    assert table.link is not None
    link, frame = find_link(world, index, table.link)
    point = frame.apply(np.array(table.point, float))
    rotation = frame.rotation if table.frame == "link" else None
    return LinkPush(f"{body.name}/{table.link}", link, point, rotation, table.start, profile)


def push_link(
    pushes: Pushes, world: World, path: str, numbers: Sequence[Any], frame: FrameName
) -> None:
    """Let a wrench act on a link over the next step.

    Args:
        pushes: to which it is added.
        world: whose link it is.
        path: ``link`` or ``body/link``.
        numbers: force [N], moment [N m] and point [m, the link's frame], three each.
        frame: along whose axes force and moment are given.

    Raises:
        SimulationError: if there is no such link, or the numbers are not finite.
    """
    force, moment, point = (
        sized(values, 3, f"push: {name}")
        for name, values in zip(("force", "moment", "point"), numbers, strict=True)
    )
    body, name = _split(path)
    if frame not in get_args(FrameName):
        raise SimulationError(f"push: frame must be 'world' or 'link', got {frame!r}")
    try:
        link, pose = find_link(world, find_body(world, body), name)
    except SettingError as error:
        raise SimulationError(f"push {path!r}: {error.reason}") from error
    if frame == "link":
        force, moment = pose.rotation @ force, pose.rotation @ moment
    pushes.add(link, pose.apply(point), np.concatenate([force, moment]), frame)


def push_joint(pushes: Pushes, world: World, path: str, effort: float) -> None:
    """Let an effort [N m or N] act on a joint, ``joint`` or ``body/joint``, over the next step.

    Raises:
        SimulationError: if there is no such joint, or the effort is not finite.
    """
    body, name = _split(path)
    try:
        dof = find_joint(world, find_body(world, body), name)
    except SettingError as error:
        raise SimulationError(f"push_joint {path!r}: {error.reason}") from error
    pushes.add_effort(dof, float(sized([effort], 1, "push_joint: effort")[0]))


def _split(path: str) -> tuple[str | None, str]:
    """Return the body's name, None if none is given, and what of it is meant."""
    body, slash, name = str(path).partition("/")
    return (body, name) if slash else (None, str(path))
