"""Guests: other simulators that make the steps of the stepper's world.

A guest takes positions, velocities, torques and forces in each step, makes its own step, and gives
back the motion and the impulses. Controllers, sensors, hands and the recording stay the stepper's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.interfaces.contact import Claims, ImpulseLaw, LawState
from footfall.interfaces.plugin import StatePart
from footfall.jit.tables import allocated
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats, Floats1, Floats2, Ints1
from footfall_stepper.world.collider import ContactDetector


class Rows(NamedTuple):
    """Contacts in the order of their keys; all but ``tag`` as in ``FoundRows``.

    ``tag`` is the guest's own: the number of each contact there.
    """

    key: Ints1
    geometry_a: Ints1
    geometry_b: Ints1
    link_a: Ints1
    link_b: Ints1
    position: Floats2
    normal: Floats2
    gap: Floats1
    tag: Ints1


class FoundContacts:
    """Contacts that a guest's detector has found, kept from call to call.

    Attributes:
        arrays: of ``Rows``, longer than there are contacts.
        n: number of contacts.
        version: goes up by one whenever the arrays are replaced.
    """

    ROOM: ClassVar = 64

    def __init__(self) -> None:
        self.n, self.version, self.arrays = 0, 0, allocated(Rows, self.ROOM)

    def take(self, **found: Any) -> None:
        """Overwrite the contacts with arrays of equal length by the names of ``Rows``."""
        order = np.argsort(found["key"])
        self.n = len(order)
        if self.n > len(self.arrays.key):
            self.version, self.arrays = self.version + 1, allocated(Rows, 2 * self.n)
        for name, array in self.arrays._asdict().items():
            array[: self.n] = found[name][order]


class Guest(ABC):
    """Another simulator, ready to make the steps of one world.

    In each step ``step`` takes positions and velocities from where ``connect`` has shown them, and
    the torques, gains and external forces from the world's ``joints``; the other simulator makes
    one step; then ``problem.impulse``, ``q``, ``v`` and ``v_new`` are overwritten. The recorded
    residuals measure those impulses at the velocity of the end of the step, ``u = u+``; the guest
    sets ``problem.offset`` to ``max(gap, 0) / dt`` for that, so that a gap may close.

    Contacts of the problem are those of the state at the start of the step. Every contact of the
    other simulator must be one of them: ``margin`` lets declared points in before they touch, and
    ``detector`` finds the others.

    Attributes:
        name: by which a scene chooses the simulator.
        state_parts: parts of the state that it owns.
        detector: finds contacts of shapes as the other simulator does, instead of the scene's own
            detector; None if nothing looks for any. ``FoundContacts`` hold its contacts.
        inside: processor time that the other simulator took for the last step, [s].
        q: shape (nq,), positions at the end of the step.
        v: shape (nv,), velocities there, of a floating base in the axes of the base at the end.
        v_new: shape (nv,), the same in the axes of the base at the start.
    """

    name: ClassVar[str]
    state_parts: tuple[StatePart, ...] = ()
    detector: ContactDetector | None = None
    inside: float = 0.0
    q: Floats
    v: Floats
    v_new: Floats

    GIVES: ClassVar = 1e-9
    """Least compliance assumed of its contacts, [m/N]: none splits a step."""

    @abstractmethod
    def connect(self, q: Floats, v: Floats) -> None:
        """Learn where the state is: positions (nq,) and velocities (nv,) that never move."""

    @abstractmethod
    def step(self, problem: ContactProblem, state: LawState) -> None:
        """Make one step.

        Args:
            problem: of the state at the start; its impulses are overwritten.
            state: views of ``state_parts`` by name.
        """

    @property
    def margin(self) -> float:
        """Gap up to which declared points enter the problem, [m]."""
        return 0.0

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Name and value of its settings, for the summary of a run."""
        return ()

    def rest_depth(self, force: float) -> float:
        """Return how deep one point at rest is under a normal force [N], [m], as far as known."""
        return self.GIVES * force


class GuestImpulses(ImpulseLaw):
    """The impulses of a step that a guest has made, for all that reads impulses of a law."""

    name = "guest"
    blocks = frozenset(BlockKind) - {BlockKind.EQUALITY}
    claims = Claims()

    def __init__(self, guest: Guest) -> None:
        self._guest, self.state_parts = guest, guest.state_parts

    @property
    def margin(self) -> float:
        """Gap up to which declared points enter the problem, [m]."""
        return self._guest.margin

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Settings of the guest."""
        return self._guest.figures

    def rest_depth(self, force: float) -> float:
        """Return the depth of a point at rest under a force, [m]."""
        return self._guest.rest_depth(force)

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Let the guest make its step."""
        self._guest.step(problem, state)
