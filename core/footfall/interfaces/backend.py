"""The backend role: makes the steps of a scene, with Footfall itself or another simulator."""

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
    """Contacts in ascending order of key.

    ``tag`` is the backend's own identifier of each contact. All other arrays are as in
    ``footfall.world.collision_arrays.FoundRows``.
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
    """The contacts that the detector of a backend has found; reused from call to call.

    Attributes:
        arrays: ``Rows``, with room for n contacts or more.
        n: number of contacts.
        version: increases by one whenever the arrays are replaced.
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
    """The steps of another simulator: a law that finds the motion as well as the impulses.

    In each step ``solve`` does the following:

    1. It reads positions and velocities from the arrays given to ``connect``, and the torques,
       gains and external forces from the world's ``joints``.
    2. It lets the other simulator make one step.
    3. It overwrites ``problem.impulse`` with the impulses of that step, ``q``, ``v`` and ``v_new``.
    4. It sets ``problem.offset`` to ``max(gap, 0) / dt``, so that a gap may close.

    All else is as with any law. The residuals in the recording measure these impulses at the
    velocity at the end of the step, ``u = u+``.

    Contacts of the problem are those of the state at the start of the step. Every contact of the
    other simulator must be one of them: ``margin`` adds declared points before they touch, and
    ``detector`` finds the others.

    Attributes:
        detector: finds contacts of shapes as the other simulator does, in place of the scene's own
            (``footfall.world.collider.ContactDetector``; results in ``FoundContacts``); None
            without such detection.
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
    """Lower bound of the compliance assumed for such contacts, [m/N]: none splits a step."""

    @abstractmethod
    def connect(self, q: Floats, v: Floats) -> None:
        """Keep the arrays of the state: positions (nq,) and velocities (nv,), which never move."""

    def rest_depth(self, force: float) -> float:
        """Return the depth of one point at rest under a normal force [N], [m], if known."""
        return self.GIVES * force


class Backend(Plugin):
    """Maker of a scene's steps; the scene's law, impact model and integrator are not used."""

    @abstractmethod
    def build(self, made: Any) -> BackendSteps | None:
        """Translate a scene; return its steps, or None if Footfall itself makes them.

        Args:
            made: the parts of the simulator, a ``footfall.Assembly``.

        Raises:
            SceneError: for settings that are not supported (``made.scene.error`` names the key).
        """
