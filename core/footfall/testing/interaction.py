"""The checks of interactions, on a ball that hands reach without a simulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from footfall.collision.coal_pairs import coal_geometry
from footfall.errors import SettingError
from footfall.geometry.shapes import Sphere
from footfall.interfaces.input_device import InputDevice, Reading
from footfall.interfaces.interaction import HandPlan
from footfall.interfaces.terrain import Terrain
from footfall.recording.layout import Layout, Variable
from footfall.spatial.pose import Pose
from footfall.testing.bench import Slope
from footfall.testing.check import Finding, Subject, checks_of
from footfall.testing.declarations import declarations
from footfall.typing import Floats

LINK = "ball/object"
HEIGHT, RADIUS, DT = 1.0, 0.1, 1e-3
"""Of the ball's middle [m], of the ball [m], of a step [s]."""


class Told(InputDevice):
    """A device that says what it is told; counts how often it was opened and closed."""

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
        """Say what it was told."""
        return self.reading


class BallReach:
    """A ball of 1 kg that stays where it is, whatever acts on it, as ``Reach`` says.

    Attributes:
        wrenches: that have acted.
        held: what ``hold`` was last told.
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
        """Return what a hand keeps."""
        return self.kept.get(hand)

    def shapes(self) -> Iterator[tuple[int, Pose, Any]]:
        """Yield the ball."""
        yield 0, Pose(np.eye(3), np.zeros(3)), coal_geometry(Sphere(RADIUS))

    def body_mass(self, link: int) -> float:
        """Return that of the ball."""
        return 1.0

    def find_link(self, path: str) -> tuple[int, Pose]:
        """Return the ball, by its own name alone."""
        if path not in (LINK, "object"):
            raise SettingError(f"ball has no link {path!r}", "link")
        return 0, Pose(np.eye(3), np.zeros(3))

    def point_motion(self, link: int, point: Floats, out: Floats) -> None:
        """Write that the point rests, and what a force in it does."""
        out[:] = 0.0
        out[0, :3] = point + self.poses[0, 9:]
        out[2:] = np.diag([1.0, 1.0, 1.0, 250.0, 250.0, 250.0])

    def act(self, link: int, point: Floats, wrench: Floats, dt: float) -> None:
        """Note the wrench."""
        self.wrenches.append(np.array(wrench))

    def hold(self, count: int) -> None:
        """Note how many there may be."""
        self.held = count


class Reached:
    """An interaction with one hand on the ball."""

    def __init__(self, subject: Subject) -> None:
        self.device = Told()
        self.made: Any = subject.cls([HandPlan("right", self.device, subject.config)])
        self.reach = BallReach(dict(self.made.memory_sizes), self.made.variables((LINK,)))
        self.made.connect(self.reach)
        self.row = np.zeros(self.reach.layout.width)

    def close_on_ball(self, height: float) -> None:
        """Close the hand on the ball's middle, that far above where it is [m]."""
        where = np.array([0.0, 0.0, HEIGHT + height])
        self.device.reading = Reading(True, where, link=LINK, point=np.zeros(3))

    def step(self) -> None:
        """Call what a step calls."""
        reach = self.reach
        self.made.begin(reach.time)
        if reach.held:
            self.made.pull(DT)
        self.made.end(reach.time, self.row)
        reach.time += DT


def records(subject: Subject) -> Finding:
    """Each variable has a name of its own, and each dimension names as long as it."""
    made = Reached(subject).made
    variables, labels = made.variables((LINK,)), {"axis": "xyz", **made.labels}
    names = [variable.name for variable in variables]
    wrong = [name for name in names if names.count(name) > 1]
    for variable in variables:
        for dim, size in zip(variable.dims, variable.shape, strict=True):
            if len(labels.get(dim, ())) != size:
                wrong.append(f"{variable.name} along {dim}")
    return Finding(not wrong, ", ".join(wrong) or f"{len(names)} variables")


def opens_and_closes(subject: Subject) -> Finding:
    """Devices are opened once, however often it is asked; closing twice does no harm."""
    reached = Reached(subject)
    for call in ("open", "open", "close", "close"):
        getattr(reached.made, call)()
    told = f"opened {reached.device.opened} times, closed {reached.device.closed} times"
    return Finding(reached.device.opened == reached.device.closed == 1, told)


def open_hand(subject: Subject) -> Finding:
    """A hand that is open, or has no device in it, lets nothing act."""
    reached = Reached(subject)
    reached.made.open()
    reached.step()
    reached.close_on_ball(0.1)
    assert reached.device.reading is not None
    reached.device.reading = Reading(False, reached.device.reading.position)
    reached.step()
    count = len(reached.reach.wrenches)
    return Finding(count == 0 and reached.reach.held == 0, f"{count} wrenches")


def finite(subject: Subject) -> Finding:
    """What acts is six finite numbers; a hand that opens again lets go."""
    reached = Reached(subject)
    reached.made.open()
    for height in (0.0, 0.05, 0.1):
        reached.close_on_ball(height)
        reached.step()
    wrenches = reached.reach.wrenches
    sound = all(w.shape == (6,) and bool(np.isfinite(w).all()) for w in wrenches)
    reached.device.reading = None
    reached.step()
    told = f"{len(wrenches)} wrenches, {reached.reach.held} held after it has opened"
    return Finding(sound and reached.reach.held == 0, told)


def goes_on(subject: Subject) -> Finding:
    """From what is kept in the state another object goes on with the same bits."""
    one, other = Reached(subject), Reached(subject)
    for reached in (one, other):
        reached.made.open()
    for height in (0.0, 0.05, 0.07, 0.1):
        if height == 0.1:
            for name, kept in one.reach.kept.items():
                other.reach.kept[name][:] = kept
            other.reach.time = one.reach.time
            one.reach.wrenches.clear()
        one.close_on_ball(height)
        one.step()
    other.close_on_ball(0.1)
    other.step()
    mine, theirs = (np.array(r.reach.wrenches).tobytes() for r in (one, other))
    return Finding(mine == theirs, f"{len(one.reach.wrenches)} wrenches of the step after")


CHECKS = checks_of(
    "interaction", declarations, records, opens_and_closes, open_hand, finite, goes_on
)
