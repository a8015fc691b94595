"""External forces: wrenches on links and efforts on joints, from the scene and from Python.

The strength of a push over time enters a step as its mean over the step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np

from footfall.config.csv_table import read_table
from footfall.config.fields import load_function
from footfall.config.validate import sized
from footfall.errors import SettingError, SimulationError, error_line, nearest
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage, Stages
from footfall.jit.tables import allocated, table_of
from footfall.recording.layout import Layout
from footfall.recording.variables import Column, first_entries
from footfall.scene.external_forces import PushTable
from footfall.scene.scene import Scene
from footfall.simulator.simulator import FrameName
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.devices.part_names import full_name
from footfall_stepper.kernels.dynamics.external_forces import begin_pushes, end_pushes
from footfall_stepper.world.step_arrays import ScheduleArrays, WrenchFrame, WrenchSource
from footfall_stepper.world.world import World

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


class UserFunction:
    """A user's function that gives a wrench or an effort, for a duration from a start."""

    def __init__(self, table: PushTable, size: int) -> None:
        assert table.function is not None
        self._function: Callable[..., Any] = load_function(table.function)
        self._name, self._size, self._start = table.function, size, table.start
        self._duration = np.inf if table.duration is None else table.duration

    def write(self, push: Push, out: Floats, time: float, dt: float) -> None:
        """Write the value of a push at the middle of a step from ``time`` [s] of length dt [s].

        Raises:
            SimulationError: if the function fails or returns a wrong value.
        """
        middle = 0.5 * ((time - self._start) + (time + dt - self._start))
        out[:] = 0.0
        if 0.0 <= middle <= self._duration:
            out[:] = push.six(self._value(middle)[None])[0]

    def _value(self, time: float) -> Floats:
        try:
            value = np.atleast_1d(np.asarray(self._function(time), float))
        except Exception as error:
            raise SimulationError(
                f"push {self._name} failed at {time:.6g} s: {error_line(error)}"
            ) from error
        if value.shape != (self._size,) or not np.isfinite(value).all():
            expected = "an effort" if self._size == 1 else "six numbers: force and moment"
            raise SimulationError(
                f"push {self._name} returned {value.tolist()} at {time:.6g} s, expected {expected}"
            )
        return value


