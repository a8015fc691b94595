"""The hands in a running simulation, made from those of a scene."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.errors import SettingError, SimulationError, nearest
from footfall.api.plugin import Floats, Registry
from footfall.devices.external_forces import find_body, find_link
from footfall.recording.layout import Layout
from footfall.scene.scene import Choice, Scene
from footfall.stepping.time_stepping import TimeStepping
from footfall.world.world import World
from footfall_hands.grip import Grip, Mobility, Springs
from footfall_hands.hand import Hand
from footfall_hands.status import HandPlan, hand_variables

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator
    from footfall_hands.proximity import Touchable


class Hands:
    """Keeps the hands and grips of a simulator and lets them act, one after another.

    Attributes:
        named: hands with devices, by name.
    """

    def __init__(self, sim: Simulator, plans: Sequence[HandPlan], layout: Layout) -> None:
        self._sim, self._layout = sim, layout
        self._grips: list[Grip] = []
        self._acting: list[Hand] = []
        self._touchable: dict[float, Touchable] = {}
        if plans and not isinstance(sim.stepper, TimeStepping):
            raise SimulationError("a hand needs time stepping, and time is continuous here")
        self.named = {plan.name: Hand(plan, sim) for plan in plans}
        self._names = [variable.name for variable in hand_variables(plans)]
        if plans:
            first, last = (layout.slice_of(self._names[k]) for k in (0, -1))
            self._block = slice(first.start, last.stop)
            self._idle = self._nothing()

    def __getitem__(self, name: str) -> Hand:
        """Return a hand.

        Raises:
            SimulationError: if there is none of that name; offers the nearest.
        """
        if name not in self.named:
            raise SimulationError(f"no hand {name!r}{nearest(name, self.named)}")
        return self.named[name]

    def __contains__(self, name: str) -> bool:
        return name in self.named

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Names of all links of the world, ``body/link``."""
        from footfall.simulation.run import link_names

        return link_names(self._sim)

    def name_of(self, link: int) -> str:
        """Return the name of a link that is held or touched; ``fixed`` for what never moves."""
        return self.links[link] if link >= 0 else "fixed"

    @cached_property
    def mobility(self) -> Mobility:
        """A kernel that finds how a point of a link moves."""
        stepper = self._sim.stepper
        assert isinstance(stepper, TimeStepping)
        return stepper.point_mobility()

    def touchable(self, radius: float) -> Touchable:
        """Return what a ball of that radius [m] can meet."""
        from footfall_hands.proximity import Touchable

        if radius not in self._touchable:
            self._touchable[radius] = Touchable(self._sim, radius)
        return self._touchable[radius]

    @property
    def grips(self) -> tuple[Grip, ...]:
        """Those of ``Simulator.grab`` that hold something, in the order in which they took it."""
        return tuple(self._grips)

    def copy_grips(self, other: Hands) -> None:
        """Hold what the grips of another simulation hold, as they do, where it is here, too."""
        self._grips = [new for _, new in self._carried(other) if new is not None]
        self._hold()

    def take_over(self, other: Hands) -> None:
        """Go on with the devices of another simulation's hands, and with what these hold.

        Its grips hold on, too, and whoever has one moves it here from now on.
        """
        self._grips = []
        for grip, carried in self._carried(other):
            if carried is None:
                grip.force[:] = grip.moment[:] = 0.0
            else:
                vars(grip).update(vars(carried))
                self._grips.append(grip)
        other._grips = []
        self._hold()
        place = {name: k for k, name in enumerate(self.links)}
        for name, hand in self.named.items():
            if name in other.named:
                old = other.named[name]
                held, touched = (
                    place.get(other.links[link], -1) if link >= 0 else -1
                    for link in old.remembered_links
                )
                hand.take_over(old, held, touched)

    def _carried(self, other: Hands) -> Iterator[tuple[Grip, Grip | None]]:
        """Yield the grips of another simulation, each with its like here; None: its link is not."""
        if not other._grips:
            return
        place = {name: k for k, name in enumerate(self.links)}
        ways = self.mobility, self._let_go
        for grip in other._grips:
            link = place.get(other.links[grip.held_link], -1)
            yield grip, grip.carried(self._sim, link, ways) if link >= 0 else None

    def open(self) -> None:
        """Open the devices of all hands; those that are open stay so.

        Raises:
            FootfallError: if a device cannot be had.
        """
        for hand in self.named.values():
            hand.open()

    def close(self) -> None:
        """Let go, and close the devices of all hands."""
        for hand in self.named.values():
            hand.close()
        self._acting = []
        self._hold()

    def grab(self, link: str, point: Sequence[float] | Floats, springs: Springs | None) -> Grip:
        """Hold a point of a link; see ``Simulator.grab``.

        Raises:
            SimulationError: if there is no such link, it cannot move, or time is continuous.
        """
        stepper = self._sim.stepper
        if not isinstance(stepper, TimeStepping):
            raise SimulationError("grab: a hand needs time stepping, and time is continuous here")
        ways = stepper.point_mobility(), self._let_go
        grip = Grip(self._sim, link, np.asarray(point, float), springs or Springs(), ways)
        self._grips = [*self._grips, grip]
        self._hold()
        return grip

    def begin(self, time: float) -> None:
        """Ask the devices where their hands are at the start of the step from ``time`` [s]."""
        dt = self._sim.time_step
        before, self._acting = self._acting, []
        for hand in self.named.values():
            hand.open()
            if hand.begin(time, dt):
                self._acting.append(hand)
        if before or self._acting:
            self._hold()

    def end(self, time: float, row: Floats) -> None:
        """Let the devices feel what has acted over the step, and write it to a row."""
        row[self._block] = self._idle
        views: dict[str, Floats] = {}
        for k, hand in enumerate(self.named.values()):
            hand.end(time)
            if hand.acts:
                views = views or {name: self._layout.view(row, name) for name in self._names}
                hand.write(views, k)

    def _nothing(self) -> Floats:
        """Return what is recorded where no hand acts."""
        layout, row = self._layout, np.zeros(self._layout.width)
        for name in ("target", "position", "mass", "stiffness", "damping"):
            layout.view(row, f"hand_{name}")[:] = math.nan
        layout.view(row, "hand_link")[:] = -1.0
        return row[self._block].copy()

    def _let_go(self, grip: Grip) -> None:
        self._grips = [held for held in self._grips if held is not grip]
        self._hold()

    def _hold(self) -> None:
        """Note whether something acts within steps."""
        stepper, pushes = self._sim.stepper, self._sim.pushes
        if not isinstance(stepper, TimeStepping):
            return
        pushes.held = len(self._grips) + len(self._acting)
        self._sim.world.pushes.held[:] = 0
        pushes.idle = not (pushes.held or pushes.waiting)
        stepper.pull = self._pull if pushes.held else None

    def _pull(self, dt: float) -> None:
        """Let everything act that holds; each feels what those before it have done."""
        stepper: Any = self._sim.stepper
        for grip in self._grips:
            grip.pull(dt)
            stepper.evaluate_again(dt)
        for hand in self._acting:
            if hand.pull(dt):
                stepper.evaluate_again(dt)


