"""Test objects of interactions: a ball that a hand reaches without a simulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from footfall.api.advanced import HandPlan, Interaction, Sphere, Variable
from footfall.api.engine import Pose
from footfall.api.plugin import Floats, SettingError
from footfall.api.viewer import InputDevice, Reading
from footfall.api.world import Terrain
from footfall.testing.check import Subject
from footfall_check.kit.bench import Slope
from footfall_stepper.api import Layout, coal_geometry

LINK = "ball/object"
HEIGHT, RADIUS, DT = 1.0, 0.1, 1e-3
"""Height of the ball's centre [m], its radius [m], length of a step [s]."""


class Told(InputDevice):
    """A device with preset readings; counts how often it was opened and closed."""

    name, live = "told", False
    reading: Reading | None = None
    opened = closed = 0

    def open(self) -> None:
        """Count."""
        self.opened += 1

    def close(self) -> None:
        """Count."""
        self.closed += 1

    def read(self, time: float) -> Reading | None:
        """Return the preset reading."""
        return self.reading


class BallReach:
    """A fixed ball of 1 kg, unmoved by any wrench, as a ``Reach``.

    Attributes:
        wrenches: the applied wrenches.
        held: last argument of ``hold``.
    """

    def __init__(self, sizes: dict[str, int], variables: Sequence[Variable]) -> None:
        self.layout, self.links = Layout(tuple(variables)), (LINK,)
        self.poses = np.concatenate([np.eye(3).ravel(), [0.0, 0.0, HEIGHT]])[None]
        self.terrain: Terrain = Slope()
        self.time, self.time_step, self.makes_steps = 0.0, DT, True
        self.kept = {name: np.zeros(size) for name, size in sizes.items()}
        self.wrenches: list[Floats] = []
        self.held = 0

    def memory(self, hand: str) -> Floats | None:
        """Return the part of the state of a hand."""
        return self.kept.get(hand)

    def shapes(self) -> Iterator[tuple[int, Pose, Any]]:
        """Yield the ball."""
        yield 0, Pose(np.eye(3), np.zeros(3)), coal_geometry(Sphere(RADIUS))

    def body_mass(self, link: int) -> float:
        """Return the mass of the ball."""
        return 1.0

    def find_link(self, path: str) -> tuple[int, Pose]:
        """Return the ball; only its own name is accepted."""
        if path not in (LINK, "object"):
            raise SettingError(f"ball has no link {path!r}", "link")
        return 0, Pose(np.eye(3), np.zeros(3))

    def point_motion(self, link: int, point: Floats, out: Floats) -> None:
        """Write the motion of a resting point, and its response to a force."""
        out[:] = 0.0
        out[0, :3] = point + self.poses[0, 9:]
        out[2:] = np.diag([1.0, 1.0, 1.0, 250.0, 250.0, 250.0])

    def act(self, link: int, point: Floats, wrench: Floats, dt: float) -> None:
        """Store the wrench."""
        self.wrenches.append(np.array(wrench))

    def carry(self, link: int, twist: Floats) -> bool:
        """Refuse: forces move the ball."""
        return False

    def hold(self, count: int) -> None:
        """Store the number of wrenches."""
        self.held = count


class Reached:
    """An interaction with one hand on the ball."""

    def __init__(self, subject: Subject) -> None:
        self.device = Told()
        self.made: Interaction = subject.cls([HandPlan("right", self.device, subject.config)])
        self.reach = BallReach(dict(self.made.memory_sizes), self.made.variables((LINK,)))
        self.made.connect(self.reach)
        self.row = np.zeros(self.reach.layout.width)

    def close_on_ball(self, height: float) -> None:
        """Close the hand on the ball's centre, ``height`` above it [m]."""
        where = np.array([0.0, 0.0, HEIGHT + height])
        self.device.reading = Reading(True, where, link=LINK, point=np.zeros(3))

    def step(self) -> None:
        """Make the calls of a step."""
        reach = self.reach
        self.made.begin(reach.time)
        if reach.held:
            self.made.pull(DT)
        self.made.end(reach.time, self.row)
        reach.time += DT
