"""The interaction ``hands``: hands with devices, and grips of Python programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from footfall.api.advanced import HandPlan, HandsWorld, Interaction, Variable
from footfall.api.plugin import Floats, PluginConfig, SimulationError
from footfall_hands.grip import Grip, Springs
from footfall_hands.hand import Hand
from footfall_hands.hand_memory import SIZE, HandMemory
from footfall_hands.proximity import Surroundings
from footfall_hands.settings import HandSettings
from footfall_hands.status import hand_variables
from footfall_stepper.api import LiveInteraction, Run, StepperSimulator


class Hands(LiveInteraction):
    """Hands that drag bodies with a spring, or touch them with a ball."""

    name = "hands"
    Config = HandSettings

    def __init__(self, hands: Sequence[HandPlan]) -> None:
        self._plans = tuple(hands)
        self._grips: list[Grip] = []
        self._acting: list[Hand] = []
        self._hands: dict[str, Hand] = {}

    @property
    def named(self) -> Mapping[str, Hand]:
        """The hands of the scene, by name."""
        return self._hands

    def connect(self, reach: HandsWorld) -> None:
        """Connect to a simulation.

        Raises:
            SimulationError: if there are hands, and time is continuous.
        """
        if self._plans and not reach.makes_steps:
            raise SimulationError("a hand needs time stepping, and time is continuous here")
        self._reach, around = reach, Surroundings(reach)
        self._hands = {plan.name: Hand(plan, around) for plan in self._plans}
        self._names = [variable.name for variable in self.variables(())]
        if self._names:
            layout, row = reach.layout, np.zeros(reach.layout.width)
            first, last = (layout.slice_of(self._names[k]) for k in (0, -1))
            self._block = slice(first.start, last.stop)
            for name in ("target", "position", "mass", "stiffness", "damping"):
                layout.view(row, f"hand_{name}")[:] = math.nan
            layout.view(row, "hand_link")[:] = -1.0
            self._idle = row[self._block].copy()

    @property
    def memory_sizes(self) -> Mapping[str, int]:
        """Sizes of the memories in the state, by hand; live hands are not part of the state."""
        return {plan.name: SIZE for plan in self._plans if not plan.device.live}

    def memory_bounds(self, links: Sequence[str]) -> Mapping[str, Floats]:
        """Return the bounds of the numbers in each hand's memory."""
        return dict.fromkeys(self.memory_sizes, HandMemory.bounds(len(links)))

    def variables(self, links: Sequence[str]) -> tuple[Variable, ...]:
        """Return the recorded variables of the hands; empty if there are none."""
        return hand_variables(len(self._plans), links)

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the hands, if there are any."""
        return {"hand": tuple(plan.name for plan in self._plans)} if self._plans else {}

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links of the world, ``body/link``."""
        return self._reach.links

    @property
    def grips(self) -> tuple[Grip, ...]:
        """Active grips of ``Simulator.grab``, oldest first."""
        return tuple(self._grips)

    def grab(self, link: str, point: Floats, springs: Springs | None) -> Grip:
        """Hold a point of a link; see ``Simulator.grab``.

        Raises:
            SimulationError: if there is no such link, it cannot move, or time is continuous.
        """
        if not self._reach.makes_steps:
            raise SimulationError("grab: a hand needs time stepping, and time is continuous here")
        grip = Grip(self._reach, link, point, springs or Springs(), self._let_go)
        self._grips = [*self._grips, grip]
        self._hold()
        return grip

    def retune_hand(self, name: str, config: PluginConfig) -> None:
        """Change the settings of a hand from the next step on."""
        assert isinstance(config, HandSettings)
        self.named[name].settings = config

    def open(self) -> None:
        """Open the devices of all hands; open devices stay open.

        Raises:
            FootfallError: if a device cannot be opened.
        """
        for hand in self.named.values():
            hand.open()

    def close(self) -> None:
        """Let go, and close the devices of all hands."""
        for hand in self.named.values():
            hand.close()
        self._acting = []
        self._hold()

    def begin(self, time: float) -> None:
        """Read all devices at the start of the step from ``time`` [s]."""
        dt = self._reach.time_step
        before, self._acting = self._acting, []
        for hand in self.named.values():
            hand.open()
            if hand.begin(time, dt):
                self._acting.append(hand)
        if before or self._acting:
            self._hold()

    def pull(self, dt: float) -> None:
        """Apply all hands and grips in order; each sees the effect of the ones before it."""
        for grip in self._grips:
            grip.pull(dt)
        for hand in self._acting:
            hand.pull(dt)

    def end(self, time: float, row: Floats) -> None:
        """Send the forces of the step to the devices, and write them to a row."""
        if not self.named:
            return
        row[self._block] = self._idle
        views: dict[str, Floats] = {}
        for k, hand in enumerate(self.named.values()):
            hand.end(time)
            if hand.acts:
                views = views or {name: self._reach.layout.view(row, name) for name in self._names}
                hand.write(views, k)

    def copy_from(self, other: Interaction) -> None:
        """Copy the grips of another simulation on links that exist here too."""
        assert isinstance(other, Hands)
        self._grips = [
            grip.copied(self._reach, link, self._let_go)
            for grip, link in self._held(other)
            if link >= 0
        ]
        self._hold()
        for name, hand in self.named.items():
            if name in other.named:
                hand.memory.renumber(*self._remembered(hand, other))

    def take_over(self, other: Interaction) -> None:
        """Take over the devices of another simulation's hands, and the links that they hold.

        Its grips stay closed too; their owners move them in this simulation from now on.
        """
        assert isinstance(other, Hands)
        self._grips = []
        for grip, link in self._held(other):
            if link < 0:
                grip.force[:] = grip.moment[:] = 0.0
            else:
                grip.join(self._reach, link, self._let_go)
                self._grips.append(grip)
        other._grips = []
        self._hold()
        for name, hand in self.named.items():
            if name in other.named:
                old = other.named[name]
                hand.take_over(old, *self._remembered(old, other))

    def live_run(self, sim: StepperSimulator, duration: float, *, endless: bool) -> Run:
        """Return a run that obeys the commands of its viewer."""
        from footfall_hands.live_run import LiveRun

        return LiveRun(sim, duration, endless=endless)

    def _remembered(self, hand: Hand, other: Hands) -> Iterator[int]:
        """Yield the numbers here of the links that a hand of another simulation remembers."""
        for link in hand.memory.links:
            yield self._numbered(link, other)

    def _numbered(self, link: int, other: Hands) -> int:
        """Return the number here of another simulation's link; -1 if it is missing or -1."""
        name = other.links[link] if link >= 0 else ""
        return self.links.index(name) if name in self.links else -1

    def _held(self, other: Hands) -> Iterator[tuple[Grip, int]]:
        """Yield each grip of another simulation with the number here of its link; -1: missing."""
        for grip in other._grips:
            yield grip, self._numbered(grip.held_link, other)

    def _let_go(self, grip: Grip) -> None:
        self._grips = [held for held in self._grips if held is not grip]
        self._hold()

    def _hold(self) -> None:
        """Tell the simulation how many hands and grips act within steps."""
        self._reach.hold(len(self._grips) + len(self._acting))
