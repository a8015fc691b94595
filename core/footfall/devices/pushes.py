"""Pushes: external wrenches on links and efforts on joints, from the scene and from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from footfall.devices.push_profile import Profile
from footfall.errors import SimulationError
from footfall.typing import Floats
from footfall.world.push_arrays import LINK, WORLD
from footfall.world.world import World

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
