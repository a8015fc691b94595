"""The status of a hand, now or if a step were made, and its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.interaction import HandMode, Variable
from footfall.api.plugin import Floats

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


def hand_variables(n: int, links: Sequence[str] = ()) -> tuple[Variable, ...]:
    """Return what is recorded of n hands; nothing where there are none.

    Args:
        n: number of hands.
        links: names of all links of the world, to say what the numbers in ``hand_link`` mean.
    """
    if not n:
        return ()

    def vector(name: str, units: str, meaning: str) -> Variable:
        return Variable(f"hand_{name}", ("hand", "axis"), (n, 3), units, meaning)

    def number(name: str, units: str, meaning: str) -> Variable:
        return Variable(f"hand_{name}", ("hand",), (n,), units, meaning)

    link = "link that is held or touched, among all of the world; -1: none, -2: a fixed object"
    names = " ".join(["fixed", "none", *(name.replace(" ", "_") for name in links)])
    flags = {"flag_values": list(range(-2, len(links))), "flag_meanings": names}
    return (
        vector("target", "m", "where the hand is at the end of the step, world; NaN: nowhere"),
        vector("target_velocity", "m/s", "velocity of the hand, world"),
        vector("position", "m", "point that is held or touched, world; NaN: none"),
        vector("velocity", "m/s", "its velocity after the step, before contacts act, world"),
        vector("force", "N", "mean force of the hand on the link over the step, world"),
        vector("moment", "N m", "mean moment about the point, world"),
        vector("support", "N", "mean force of a ball on what never moves, the ground too, world"),
        Variable("hand_link", ("hand",), (n,), "1", link, "int64", flags),
        number("mass", "kg", "effective mass of the point that is held; NaN: none"),
        number("stiffness", "N/m", "of the spring between hand and point; NaN: none acts"),
        number("damping", "N s/m", "of the damper between hand and point; NaN: none acts"),
    )
