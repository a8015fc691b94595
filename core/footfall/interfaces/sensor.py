"""The sensor role: what is measured of a body in a step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from footfall.interfaces.engine import TreeModel
from footfall.interfaces.plugin import Plugin
from footfall.interfaces.terrain import Terrain
from footfall.jit.tables import Table
from footfall.typing import Floats

SignalKind = Literal["vector", "quaternion", "switch"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One quantity that a sensor measures.

    Attributes:
        name: unique in the sensor, an identifier.
        components: their names.
        units: SI units, ``"1"`` for ratios.
        long_name: what it is, with its frame, in one line.
        kind: how errors act on it: added to a ``vector``, as a small rotation on a ``quaternion``
            (x y z w), not at all on a ``switch``.
        rays: of distances along rays, which can be drawn: link that the rays go with
            (``body/link``), origin [m] and unit direction of each in its frame, shape (n, 6), and
            the distance of what meets nothing [m].
    """

    name: str
    components: tuple[str, ...]
    units: str
    long_name: str
    kind: SignalKind = "vector"
    rays: tuple[str, Floats, float] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Body:
    """What a sensor can be fixed to.

    Attributes:
        name: of the body.
        model: the tree's constants.
        feet: frames that contact features are given in; a foot has points of contact.
    """

    name: str
    model: TreeModel
    feet: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a sensor finds what it measures; nothing in here moves.

    Attributes:
        body: what it is fixed to.
        table: the world's arrays ``Topology``, ``Joints``, ``Dynamics`` as kernels open them.
        columns: first place of each recorded variable in the row, by name.
        first_link: the body's first link in the world.
        first_q: its first position coordinate; first_v: its first velocity dof.
        index: its place among the world's bodies.
        foot: place of each foot among the world's, by name.
        gravity: shape (3,), [m/s^2].
        terrain: the ground.
        shapes: of the scene's bodies and fixed objects, none if it looks for no contacts between
            them; of shapes that touch the ground its solids are among them, as ``terrain/...``.
            Each has a ``name`` (``body/link/shape``), a ``geometry``, the global ``link`` that it
            is on (-1: it is fixed), and its ``pose`` in that link, or in the world.
        out: shape (width,), signals one after another: what the sensor writes.
    """

    body: Body
    table: Table
    columns: Mapping[str, int]
    first_link: int
    first_q: int
    first_v: int
    index: int
    foot: Mapping[str, int]
    gravity: Floats
    terrain: Terrain
    shapes: Sequence[Any]
    out: Floats


class Sensor(Plugin):
    """Measures something of one body: exactly, since rate, delay and errors are the core's.

    A measurement is made at the end of a step, from the step's row of the recording: positions and
    velocities at its start, accelerations and forces that acted over it. Poses of links are those
    of the last evaluation, which is at the start of the step unless an impact has split it.
    """

    @abstractmethod
    def signals(self, body: Body) -> tuple[Signal, ...]:
        """Return what it measures on a body, in the order of the output.

        Raises:
            PluginError: if the body has no such frame, joint or foot; offers the nearest.
        """

    @abstractmethod
    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return what overwrites ``mount.out`` from a row of the recording."""

    @abstractmethod
    def reading(self, body: Body, values: Floats) -> Any:
        """Return an object of named views of values, shape (width,), for controllers."""
