"""Contacts of what moves fast: located before it has passed through, as impacts of the step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain, TerrainSample
from footfall.jit.compiling import bind
from footfall.jit.stages import LateStage, Stage
from footfall.jit.tables import Table
from footfall.typing import Floats, Ints
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.kernels.motion import displace
from footfall_stepper.collision.swept import MOST_IN_STEP, SLOW, TOUCH, Hit, LinkMotion
from footfall_stepper.kernels.contact.declared import fast_points
from footfall_stepper.kernels.step.program import Phase
from footfall_stepper.stepping.link_motion import predicted_motion
from footfall_stepper.stepping.program import Part, StepProgram
from footfall_stepper.stepping.settings import StepSettings
from footfall_stepper.world.step_arrays import Monitor, StepFigure
from footfall_stepper.world.world import World

FAR = 0.02
"""Motion in a step from which declared points are swept, [m]: feet at 4 m/s move less in 5 ms."""
PACE = 0.005
"""Motion of a point between two looks at the ground, [m]."""
MOST_LOOKS = 10_000
"""Largest number of looks at the ground in a step."""
MOST_HITS = 32
"""Largest number of swept impacts of a pair in a step."""
MOST_TOLD = 100
"""Largest number of missed impacts that are remembered."""

Test = Callable[[float], int]
"""Returns a positive number if something may pass through in a time [s]."""


class Missed(NamedTuple):
    """An impact of fast bodies that was left to chance.

    Attributes:
        time: [s].
        names: of the two shapes, or of a contact point and the ground.
        speed: of approach, [m/s]; NaN if the search was given up.
        cause: in words.
    """

    time: float
    names: tuple[str, str]
    speed: float
    cause: str


class SweptContacts:
    """Finds the first impact of what moves too fast for the contacts of a step's start.

    A compiled test of speeds against thickness comes first; Python locates the impact.

    Attributes:
        missed: impacts that were found, but cannot be resolved.

    Args:
        world: shapes and declared points.
        terrain: the ground.
        settings: of the step.
        monitor: receives the time of the impact.
        cause: why steps cannot be split at impacts; empty if they can.
    """

    def __init__(
        self, world: World, terrain: Terrain, settings: StepSettings, monitor: Monitor, cause: str
    ) -> None:
        self.missed: list[Missed] = []
        self._world, self._terrain, self._settings = world, terrain, settings
        self._figures, self._cause, self._count = monitor.step, cause, Counter[tuple[str, str]]()
        self._left_out: set[tuple[str, str]] = set()
        self._looks = MOST_LOOKS
        detector = None if world.collider is None else world.collider.detector
        self._pairs: Test = _none
        self._points: Test = _none
        if isinstance(detector, Detector):
            dynamics = world.dynamics
            self._sweep, self._pairs = detector.sweep(dynamics.twist, dynamics.free_twist)
            self._left_out = self._sweep.left_out
        curved = Capability.CURVED_TERRAIN in terrain.capabilities
        self._curved = curved and len(world.candidates.link) > 0

    def bind(self, table: Table) -> None:
        """Bind the kernel of declared points to the table of the world's arrays."""
        if self._curved:
            self._points = bind(fast_points, table, FAR * self._world.metre, like=(0.0,))

    def parts(self, program: StepProgram) -> list[Part]:
        """Return the stages: the tests, and the search that they request."""
        tests: list[Stage] = []
        for test in (self._pairs, self._points):
            if test is not _none:
                tests.append(program.stage(test, program.part))
        search = LateStage()
        search.make(lambda: self._search, program.time, program.part, program.first)
        found = [search.stage] if tests else []
        title = "collision detection"
        return [(Phase.SWEEP, title, tests), (Phase.SWEEP_ON, title, found)]

    def _search(self, time: float, length: float, first: int) -> None:
        """Note the first impact within ``length`` [s], if there is one, as the step's next."""
        if first:
            self._count.clear()
            self._left_out.clear()
            self._looks = MOST_LOOKS
            if self._pairs is not _none:
                self._sweep.left = MOST_IN_STEP
        figures = self._figures
        while hits := sorted(self._found(time, length)):
            at = hits[0]
            if at.time >= figures[StepFigure.NEXT_IMPACT]:
                return
            cause = self._cause
            if not at.found:
                cause = "they move or turn too far in a step to be followed"
            elif self._count[at.names] == MOST_HITS:
                cause = f"they meet more than {MOST_HITS} times in a step"
            if not cause:
                self._count[at.names] += 1
                figures[StepFigure.NEXT_IMPACT], figures[StepFigure.IMPACT_SPEED] = (
                    at.time,
                    at.speed,
                )
                figures[StepFigure.IMPACT_BOUNCES], figures[StepFigure.SWEPT] = 0.0, 1.0
                return
            self._left_out.add(at.names)
            if len(self.missed) < MOST_TOLD:
                self.missed.append(Missed(time + at.time, at.names, at.speed, cause))

    def _found(self, time: float, length: float) -> Iterator[Hit]:
        world = self._world

        @cache
        def motion(link: int) -> LinkMotion:
            return predicted_motion(world.topology, world.dynamics, link, length)

        n = self._pairs(length)
        if n and self._sweep.reserve(n):
            n = self._pairs(length)
        if n:
            yield from self._sweep.hits(n, motion, length, self._settings.time_step)
        if self._points(length):
            yield from self._hits_of_points(time, length, motion)

    def _hits_of_points(
        self, time: float, length: float, motion: Callable[[int], LinkMotion]
    ) -> Iterator[Hit]:
        """Yield the first hits of declared points, which are looked at after every ``PACE``."""
        candidates, twist = self._world.candidates, self._world.dynamics.twist
        far, pace, touch = (size * self._world.metre for size in (FAR, PACE, TOUCH))
        links, fast = candidates.link, SLOW * far / self._settings.time_step
        v = twist[links, :3] + np.cross(twist[links, 3:], candidates.position)
        moved = length * np.linalg.norm(v, axis=1)
        some = np.flatnonzero(moved > far)
        gaps = self._gaps(time, some, [motion(int(link)) for link in links[some]])
        level, before = np.minimum(gaps(0.0), 0.0) - touch, 0.0
        looks = int(min(np.ceil(moved.max() / pace), self._looks))
        self._looks -= looks
        if self._looks == 0:
            k = int(np.argmax(moved))
            names = self._world.contact_names[k], "the ground"
            if names not in self._left_out:
                yield Hit(0.0, np.nan, names, found=False)
            return
        for t in np.linspace(0.0, length, looks + 1)[1:].tolist():
            now = gaps(t)
            for k in np.flatnonzero(now < level).tolist():
                low, high, little = before, t, 1e-4 * length
                while high - low > 1e-9 * length:
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if gaps(middle)[k] < level[k] else (middle, high)
                speed = float((gaps(high - little) - gaps(high + little))[k]) / (2.0 * little)
                names = self._world.contact_names[some[k]], "the ground"
                if speed > fast and names not in self._left_out:
                    yield Hit(high, speed, names)
            level, before = np.minimum(level, now), t

    def _gaps(
        self, time: float, some: Ints, motions: list[LinkMotion]
    ) -> Callable[[float], Floats]:
        """Return a function that returns the gaps of some points after they have moved."""
        candidates = self._world.candidates
        start, radius = candidates.query[some].copy(), candidates.radius[some]
        sample = TerrainSample.allocate(len(some))
        self._terrain.prepare(sample)
        rows, points = np.array([motion.rows for motion in motions]), np.zeros_like(start)
        move = bind(displace, like=(rows, start, 0.0, points))
        look = self._terrain.bound(points, sample)

        def gaps(t: float) -> Floats:
            move(rows, start, t, points)
            look(time + t)
            gap: Floats = sample.gap - radius
            return gap

        return gaps


def _none(length: float) -> int:
    """Return that nothing is fast."""
    return 0
