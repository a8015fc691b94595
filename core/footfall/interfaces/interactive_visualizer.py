"""The interactive visualizer: commands of its users to a live run, and the run's status."""

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
    """Go on after a pause."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Hold simulated time still; poses and the page stay as they are."""


@dataclass(frozen=True, slots=True)
class SingleStep:
    """Pause, and make ``n`` steps [-]."""

    n: int = 1


@dataclass(frozen=True, slots=True)
class Restart:
    """Go back to the start of the scene as it was given, with its objects and settings."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Simulated seconds a second of wall time, [-]; 0: as fast as possible."""

    value: float


@dataclass(frozen=True, slots=True)
class HandMove:
    """The hand is somewhere and holds something, from the next step on.

    Attributes:
        serial: rising number [-], so that a frame can say which move acted in it.
        reading: of the device.
    """

    serial: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class HandRelease:
    """The hand lets go; ``serial`` as of ``HandMove``."""

    serial: int


@dataclass(frozen=True, slots=True)
class Tune:
    """Give a tunable a new value, in its own unit; ``path`` is one of ``LiveStatus.tunables``."""

    path: str
    value: float


@dataclass(frozen=True, slots=True)
class CreateObject:
    """Put a new object into the world; the run goes on as a new segment.

    Attributes:
        kind: of the shape.
        size: box: full lengths x, y, z; sphere: radius; cylinder: radius, length; mesh: scale (1
            or 3 numbers, or none), [m] or, of a mesh, [-].
        position: of the object's centre, world, [m].
        velocity: [m/s], world.
        density: [kg/m^3].
        color: red, green, blue, each 0 to 1, [-]; None: chosen.
        mesh: path of the file, for ``mesh``.
        name: of the body; None: one that is free.
    """

    KINDS: ClassVar[tuple[Kind, ...]] = get_args(Kind)
    """Shapes that there are."""
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
    """Take an object out of the world; the run goes on as a new segment."""

    body: str


@dataclass(frozen=True, slots=True)
class WatchSignals:
    """Send the values of these signals with every frame, see ``LiveStatus.signals``.

    A name is that of a recorded variable, with a component where it has several: its number, or
    its labels joined by commas, e.g. ``energy``, ``tau[3]``, ``contact_force[box/p0,z]``.
    """

    names: tuple[str, ...]


Command = (
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
"""Anything that can be asked of a live run."""


@dataclass(frozen=True, slots=True)
class LiveTunable:
    """A number that can be changed while the simulation runs.

    Attributes:
        path: key in the scene, e.g. ``bodies.box.friction``.
        value: as it is now.
        low: least value.
        high: greatest value that a slider offers; larger ones may be allowed.
        unit: e.g. ``N/m``; ``-`` for ratios.
        label: a few words for a slider, ``OWNER: NAME``.
        logarithmic: whether a slider should be so.
        start: the value before it was tuned first, NaN: not known.
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
    """What the hand of the viewer does, as the last step left it.

    Moved since, as while the run is paused: what it would begin to do, as if nothing moved.

    Attributes:
        held: ``body/link`` that is held, None if nothing is.
        mode: ``drag`` or ``touch``.
        force: shape (3,), on what is held, world, [N]; the user feels its opposite.
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
        """Size of the force, [N]."""
        return float(np.linalg.norm(self.force))


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """What a live run tells its viewers.

    Attributes:
        playing: whether simulated time goes on.
        speed: asked, simulated seconds a second, [-]; 0: as fast as possible.
        rate: measured over the last half second, likewise.
        behind: the run cannot keep the speed that is asked.
        time: simulated, [s].
        segment: number of the recording's segment [-]: it rises with every object that comes or
            goes, and with every restart.
        bodies: that are there, by name; whether ``DeleteObject`` takes it.
        tunables: that can be changed.
        signals: that ``WatchSignals`` takes: of each its name, its unit, what it is, and the labels
            along each of its dimensions, from which components are called ``NAME[LABEL,LABEL]``.
        watched: the signals whose values are in ``Frame.values``, in this order.
        hand: what the viewer's hand does.
        problem: why the last command was refused, one line; empty if none was since the last
            that was taken.
        serial: of the newest ``HandMove`` or ``HandRelease`` that acted, [-].
        ended: the run has ended, e.g. by an error that ``problem`` tells.
        events: the newest, pushes that have begun among them: of each the recorded signal that
            counts it, or ``push on LINK``, from and to when [s], and how many there were.
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
    """A visualizer whose users act on the run that it shows: the run is a live one.

    One that shows nothing (``frame_interval`` is None) is asked nothing.
    """

    @abstractmethod
    def commands(self) -> Sequence[Command]:
        """Return what users have asked since the last call, oldest first.

        Called every one or two milliseconds of wall time while a scene runs: it must be cheap and
        never block.
        """

    @abstractmethod
    def tell(self, status: LiveStatus) -> None:
        """Take what the run does: when something changed, and about five times a second."""

    @abstractmethod
    def replace(self, graph: SceneGraph) -> None:
        """Show another scene from now on: an object came or went. The next frames are of it."""
