"""The interactive visualizer: users' commands to a live run, and the run's status."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from footfall.interfaces.input_device import Reading
from footfall.interfaces.visualizer import SceneGraph, Visualizer

Vector = tuple[float, float, float]
"""Three numbers along the world's axes."""
Kind = Literal["box", "sphere", "cylinder", "mesh"]


@dataclass(frozen=True, slots=True)
class Play:
    """Command: continue after a pause."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Command: stop simulated time; poses and the page stay as they are."""


@dataclass(frozen=True, slots=True)
class SingleStep:
    """Command: pause, then make ``n`` steps [-]."""

    n: int = 1


@dataclass(frozen=True, slots=True)
class Restart:
    """Command: go back to the start of the original scene, with its objects and settings."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Command: set the speed, simulated seconds per second, [-]; 0 for as fast as possible."""

    value: float


@dataclass(frozen=True, slots=True)
class HandMove:
    """Command: use a new reading of the hand from the next step on.

    Attributes:
        serial: rising number [-]; a frame names the move that acted in it by this.
        reading: the device's reading.
    """

    serial: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class HandRelease:
    """Command: let go; ``serial`` as in ``HandMove``."""

    serial: int


@dataclass(frozen=True, slots=True)
class Tune:
    """Command: set a tunable, in its own unit; ``path`` is one of ``LiveStatus.tunables``."""

    path: str
    value: float


@dataclass(frozen=True, slots=True)
class CreateObject:
    """Command: add a new object to the world; the run continues as a new segment.

    Attributes:
        kind: kind of shape.
        size: box: full lengths x, y, z; sphere: radius; cylinder: radius, length; all [m]. mesh:
            scale [-], 1 or 3 numbers, or none.
        position: position of the object's centre, world, [m].
        velocity: [m/s], world.
        density: [kg/m^3].
        color: red, green, blue, each 0 to 1, [-]; None to let Footfall choose.
        mesh: path of the file, for ``mesh``.
        name: name of the body; None to let Footfall choose.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = get_args(Kind)
    """All kinds of shape."""
    kind: Kind
    size: tuple[float, ...]
    position: Vector
    velocity: Vector = (0.0, 0.0, 0.0)
    density: float = 500.0
    color: Vector | None = None
    mesh: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteObject:
    """Command: remove an object from the world; the run continues as a new segment."""

    body: str


@dataclass(frozen=True, slots=True)
class WatchSignals:
    """Command: send the values of these signals with every frame, see ``LiveStatus.signals``.

    A name is that of a recorded variable. If the variable has several components, add one: its
    number, or its labels joined by commas, e.g. ``energy``, ``tau[3]``,
    ``contact_force[box/p0,z]``.
    """

    names: tuple[str, ...]


ViewerCommand = (
    Play
    | Pause
    | SingleStep
    | Restart
    | Speed
    | HandMove
    | HandRelease
    | Tune
    | CreateObject
    | DeleteObject
    | WatchSignals
)
"""Any command to a live run."""


@dataclass(frozen=True, slots=True)
class LiveTunable:
    """A number that can be changed while the simulation runs.

    Attributes:
        path: key in the scene, e.g. ``bodies.box.friction``.
        value: present value.
        low: least value.
        high: greatest value of a slider; larger values may be allowed.
        unit: e.g. ``N/m``; ``-`` for ratios.
        label: a few words for a slider, ``OWNER: NAME``.
        logarithmic: whether a slider should be logarithmic.
        start: value before the first tuning, NaN if unknown.
    """

    path: str
    value: float
    low: float
    high: float
    unit: str
    label: str
    logarithmic: bool = False
    start: float = math.nan


@dataclass(frozen=True, slots=True)
class LiveHand:
    """The viewer's hand after the last step.

    If the hand has moved since, e.g. during a pause: its initial action, as if nothing else moved.

    Attributes:
        held: ``body/link`` that is held, or None.
        mode: ``drag`` or ``touch``.
        force: shape (3,), on the held link, world, [N]; the user feels its opposite.
        moment: shape (3,), likewise about the held point, [N m].
        position: shape (3,), of the held point, world, [m].
        target: shape (3,), of the hand, world, [m].
        mass: effective mass of the held point, [kg]; None if nothing is held.
    """

    held: str | None = None
    mode: Literal["touch", "drag"] = "drag"
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    position: Vector | None = None
    target: Vector | None = None
    mass: float | None = None

    @property
    def size(self) -> float:
        """Magnitude of the force, [N]."""
        return float(np.linalg.norm(self.force))


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """The status of a live run for its viewers.

    Attributes:
        playing: whether simulated time advances.
        speed: requested speed, simulated seconds per second, [-]; 0 for as fast as possible.
        rate: speed measured over the last half second, in the same unit.
        behind: whether the run is slower than the requested speed.
        time: simulated time, [s].
        segment: number of the recording's segment [-]: it rises with every added or removed object
            and with every restart.
        bodies: for each body by name, whether ``DeleteObject`` can remove it.
        tunables: the numbers that can be changed.
        signals: the signals for ``WatchSignals``: name, unit, meaning, and the labels along each
            dimension. A component is named ``NAME[LABEL,LABEL]``.
        watched: the signals whose values are in ``Frame.values``, in this order.
        hand: the viewer's hand.
        problem: reason for which the last command was rejected, one line; empty if it was accepted.
        serial: number of the newest ``HandMove`` or ``HandRelease`` that acted, [-].
        ended: whether the run has ended, e.g. by the error in ``problem``.
        events: the newest events, started pushes included: the recorded signal that counts it or
            ``push on LINK``, start and end [s], and count.
    """

    playing: bool = True
    speed: float = 1.0
    rate: float = 0.0
    behind: bool = False
    time: float = 0.0
    segment: int = 0
    bodies: Mapping[str, bool] = field(default_factory=dict)
    tunables: tuple[LiveTunable, ...] = ()
    signals: tuple[tuple[str, str, str, tuple[tuple[str, ...], ...]], ...] = ()
    watched: tuple[str, ...] = ()
    hand: LiveHand = field(default_factory=LiveHand)
    problem: str = ""
    serial: int = 0
    ended: bool = False
    events: tuple[tuple[str, float, float, int], ...] = ()


class InteractiveVisualizer(Visualizer):
    """A visualizer whose users control the run that it shows: a live run.

    If it shows nothing (``frame_interval`` is None), these methods are not called.
    """

    @abstractmethod
    def commands(self) -> Sequence[ViewerCommand]:
        """Return the users' commands since the last call, oldest first.

        Called every one or two milliseconds of wall time while a scene runs: it must be cheap and
        never block.
        """

    @abstractmethod
    def tell(self, status: LiveStatus) -> None:
        """Receive the run's status, at each change and about five times a second."""

    @abstractmethod
    def replace(self, graph: SceneGraph) -> None:
        """Show another scene after an object was added or removed; the next frames show it."""
