"""The sensor role: measures quantities of a body in a step."""

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
        components: names of the components.
        units: SI units, ``"1"`` for ratios.
        long_name: description with its frame, in one line.
        kind: sets the effect of errors: added to a ``vector``, a small rotation of a ``quaternion``
            (x y z w), none on a ``switch``.
        rays: for distances along rays, to draw them: the link of the rays (``body/link``), origin
            [m] and unit direction of each in its frame, shape (n, 6), and the distance of a ray
            without a hit [m].
    """

    name: str
    components: tuple[str, ...]
    units: str
    long_name: str
    kind: SignalKind = "vector"
    rays: tuple[str, Floats, float] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SensorBody:
    """A body that sensors can be fixed to.

    Attributes:
        name: name of the body.
        model: the tree's constants.
        feet: frames of the contact features; a foot has contact points.
    """

    name: str
    model: TreeModel
    feet: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mount:
    """The data that a sensor measures; the arrays never move.

    Attributes:
        body: the body that it is fixed to.
        table: the world's arrays ``Topology``, ``Joints``, ``Dynamics`` as kernels open them.
        columns: first column of each recorded variable in the row, by name.
        first_link: the body's first link in the world.
        first_q: its first position coordinate; first_v: its first velocity dof.
        index: its index among the world's bodies.
        foot: index of each foot among the world's, by name.
        gravity: shape (3,), [m/s^2].
        terrain: the ground.
        shapes: shapes of the scene's bodies and fixed objects; empty if the scene detects no
            contacts between them. If shapes touch the ground, its solids are included as
            ``terrain/...``. Each has a ``name`` (``body/link/shape``), a ``geometry``, a global
            ``link`` (-1 if fixed), and its ``pose`` in that link, or in the world.
        contact_force: called with two names as ``Simulator.contact_force`` and an array of shape
            (9,), returns a measurement that overwrites the array: total, normal and tangential
            force. A name that means nothing raises a ``SettingError``.
        out: shape (width,), the sensor's output, one signal after another.
    """

    body: SensorBody
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
    contact_force: Callable[[str, str | None, Floats], Callable[[Floats], None]]
    out: Floats


class Sensor(Plugin):
    """An exact sensor on one body; core adds rate, delay and errors.

    A measurement is made at the end of a step, from the step's row of the recording: positions and
    velocities at its start, accelerations and forces over it. Link poses are those of the last
    evaluation: at the start of the step, or later if an impact has split it.
    """

    @abstractmethod
    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the signals measured on a body, in the order of the output.

        Raises:
            PluginError: if the body has no such frame, joint or foot; offers the nearest.
        """

    @abstractmethod
    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return a function that overwrites ``mount.out`` from a row of the recording."""

    @abstractmethod
    def reading(self, body: SensorBody, values: Floats) -> Any:
        """Return an object with named views of the values, shape (width,), for controllers."""
