"""A hand in a simulation: it reads its device each step, and drags or touches."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping

import numpy as np

from footfall.api.advanced import HandMode, HandPlan
from footfall.api.plugin import Floats, SimulationError, error_line
from footfall.api.viewer import InputDevice, Reading
from footfall_hands.drag import Drag, NothingThereError
from footfall_hands.hand_memory import SIZE, HandFlag, HandMemory, checked, follow
from footfall_hands.proximity import Surroundings
from footfall_hands.settings import HandSettings
from footfall_hands.status import NONE, HandStatus
from footfall_hands.touch import Touch

log = logging.getLogger(__name__)
NOTHING = np.zeros(3)


class Hand:
    """A hand of a simulation.

    It reads its device in each step. It lets go if the reading is invalid: numbers that are not
    finite, a jump farther than ``max_jump``, a device that has gone away. It then holds nothing
    until the device has opened and closed again.

    Attributes:
        name: name of the hand.
        device: input device that moves it.
        settings: settings of the hand; new ones take effect in the next step.
        memory: its memory from step to step.
        problem: reason why it last let go or found nothing; empty while it holds.
    """

    def __init__(self, plan: HandPlan, around: Surroundings) -> None:
        assert isinstance(plan.settings, HandSettings)
        self.name, self.device = plan.name, plan.device
        self.settings: HandSettings = plan.settings
        kept = around.reach.memory(plan.name)
        self.memory = HandMemory(np.zeros(SIZE) if kept is None else kept)
        self._around, self._opened = around, False
        self._reading: Reading | None = None
        self._drag, self._touch = Drag(around, self.memory), Touch(around, self.memory)
        self._acts: Drag | Touch = self._drag
        self._felt, self.problem = False, ""

    @property
    def mode(self) -> HandMode:
        """Current or last mode of the hand."""
        return "touch" if self._acts is self._touch else "drag"

    @property
    def acts(self) -> bool:
        """Whether the hand acts in the current step."""
        return self._reading is not None

    @property
    def status(self) -> HandStatus:
        """Status of the hand after the last step."""
        acts, target = self._acts, self._acts.target.copy() if self.acts else None
        if target is None or acts.link == NONE:
            return HandStatus.of_nothing(self.mode, self.problem, target)
        name, held = self._around.name_of(acts.link), acts.held
        force, moment, position = held.force.copy(), held.moment.copy(), held.position.copy()
        return HandStatus(name, self.mode, force, moment, position, target, held.mass, self.problem)

    def would(self, reading: Reading, *, anew: bool) -> HandStatus:
        """Return the status that the hand would have if a step began now; nothing changes.

        Its force is that of the spring alone, as if nothing moved.

        Args:
            reading: reading for the next step.
            anew: whether the hand has been open since the last step.
        """
        mode, settings = reading.mode or self.settings.mode, self.settings
        none = HandStatus.of_nothing(mode, self.problem)
        if not reading.holds or (self.memory.flags[HandFlag.MUST_OPEN] and not anew):
            return none
        try:
            reading = checked(reading)
            if mode == "touch":
                return self._touch.would(reading, settings)
            return self._drag.would(reading, settings, anew=anew)
        except SimulationError:
            return none  # the step will report the error

    def take_over(self, other: Hand, held: int, touched: int) -> None:
        """Take over the state and the device of the same hand in another simulation.

        Args:
            other: the hand of the other simulation.
            held: global number here of the link that it holds; -1 if the link is not here.
            touched: likewise for the link that its ball rests on.
        """
        self.device, self.problem = other.device, other.problem
        self._opened, other._opened = other._opened, False
        if self.device.live:
            self.memory.copy_from(other.memory)
        self.memory.renumber(held, touched)

    def open(self) -> None:
        """Open the device unless it is open; for touching, prepare the shapes to search."""
        if not self._opened:
            self._opened = True
            self.device.open()
            if self.settings.mode == "touch":
                self._around.shapes(self.settings.tip_radius)

    def close(self) -> None:
        """Close the device; a live hand lets go."""
        if self._opened:
            self._opened = False
            if self.device.live:
                self._let_go()
            self.device.close()

    def begin(self, time: float, dt: float) -> bool:
        """Read the device; return whether the hand will act in the step from ``time`` [s]."""
        said, flags = self._ask(time), self.memory.flags
        if said is None or not getattr(said, "holds", True):
            if said is None and self._reading is not None and self.device.live:
                self._tell(logging.INFO, f"{self._what()}the device has gone away")
            self._let_go()
            flags[HandFlag.MUST_OPEN] = 0.0 if self._opened else 1.0
            return False
        if flags[HandFlag.MUST_OPEN]:
            return False
        try:
            self._reading = reading = checked(said)
            follow(self.memory, reading, self.settings, dt, live=self.device.live)
        except SimulationError as error:
            self._bar(str(error))
            return False
        acts = self._touch if (reading.mode or self.settings.mode) == "touch" else self._drag
        if acts is not self._acts:
            self._acts.release()
            self._acts = acts
        return True

    def pull(self, dt: float) -> bool:
        """Act in a step, given the velocity without the hand; return whether the hand acted."""
        assert self._reading is not None
        try:
            acted = self._acts.pull(self._reading, self.memory, self.settings, dt)
        except NothingThereError as error:
            self._tell(logging.INFO, str(error))
            return False
        except SimulationError as error:
            self._bar(str(error))
            return False
        if acted:
            self.problem = ""
        return acted

    def end(self, time: float) -> None:
        """Send the force and moment of the step to the device."""
        acts = self._acts
        if type(self.device).feel is InputDevice.feel:
            return
        if self.acts and acts.link != NONE:
            force, moment = self._feedback(acts)
            self._felt = True
        elif self._felt or self.acts:
            force = moment = NOTHING.copy()
            self._felt = self.acts
        else:
            return
        try:
            self.device.feel(time, force, moment)
        except Exception as error:
            self._lose(error)

    def write(self, row: Mapping[str, Floats], k: int) -> None:
        """Write the recorded values of the hand, the k-th, to named views of a row."""
        acts, there = self._acts, self.acts
        holds = there and acts.link != NONE
        row["hand_target"][k] = acts.target if there else math.nan
        row["hand_target_velocity"][k] = self.memory.velocity[:3] if there else 0.0
        row["hand_position"][k] = acts.held.position if holds else math.nan
        row["hand_velocity"][k] = acts.held.velocity[:3] if holds else 0.0
        row["hand_force"][k] = acts.held.force if holds else 0.0
        row["hand_moment"][k] = acts.held.moment if holds else 0.0
        row["hand_support"][k] = acts.support if there else 0.0
        row["hand_link"][k] = acts.link if holds else -1.0
        row["hand_mass"][k] = acts.held.mass if holds else math.nan
        row["hand_stiffness"][k], row["hand_damping"][k] = acts.gains if holds else (math.nan,) * 2

    def _ask(self, time: float) -> Reading | None:
        if not self._opened:
            return None
        try:
            return self.device.read(time)
        except Exception as error:
            self._lose(error)
            return None

    def _lose(self, error: Exception) -> None:
        """Continue without a failed device; the next step opens it again."""
        problem = f"its device has failed: {error_line(error)}"
        if problem != self.problem:  # log a lasting failure once
            self._tell(logging.ERROR, problem)
        self._let_go()
        self._opened, self.memory.flags[HandFlag.MUST_OPEN] = False, 1.0

    def _let_go(self) -> None:
        self._reading, self.memory.flags[HandFlag.FOLLOWS] = None, 0.0
        self._acts.release()

    def _bar(self, reason: str) -> None:
        """Hold nothing until the device has opened and closed again."""
        self._tell(logging.WARNING, f"{self._what()}{reason}")
        self._let_go()
        self.memory.flags[HandFlag.MUST_OPEN] = 1.0

    def _what(self) -> str:
        """Return the log's words for the link that the hand lets go of; empty if none."""
        link = self._acts.link
        return f"lets go of {self._around.name_of(link)}: " if link != NONE else ""

    def _tell(self, level: int, problem: str) -> None:
        self.problem = problem
        log.log(level, "t = %.6g s: hand %s: %s", self._around.reach.time, self.name, problem)

    def _feedback(self, acts: Drag | Touch) -> tuple[Floats, Floats]:
        """Return force and moment on the user."""
        scale, limit = -self.settings.feedback_scale, self.settings.feedback_limit
        force, moment = scale * acts.felt, scale * acts.held.moment
        size = float(np.linalg.norm(force))
        if limit is not None and size > limit:
            force, moment = force * (limit / size), moment * (limit / size)
        return force, moment
