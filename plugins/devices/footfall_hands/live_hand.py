"""The hand of a viewer's user in a live run."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.advanced import LiveHand
from footfall.api.plugin import Floats, SimulationError
from footfall.api.viewer import LiveDevice, Reading
from footfall_hands.hand import Hand
from footfall_hands.status import HandStatus

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


class ViewerHand:
    """The link between the viewer's hand and its device; it knows which moves have acted.

    Attributes:
        serial: number of the newest move that acted on the shown state, [-].
        unseen: whether the hand has been moved since it was last drawn.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        self.serial = 0
        self._waiting: deque[tuple[int, int]] = deque()
        self._last: Reading | None = None
        self._put_at = self._opened_at = -1  # ticks
        self.unseen = False
        self._sim, self._hand = sim, _live(sim)

    def follow(self, sim: StepperSimulator) -> None:
        """Act on another simulator, which continues this one."""
        self._sim, self._hand = sim, _live(sim)
        self._waiting.clear()

    def move(self, serial: int, reading: Reading, tick: int) -> None:
        """Move the hand, from the step of that tick on.

        Raises:
            SimulationError: if the scene has no hand for the viewer's users.
        """
        if self._hand is None:
            raise SimulationError(
                "the scene has no hand for the viewer: add [hands.mouse] "
                'device = { plugin = "mouse" }'
            )
        self._put(reading)
        self._last, self._put_at = reading, tick
        self._waiting.append((serial, tick))

    def release(self, serial: int, tick: int) -> None:
        """Let go, from the step of that tick on."""
        self.let_go()
        self._waiting.append((serial, tick))

    def let_go(self) -> None:
        """Let go at once."""
        if self._hand is not None and self._last is not None:
            self._last = replace(self._last, holds=False)
            self._put(self._last)
            self._put_at = self._opened_at = self._sim.state.tick

    def _put(self, reading: Reading) -> None:
        assert self._hand is not None
        assert isinstance(self._hand.device, LiveDevice)
        self._hand.device.put(reading)
        self.unseen = True

    def acted(self, tick: int) -> bool:
        """Return whether a new move has acted in a step up to that tick."""
        moved = False
        while self._waiting and self._waiting[0][1] <= tick:
            self.serial = self._waiting.popleft()[0]
            moved = True
        return moved

    def status(self) -> LiveHand:
        """Return the status of the hand; if it moved since the last step, its status to come."""
        now = self._now()
        if now is None:
            return LiveHand()
        return LiveHand(
            held=now.held,
            mode=now.mode,
            force=_vector(now.force),
            moment=_vector(now.moment),
            position=None if now.position is None else _vector(now.position),
            target=None if now.target is None else _vector(now.target),
            mass=now.mass,
        )

    def _now(self) -> HandStatus | None:
        if self._hand is None:
            return None
        tick = self._sim.state.tick
        if self._last is None or self._put_at != tick:
            return self._hand.status
        return self._hand.would(self._last, anew=self._opened_at == tick)

    @property
    def problem(self) -> str:
        """Reason why the hand let go or found nothing, one line; empty while it holds."""
        return "" if self._hand is None or not self._hand.problem else f"hand: {self._hand.problem}"

    def vector(self) -> Floats:
        """Return hand, held point, force and moment, shape (12,); NaN for a missing one."""
        found = np.full(12, np.nan)
        now = self._now()
        self.unseen = False
        if now is None:
            return found
        if now.target is not None:
            found[:3] = now.target
        if now.position is not None:
            found[3:6], found[6:9], found[9:] = now.position, now.force, now.moment
        return found


def _live(sim: StepperSimulator) -> Hand | None:
    """Return the hand that the viewer's users move; None if the scene has none."""
    for hand in sim.hands.named.values():
        if isinstance(hand, Hand) and isinstance(hand.device, LiveDevice):
            return hand
    return None


def _vector(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
