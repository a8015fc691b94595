"""Each check of interactions fails for one that breaks what it asserts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import footfall.testing
from footfall.api.advanced import HandPlan, HandsWorld, Interaction, Variable
from footfall.api.plugin import Floats
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("interaction")}


class Counting(Interaction):
    """Pushes harder with every step in which a hand is closed; what it has counted is kept."""

    name = "counting"

    def __init__(self, hands: Sequence[HandPlan]) -> None:
        self.hands, self.is_open = tuple(hands), False

    @property
    def memory_sizes(self) -> Mapping[str, int]:
        return {hand.name: 1 for hand in self.hands}

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"hand": tuple(hand.name for hand in self.hands)}

    def variables(self, links: Sequence[str]) -> tuple[Variable, ...]:
        return (Variable("push", ("hand",), (len(self.hands),), "N", "how hard it pushes"),)

    def connect(self, reach: HandsWorld) -> None:
        self.reach = reach
        self.memory = {hand.name: reach.memory(hand.name) for hand in self.hands}

    def open(self) -> None:
        for hand in self.hands if not self.is_open else ():
            hand.device.open()
        self.is_open = True

    def close(self) -> None:
        for hand in self.hands if self.is_open else ():
            hand.device.close()
        self.is_open = False

    def begin(self, time: float) -> None:
        readings = [hand.device.read(time) for hand in self.hands]
        self.acting = [
            hand
            for hand, said in zip(self.hands, readings, strict=True)
            if said is not None and said.holds
        ]
        self.reach.hold(len(self.acting))

    def pull(self, dt: float) -> None:
        for hand in self.acting:
            kept = self.memory[hand.name]
            kept += 1.0
            self.reach.act(0, np.zeros(3), np.array([0.0, 0.0, kept[0], 0.0, 0.0, 0.0]), dt)

    def end(self, time: float, row: Floats) -> None:
        """Nothing is written."""


class Undocumented(Counting):
    __doc__ = ""


class Unnamed(Counting):
    """Names no hands."""

    labels = {}  # noqa: RUF012


class OpensAgain(Counting):
    """Opens what is open."""

    def open(self) -> None:
        for hand in self.hands:
            hand.device.open()


class ActsWhenOpen(Counting):
    """Does not look at the device."""

    def begin(self, time: float) -> None:
        self.acting = list(self.hands)
        self.reach.hold(len(self.acting))


class NotANumber(Counting):
    """Pushes with what is no number."""

    def pull(self, dt: float) -> None:
        self.reach.act(0, np.zeros(3), np.full(6, np.nan), dt)


class Forgets(Counting):
    """Counts where no state is saved."""

    def connect(self, reach: HandsWorld) -> None:
        self.reach = reach
        self.memory: dict[str, Any] = {hand.name: np.zeros(1) for hand in self.hands}


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        ("declarations", Undocumented),
        ("records", Unnamed),
        ("opens_and_closes", OpensAgain),
        ("open_hand", ActsWhenOpen),
        ("finite", NotANumber),
        ("goes_on", Forgets),
    ],
)
def test_a_check_finds_what_it_is_for(check: str, cls: type[Interaction]) -> None:
    assert not CHECKS[check].examine(subject_of("interaction", cls)).passed
    assert CHECKS[check].examine(subject_of("interaction", Counting)).passed


def test_a_sound_one_conforms() -> None:
    footfall.testing.assert_conforms("interaction", Counting)
