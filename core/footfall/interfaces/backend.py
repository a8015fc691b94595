"""The backend role: what makes the steps of a scene, Footfall itself or another simulator."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.interfaces.contact import Claims, ImpulseLaw
from footfall.interfaces.plugin import Plugin
from footfall.jit.tables import allocated
from footfall.problem.arrays import BlockKind
from footfall.typing import Floats, Floats1, Floats2, Ints1


class Rows(NamedTuple):
    """Contacts by key ascending; all but ``tag`` as ``footfall.world.collision_arrays.FoundRows``.

    ``tag`` is the backend's own: what each of them is there.
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
    """What the detector of a backend has found, from call to call.

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


class BackendSteps(ImpulseLaw):
    """The steps of another simulator: a law that finds the motion beside the impulses.

    In each step its ``solve`` takes positions and velocities from where ``connect`` has shown them,
    and the torques, gains and external forces from the world's ``joints``; it lets the other
    simulator make one step, and overwrites ``problem.impulse`` with that one's impulses, as well
    as ``q``, ``v`` and ``v_new``. All else goes on as with any law: the same recording, in which
    the residuals measure those impulses at the velocity of the end of the step, ``u = u+``; it sets
    ``problem.offset`` to ``max(gap, 0) / dt`` for that, so that a gap may close.

    Contacts of the problem are those of the state at the start of the step. Every contact of the
    other simulator must be one of them: ``margin`` lets declared points in before they touch, and
    ``detector`` finds the others.

    Attributes:
        detector: finds contacts of shapes as the other simulator does, in place of the scene's own
            (``footfall.world.collider.ContactDetector``; ``FoundContacts`` hold what it finds);
            None where nothing looks for any.
        q: shape (nq,), positions at the end of the step.
        v: shape (nv,), velocities there, of a floating base in the axes of the base at the end.
        v_new: shape (nv,), the same in the axes of the base at the start.
    """

    blocks = frozenset(BlockKind) - {BlockKind.EQUALITY}
    claims = Claims()
    detector: Any = None
    q: Floats
    v: Floats
    v_new: Floats

    GIVES: ClassVar = 1e-9
    """Compliance that all such contacts count as, at least, [m/N]: none splits a step."""

    @abstractmethod
    def connect(self, q: Floats, v: Floats) -> None:
        """Learn where the state is: positions (nq,) and velocities (nv,) that never move."""

    def rest_depth(self, force: float) -> float:
        """Return how deep one point at rest is under a normal force [N], [m], as far as known."""
        return self.GIVES * force


class Backend(Plugin):
    """Makes the steps of a scene; the scene's law, impact model and integrator are set aside."""

    @abstractmethod
    def build(self, made: Any) -> BackendSteps | None:
        """Translate a scene; return what steps it, or None if Footfall does.

        Args:
            made: what the simulator is made of, a ``footfall.Assembly``.

        Raises:
            SceneError: for what cannot be honoured (``made.scene.error`` names the key).
        """