@dataclass(frozen=True, slots=True)
class Push:
    """A wrench on a link, or an effort on a joint.

    Attributes:
        name: ``body/link`` or ``body/joint``.
        link: global link; -1 for a push on a joint.
        dof: index of the joint among all velocities.
        start: [s].
        duration: the push ends after this time, [s].
        time: shape (rows,), since the start, [s]. One row holds for the whole duration; several
            are interpolated linearly, and the push is zero outside them.
        values: shape (rows, 6), force [N] and moment about the point [N m]; or (rows, 1), effort.
        function: user's function that gives the value at the middle of each step; None: use rows.
        point: shape (3,), point of application, [m], link frame.
        rotation: shape (3, 3), from the frame of the given wrench to the link's; None: world
            axes.
    """

    name: str
    link: int
    dof: int
    start: float
    duration: float
    time: Floats
    values: Floats
    function: UserFunction | None
    point: Floats
    rotation: Floats | None

    def six(self, values: Floats) -> Floats:
        """Return values with six components, shape (rows, 6), in the frame in which they act."""
        if self.link < 0:
            return np.pad(values, ((0, 0), (0, 5)))
        R = np.eye(3) if self.rotation is None else self.rotation
        return np.hstack([values[:, :3] @ R.T, values[:, 3:] @ R.T])

    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Return times, values with six components and their integrals up to each row."""
        value = self.six(self.values)
        steps = 0.5 * np.diff(self.time)[:, None] * (value[1:] + value[:-1])
        return self.time, value, np.concatenate([np.zeros((1, 6)), np.cumsum(steps, axis=0)])


class Pushes:
    """The pushes on a world, step by step.

    Attributes:
        names: of the scene's pushes on links, in recorded order: ``body/link``; a second push
            on the same link is ``body/link/2``, and so on.
        scheduled: whether the scene has pushes.
        plan: the schedule, and Python's requests for the next step.
        end: clears Python's requests for the step with this row.
    """

    def __init__(self, world: World, pushes: Sequence[Push]) -> None:
        self._world, self.scheduled = world, bool(pushes)
        links = [push for push in pushes if push.link >= 0]
        self._all = (*links, *(push for push in pushes if push.link < 0))
        self.names = _numbered([push.name for push in links])
        world.reserve_pushes(len(links))
        for at, push in enumerate(links):
            world.pushes.link[at], world.pushes.point[at] = push.link, push.point
            world.pushes.frame[at] = (
                WrenchFrame.WORLD if push.rotation is None else WrenchFrame.LINK
            )
        ordered, nothing = self._all, (np.zeros(0), np.zeros((0, 6)), np.zeros((0, 6)))
        rows = [nothing, *(push.rows() for push in ordered)]
        time, value, integral = (np.concatenate(part) for part in zip(*rows, strict=True))
        self.plan = allocated(
            ScheduleArrays,
            world.nv,
            dof=np.array([push.dof for push in ordered[len(links) :]], np.int64),
            start=np.array([push.start for push in ordered], np.float64),
            duration=np.array([push.duration for push in ordered], np.float64),
            first=np.cumsum([len(part[0]) for part in rows]).astype(np.int64),
            time=time,
            value=value,
            integral=integral,
            wrenches=np.array([len(links), 0], np.int64),
            place=np.array([-1, -1], np.int64),
        )

    def stages(self, program: Stages, layout: Layout) -> tuple[list[Stage], list[Stage]]:
        """Return the stages that begin and end the pushes of a step."""
        plan, world = self.plan, self._world
        plan.place[:] = first_entries(layout)[[Column.PUSH_WRENCH, Column.EXTERNAL_FORCE]]
        table, of_world = table_of(plan, world.pushes), table_of(world.joints, world.dynamics)
        self.end = bind(end_pushes, table, of_world, like=(np.zeros(1),))
        now = program.time, program.length
        functions = [
            program.stage(partial(push.function.write, push, plan.value[plan.first[k]]), *now)
            for k, push in enumerate(self._all)
            if push.function is not None
        ]
        begin = bind(begin_pushes, table, like=(0.0, 0.0))
        begun = [*functions, program.stage(begin, *now)]
        return begun, [program.stage(self.end, program.row)]

    @property
    def waiting(self) -> bool:
        """Whether Python has requested a push for the next step."""
        return bool(self.plan.wrenches[WrenchSource.ADDED] or self.plan.asked.any())

    def add(self, link: int, point: Floats, wrench: Floats, frame: FrameName) -> None:
        """Apply a wrench to a link over the next step; several add up.

        Raises:
            SimulationError: if there are too many.
        """
        arrays, count = self._world.pushes, self.plan.wrenches
        at = int(count.sum())
        if at == len(arrays.link):
            raise SimulationError(f"more than {count[WrenchSource.ADDED]} pushes in one step")
        arrays.link[at], arrays.frame[at] = (
            link,
            WrenchFrame.LINK if frame == "link" else WrenchFrame.WORLD,
        )
        arrays.point[at], arrays.wrench[at] = point, wrench
        count[WrenchSource.ADDED] += 1

    def add_effort(self, dof: int, effort: float) -> None:
        """Apply an effort to a dof over the next step; several add up."""
        self.plan.asked[dof] += effort

    def act_now(self, link: int, point: Floats, wrench: Floats) -> None:
        """Apply a wrench in world axes over the rest of a step that has begun.

        Raises:
            SimulationError: if there are too many.
        """
        arrays, at = self._world.pushes, int(self._world.pushes.acting[0])
        if at == len(arrays.link):
            raise SimulationError(f"more than {at} pushes and grips in one step")
        arrays.link[at], arrays.frame[at] = link, WrenchFrame.WORLD
        arrays.point[at], arrays.wrench[at] = point, wrench
        arrays.acting[:2] = at + 1, 1
        arrays.held[self._world.topology.link_tree[link]] = 1


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names; a repeated name gets a number from its second occurrence on."""
    times = [names[: k + 1].count(name) for k, name in enumerate(names)]
    return tuple(name if n == 1 else f"{name}/{n}" for name, n in zip(names, times, strict=True))


