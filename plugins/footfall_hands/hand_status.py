"""What a hand does, or would begin to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.interfaces.input_device import HandMode
from footfall.typing import Floats

NONE = -1
"""Link of a hand that holds nothing."""


@dataclass(frozen=True, slots=True)
class HandStatus:
    """What a hand does, as the last step left it.

    Attributes:
        held: ``body/link`` that is held or touched, ``fixed`` for an object that never moves, None
            if nothing is.
        mode: how the hand acts.
        force: shape (3,), on what is held, world, [N]; the user feels its opposite.
        moment: shape (3,), likewise about the held point, [N m].
        position: shape (3,), of the held point at the start of the step, world, [m]; None: none.
        target: shape (3,), of the hand at the end of the step, world, [m]; None: nowhere.
        mass: effective mass of the held point, [kg]; None if nothing is held.
        problem: why the hand last let go or found nothing, one line; empty while it holds.
    """

    held: str | None
    mode: HandMode
    force: Floats
    moment: Floats
    position: Floats | None
    target: Floats | None
    mass: float | None
    problem: str

    @classmethod
    def of_nothing(
        cls, mode: HandMode, problem: str = "", target: Floats | None = None
    ) -> HandStatus:
        """Return that of a hand that holds nothing."""
        zero = np.zeros(3)
        return cls(None, mode, zero, zero.copy(), None, target, None, problem)


@dataclass(frozen=True, slots=True)
class WouldHold:
    """What a hand would begin to do if a step were made, as if nothing moved.

    Attributes:
        target: shape (3,), of the hand, world, [m].
        link: global link, -1: none, -2: what never moves.
        position: shape (3,), of the held point, world, [m].
        force: shape (3,), of the spring alone, world, [N].
        mass: effective mass of the held point, [kg]; None: not known before the step.
    """

    target: Floats
    link: int
    position: Floats
    force: Floats
    mass: float | None

    def status(self, mode: HandMode, name_of: Callable[[int], str]) -> HandStatus:
        """Return it as the status of a hand of that mode; links are named by a function."""
        if self.link == NONE:
            return HandStatus.of_nothing(mode, target=self.target)
        place, moment = self.position, np.zeros(3)
        held = name_of(self.link)
        return HandStatus(held, mode, self.force, moment, place, self.target, self.mass, "")