def hands_of(
    scene: Scene, world: World, registry: Registry, make: Callable[[Choice, Registry], Any]
) -> tuple[HandPlan, ...]:
    """Return the hands of a scene.

    Args:
        scene: the scene.
        world: its bodies.
        registry: the installed plugins.
        make: makes a chosen plugin.

    Raises:
        SceneError: if a device refuses its settings, or picks a link that does not exist.
        PluginError: if a device cannot be made.
    """
    return tuple(
        HandPlan(name, _device(scene, name, world, registry, make), hand)
        for name, hand in scene.hands.items()
    )


def _device(
    scene: Scene,
    name: str,
    world: World,
    registry: Registry,
    make: Callable[[Choice, Registry], Any],
) -> Any:
    path = ("hands", name, "device")
    try:
        device = make(scene.hands[name].device, registry)
        for link in device.links:
            check_link(world, link)
    except SettingError as error:
        raise scene.error(error.reason, *path, *error.path) from error
    return device


def check_link(world: World, path: str) -> None:
    """Refuse the name of a link, ``link`` or ``body/link``, that does not exist.

    Raises:
        SettingError: if there is none; offers the nearest.
    """
    body, slash, name = path.partition("/")
    try:
        find_link(world, find_body(world, body if slash else None), name if slash else path)
    except SettingError as error:
        raise SettingError(error.reason, "link") from error
