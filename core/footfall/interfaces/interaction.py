"""The interaction role: hands that act on a running simulation, and their view of it."""

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


class HandsWorld(Protocol):
    """An interaction's view of its simulation.

    Links are numbered in the world's order, one body after the other.

    Attributes:
        layout: layout of a row of the recording, with the variables of the interaction.
        links: names of all links, ``body/link``.
        poses: poses of all links at the last evaluation, shape (n_links, 12): the columns of the
            rotation link to world, then the position, world, [m]. The array never moves.
        terrain: the ground.
        time_step: length of a step, [s].
        makes_steps: whether time advances in steps, within which hands can act; false in
            continuous time.
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
        """Simulated time, [s]."""

    def memory(self, hand: str) -> Floats | None:
        """Return a hand's numbers in the state, shape (size,), or None if it has none.

        The array never moves; a restore writes into it. See ``Interaction.memory_sizes``.
        """

    def shapes(self) -> Iterable[tuple[int, Pose, Any]]:
        """Yield the shapes that can be touched: link (or ``FIXED``), pose in it, Coal's object.

        If the scene detects contacts, these are its collision shapes. Otherwise they are those of
        the models, and the drawn shapes of links without any, meshes as their convex hulls. The
        ground is left out.
        """

    def body_mass(self, link: int) -> float:
        """Return the mass of the link's whole body, [kg]; for ``FIXED`` the mass of all bodies."""

    def find_link(self, path: str) -> tuple[int, Pose]:
        """Return the link that carries a frame, ``name`` or ``body/name``, and the frame's pose.

        Raises:
            SettingError: if there is none; offers the nearest.
        """

    def point_motion(self, link: int, point: Floats, out: Floats) -> None:
        """Write a point's motion in the present step, and its response to a wrench.

        Args:
            link: the link that carries it.
            point: shape (3,), link frame, [m].
            out: shape (8, 6), is overwritten, all in the world's axes: the position [m] and zeros;
                the twist at the end of the step without contacts and further wrenches [m/s, rad/s];
                the mobility ``W`` [1/kg, 1/(kg m^2)]: a wrench ``f`` over the step changes the
                twist by ``dt W f``.
        """

    def act(self, link: int, point: Floats, wrench: Floats, dt: float) -> None:
        """Apply a wrench over the present step; only within ``Interaction.pull``.

        Args:
            link: the link on which it acts.
            point: shape (3,), its point of action, link frame, [m].
            wrench: shape (6,), force [N] and moment about the point [N m], world axes.
            dt: length of the step, [s].

        Raises:
            SimulationError: if there are more wrenches than ``hold`` allows.
        """

    def carry(self, link: int, twist: Floats) -> bool:
        """Move a body with a prescribed motion over the present step; return whether it can.

        It can if the body has no other motion; else nothing changes.

        Args:
            link: its link.
            twist: shape (6,), velocity of the link's origin [m/s] and angular velocity [rad/s],
                world axes.
        """

    def hold(self, count: int) -> None:
        """Set the greatest number of wrenches in a step, from now on.

        While it is above 0, ``Interaction.pull`` is called in each step.
        """


@dataclass(frozen=True, slots=True)
class HandPlan:
    """The plan of a hand in a simulation.

    Attributes:
        name: unique in the simulation.
        device: the device that moves it.
        settings: the interaction's Config, from the table ``[hands.NAME]``.
    """

    name: str
    device: InputDevice
    settings: PluginConfig


class Interaction(Plugin):
    """All hands of a simulation; constructed as ``cls(hands)`` with a sequence of ``HandPlan``.

    ``Config`` is the table ``[hands.NAME]`` of each, without ``device`` and ``plugin``. If a scene
    has no hands, its simulator builds an empty interaction at the first use of ``sim.hands``.

    In each step, ``begin`` is called before it, ``pull`` within it, and ``end`` after it. At
    ``pull`` the velocity without hands is known and contacts are not yet resolved.
    """

    @abstractmethod
    def connect(self, reach: HandsWorld) -> None:
        """Connect to a simulation; called once, before everything else.

        Raises:
            SimulationError: if it cannot act there.
        """

    @abstractmethod
    def begin(self, time: float) -> None:
        """Find the actions of the step from ``time`` [s]."""

    @abstractmethod
    def pull(self, dt: float) -> None:
        """Act within a step of length ``dt`` [s], by ``HandsWorld.act``."""

    @abstractmethod
    def end(self, time: float, row: Floats) -> None:
        """Write the recorded variables of the step from ``time`` [s] to a row of the recording."""

    @property
    def named(self) -> Mapping[str, Any]:
        """The hands by name, as users access them: ``sim.hands["right"]``."""
        return {}

    def __getitem__(self, name: str) -> Any:
        """Return a hand.

        Raises:
            SimulationError: if no hand has that name; offers the nearest.
        """
        if name not in self.named:
            raise SimulationError(f"no hand {name!r}{nearest(name, self.named)}")
        return self.named[name]

    def __contains__(self, name: str) -> bool:
        return name in self.named

    @property
    def memory_sizes(self) -> Mapping[str, int]:
        """Count of numbers in the simulation's state for each hand, by name."""
        return {}

    def memory_bounds(self, links: Sequence[str]) -> Mapping[str, Floats]:
        """Return the bounds of hands' memories by name; a saved state beyond them is refused.

        Args:
            links: names of all links of the world.

        Returns:
            Arrays of shape (3, size): least numbers, greatest numbers, and 1 where they are whole.
        """
        return {}

    def variables(self, links: Sequence[str]) -> tuple[Variable, ...]:
        """Return the recorded variables; ``links`` are the names of all links of the world."""
        return ()

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Labels along the dimensions that its variables add to the recording."""
        return {}

    def open(self) -> None:
        """Open the devices before a run; open ones stay open.

        Raises:
            FootfallError: if one is not available.
        """

    def close(self) -> None:
        """Let go, and release the devices; may be called more than once."""

    def retune_hand(self, name: str, config: PluginConfig) -> None:
        """Change the settings of a hand, as ``Plugin.retune``."""
        raise NotImplementedError(
            f"{type(self).__name__} marks fields as tunable without retune_hand"
        )

    def grab(self, link: str, point: Floats, springs: Any) -> Any:
        """Grab a point of a link from Python; see ``Simulator.grab``.

        Raises:
            SimulationError: if it cannot be held.
        """
        raise SimulationError(f'grab: the interaction "{self.name}" holds nothing')

    def copy_from(self, other: Interaction) -> None:
        """Hold the same things as the interaction of another simulation, if they exist here too.

        The other one keeps holding them. Called after the state has been copied: the hands' numbers
        in it still hold the other simulation's link indices.
        """

    def take_over(self, other: Interaction) -> None:
        """Take the devices and held things of another simulation's interaction; it lets go."""
