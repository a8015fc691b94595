"""The status of a hand, after the last step or in the next, and its recorded variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.advanced import HandMode, Variable
from footfall.api.plugin import Floats

NONE = -1
"""Link of a hand that holds nothing."""


@dataclass(frozen=True, slots=True)
class HandStatus:
    """Status of a hand, after the last step or in the next.

    Attributes:
        held: held or touched ``body/link``; ``fixed`` for a fixed object; None if there is none.
        mode: mode of the hand.
        force: shape (3,), force on the held link, world, [N]; the user feels its opposite.
        moment: shape (3,), moment on it about the held point, [N m].
        position: shape (3,), held point at the start of the step, world, [m]; None if none.
        target: shape (3,), hand at the end of the step, world, [m]; None without a reading.
        mass: effective mass of the held point, [kg]; None if nothing is held.
        problem: reason why the hand last let go or found nothing, one line; empty while it holds.
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
        """Return the status of a hand that holds nothing."""
        zero = np.zeros(3)
        return cls(None, mode, zero, zero.copy(), None, target, None, problem)


def hand_variables(n: int, links: Sequence[str] = ()) -> tuple[Variable, ...]:
    """Return the recorded variables of n hands; empty if there are none.

    Args:
        n: number of hands.
        links: names of all links of the world; they explain the numbers in ``hand_link``.
    """
    if not n:
        return ()

    def vector(name: str, units: str, meaning: str) -> Variable:
        return Variable(f"hand_{name}", ("hand", "axis"), (n, 3), units, meaning)

    def number(name: str, units: str, meaning: str) -> Variable:
        return Variable(f"hand_{name}", ("hand",), (n,), units, meaning)

    link = "held or touched link, among all of the world; -1: none, -2: a fixed object"
    names = " ".join(["fixed", "none", *(name.replace(" ", "_") for name in links)])
    flags = {"flag_values": list(range(-2, len(links))), "flag_meanings": names}
    return (
        vector("target", "m", "hand at the end of the step, world; NaN: no reading"),
        vector("target_velocity", "m/s", "velocity of the hand, world"),
        vector("position", "m", "held or touched point, world; NaN: none"),
        vector("velocity", "m/s", "its velocity after the step, before contacts act, world"),
        vector("force", "N", "mean force of the hand on the link over the step, world"),
        vector("moment", "N m", "mean moment about the point, world"),
        vector("support", "N", "mean force of a ball on fixed objects and the ground, world"),
        Variable("hand_link", ("hand",), (n,), "1", link, "int64", flags),
        number("mass", "kg", "effective mass of the held point; NaN: none"),
        number("stiffness", "N/m", "stiffness between hand and point; NaN: no spring acts"),
        number("damping", "N s/m", "damping between hand and point; NaN: no damper acts"),
    )