def find_body(world: World, name: str | None) -> int:
    """Return the index of a body by name; None: of the only body.

    Raises:
        SettingError: if there is no such body, or None is given and there are several.
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
    if not isinstance(name, str) or name not in names:
        told = f"has no {what} {name!r}{nearest(name, names, f'{what}s')}"
        raise SettingError(f"{world.bodies[body].name} {told}", what)


def find_link(world: World, body: int, name: str) -> tuple[int, Pose]:
    """Return the global link that carries a named frame, and the frame's pose in it.

    Raises:
        SettingError: if the body has no frame of that name.
    """
    frames = world.bodies[body].model.frames
    _require(world, body, "link", name, frames)
    frame = frames[name]
    return int(world.topology.tree_link[body]) + frame.link, Pose(frame.rotation, frame.translation)


def find_joint(world: World, body: int, name: str) -> int:
    """Return the dof of a joint among all velocities.

    Raises:
        SettingError: if the body has no joint of that name.
    """
    joints = world.bodies[body].model.joint_names
    _require(world, body, "joint", name, joints)
    return int(world.joint_slice(body).start) + joints.index(name)


def _refuse_prescribed(world: World, body: int) -> None:
    """Reject a push on a body that nothing pushes.

    Raises:
        SettingError: if the motion of the body is prescribed.
    """
    if world.bodies[body].prescribed:
        name = world.bodies[body].name
        raise SettingError(f"has no effect: the motion of {name} is prescribed", "link")


def pushes_of(scene: Scene, world: World) -> Iterator[Push]:
    """Yield the pushes of a scene.

    Raises:
        SceneError: if a push names something that does not exist; names the key.
    """
    for number, table in enumerate(scene.pushes):
        try:
            yield push_of(table, world)
        except SettingError as error:
            raise scene.error(error.reason, "pushes", number, *error.path) from error


def push_of(table: PushTable, world: World) -> Push:
    """Return the push that a scene's table describes.

    Raises:
        SettingError: if it names something that does not exist, or its file is not a table of
            pushes.
    """
    index, names = find_body(world, table.body), WRENCH if table.joint is None else ("effort",)
    name = f"{world.bodies[index].name}/{table.joint or table.link}"
    link, dof, point, rotation, function = -1, 0, np.zeros(3), None, None
    if table.joint is not None:
        dof = find_joint(world, index, table.joint)
    else:
        assert table.link is not None
        _refuse_prescribed(world, index)
        link, frame = find_link(world, index, table.link)
        point = frame.apply(np.array(table.point, float))
        rotation = frame.rotation if table.frame == "link" else None
    start, duration = table.start, np.inf if table.duration is None else table.duration
    zero, time = (0.0, 0.0, 0.0), np.zeros(1)
    value = (table.effort,) if table.joint else (*(table.force or zero), *(table.moment or zero))
    values = np.array([value], float)
    if table.file is not None:
        rows = read_table(table.file, ("time",), names)
        time, values = rows["time"], np.column_stack([rows[n] for n in names])
    elif table.function is not None:
        try:
            function = UserFunction(table, len(names))
        except ValueError as error:
            raise SettingError(str(error), "function") from error
        start, duration, values = 0.0, np.inf, np.zeros((1, len(names)))
    return Push(name, link, dof, start, duration, time, values, function, point, rotation)


def push_link(
    pushes: Pushes, world: World, path: str, numbers: Sequence[Any], frame: FrameName
) -> None:
    """Apply a wrench to a link over the next step.

    Args:
        pushes: the pushes it is added to.
        world: the world of the link.
        path: ``link`` or ``body/link``.
        numbers: force [N], moment [N m] and point [m, the link's frame], three each.
        frame: axes of force and moment, ``world`` or ``link``.

    Raises:
        SimulationError: if there is no such link, or the numbers are not finite.
    """
    force, moment, point = (
        sized(values, 3, f"push: {name}")
        for name, values in zip(("force", "moment", "point"), numbers, strict=True)
    )
    if not isinstance(frame, str) or frame not in get_args(FrameName):
        raise SimulationError(f"push: frame must be 'world' or 'link', got {frame!r}")
    try:
        link, pose = find_frame(world, path)
        _refuse_prescribed(world, int(world.topology.link_tree[link]))
    except SettingError as error:
        raise SimulationError(f"push {path!r}: {error.reason}") from error
    if frame == "link":
        force, moment = pose.rotation @ force, pose.rotation @ moment
    pushes.add(link, pose.apply(point), np.concatenate([force, moment]), frame)


def push_joint(pushes: Pushes, world: World, path: str, effort: float) -> None:
    """Apply an effort [N m or N] to a joint, ``joint`` or ``body/joint``, over the next step.

    Raises:
        SimulationError: if there is no such joint, or the effort is not finite.
    """
    try:
        body, name = _split(world, path, "joint")
        dof = find_joint(world, find_body(world, body), name)
    except SettingError as error:
        raise SimulationError(f"push_joint {path!r}: {error.reason}") from error
    pushes.add_effort(dof, float(sized([effort], 1, "push_joint: effort")[0]))


def find_frame(world: World, path: str) -> tuple[int, Pose]:
    """Return the link that carries a frame, ``body/frame`` or the only ``frame``, and its pose.

    Raises:
        SettingError: if there is no such frame, or several; offers the nearest.
    """
    body, name = _split(world, path, "link")
    return find_link(world, find_body(world, body), name)


def _split(world: World, path: str, what: str) -> tuple[str | None, str]:
    """Return the name of a body, None for the only one, and the name of its link or joint."""
    path = str(path)
    if "/" not in path:
        if len(world.bodies) == 1:
            return None, path
        models = [(body.name, body.model) for body in world.bodies]
        of = [(n, m.frames if what == "link" else m.joint_names) for n, m in models]
        path = full_name(path, (f"{body}/{part}" for body, parts in of for part in parts), what)
    body, _, name = path.partition("/")
    return body, name
