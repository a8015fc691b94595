"""The interaction role: hands that reach into a running simulation, and what they find of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from footfall.errors import SimulationError, nearest
from footfall.interfaces.input_device import InputDevice
from footfall.interfaces.plugin import Plugin, PluginConfig
from footfall.interfaces.terrain import Terrain
from footfall.recording.layout import Layout, Variable
from footfall.spatial.pose import Pose
from footfall.typing import Floats


class Reach(Protocol):
    """What an interaction finds of the simulation that it acts in.

    Links are numbered in the world's order; those of several bodies follow each other.

    Attributes:
        layout: of a row of the recording, with the variables of the interaction.
        links: names of all links, ``body/link``.
        poses: of all links as they were last evaluated, shape (n_links, 12): the columns of the
            rotation link to world, then the position, world, [m]. The array stays.
        terrain: the ground.
        time_step: length of a step, [s].
        makes_steps: whether time goes in steps, within which something can act; not in continuous
            time.
    """

    FIXED: ClassVar[int] = -2
    """Link of shapes that never move."""
    layout: Layout
    links: tuple[str, ...]
    poses: Floats
    terrain: Terrain
    time_step: float
    makes_steps: bool

    @property
    def time(self) -> float:
        """Simulated, [s]."""

    def memory(self, hand: str) -> Floats | None:
        """Return what a hand keeps in the state, shape (size,); None: it keeps nothing there.

        The array stays; restoring a state writes into it. See ``Interaction.memory_sizes``.
        """

    def shapes(self) -> Iterable[tuple[int, Pose, Any]]:
        """Yield what can be touched: link (``FIXED``: never moves), pose in it, its object of Coal.

        Collision shapes where the scene looks for contacts; else those of the models, and of links
        that have none, what is drawn of them. Meshes that are drawn are their convex hulls. The
        ground is not among them.
        """

    def body_mass(self, link: int) -> float:
        """Return the mass of the whole body that a link is of; of ``FIXED`` that of all, [kg]."""

    def find_link(self, path: str) -> tuple[int, Pose]:
        """Return the link that carries a frame, ``name`` or ``body/name``, and its pose in it.

        Raises:
            SettingError: if there is none; offers the nearest.
        """

    def point_motion(self, link: int, point: Floats, out: Floats) -> None:
        """Write how a point moves in the step that has begun, and what a wrench there does to it.

        Args:
            link: that carries it.
            point: shape (3,), link frame, [m].
            out: shape (8, 6), is overwritten, all in the world's axes: the position [m] and zeros;
                the twist at the end of the step without what is still to act [m/s, rad/s]; the
                mobility ``W`` [1/kg, 1/(kg m^2)]: a wrench ``f`` over the step changes the twist by
                ``dt W f``.
        """

    def act(self, link: int, point: Floats, wrench: Floats, dt: float) -> None:
        """Let a wrench act over the step that has begun; only within ``Interaction.pull``.

        Args:
            link: on which it acts.
            point: shape (3,), where, link frame, [m].
            wrench: shape (6,), force [N] and moment about the point [N m], world axes.
            dt: length of the step, [s].

        Raises:
            SimulationError: if there are more than there is room for.
        """

    def hold(self, count: int) -> None:
        """Say how many wrenches there may be in a step, from now on.

        ``Interaction.pull`` is called in each step while it is more than none.
        """


@dataclass(frozen=True, slots=True)
class HandPlan:
    """A hand that is to reach into a simulation.

    Attributes:
        name: unique in the simulation.
        device: what moves it.
        settings: the interaction's Config, from the table ``[hands.NAME]``.
    """

    name: str
    device: InputDevice
    settings: PluginConfig


class Interaction(Plugin):
    """All hands of a simulation; constructed as ``cls(hands)`` with a sequence of ``HandPlan``.

    ``Config`` is the table ``[hands.NAME]`` of each, without ``device`` and ``plugin``. A simulator
    whose scene has no hands makes one without any when Python first asks for ``sim.hands``.

    In each step ``begin`` is called before it, then ``pull`` within it, where the velocity without
    hands is known and contacts are not yet resolved, then ``end``.
    """

    @abstractmethod
    def connect(self, reach: Reach) -> None:
        """Act in a simulation from now on; called once, before everything else.

        Raises:
            SimulationError: if it cannot act there.
        """

    @abstractmethod
    def begin(self, time: float) -> None:
        """Find what acts in the step from ``time`` [s]."""

    @abstractmethod
    def pull(self, dt: float) -> None:
        """Act within a step of length ``dt`` [s], by ``Reach.act``."""

    @abstractmethod
    def end(self, time: float, row: Floats) -> None:
        """Write the recorded variables of the step from ``time`` [s] to a row of the recording."""

    @property
    def named(self) -> Mapping[str, Any]:
        """The hands by name, as users see them: ``sim.hands["right"]``."""
        return {}

    def __getitem__(self, name: str) -> Any:
        """Return a hand.

        Raises:
            SimulationError: if there is none of that name; offers the nearest.
        """
        if name not in self.named:
            raise SimulationError(f"no hand {name!r}{nearest(name, self.named)}")
        return self.named[name]

    def __contains__(self, name: str) -> bool:
        return name in self.named

    @property
    def memory_sizes(self) -> Mapping[str, int]:
        """Numbers that hands keep in the simulation's state, by name of the hand."""
        return {}

    def variables(self, links: Sequence[str]) -> tuple[Variable, ...]:
        """Return what is recorded; ``links`` are the names of all links of the world."""
        return ()

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Names along the dimensions of the recording that its variables bring."""
        return {}

    def open(self) -> None:
        """Start the devices before a run; those that are open stay so.

        Raises:
            FootfallError: if one cannot be had.
        """

    def close(self) -> None:
        """Let go, and release the devices; may be called more than once."""

    def retune_hand(self, name: str, config: PluginConfig) -> None:
        """Go on with other settings of a hand, as ``Plugin.retune``."""
        raise NotImplementedError(f"{type(self).__name__} marks fields as tunable without it")

    def grab(self, link: str, point: Floats, springs: Any) -> Any:
        """Hold a point of a link from Python; see ``Simulator.grab``.

        Raises:
            SimulationError: if it cannot be held.
        """
        raise SimulationError(f'grab: the interaction "{self.name}" holds nothing')

    def copy_from(self, other: Interaction) -> None:
        """Hold what that of another simulation holds, where it is here, too; that one stays.

        Called once the state has been taken over: what hands keep in it has that one's numbers of
        links.
        """

    def take_over(self, other: Interaction) -> None:
        """Go on with the devices of that of another simulation and what it holds; it lets go."""
