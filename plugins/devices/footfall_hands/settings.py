"""How a hand acts: the table ``[hands.NAME]`` of a scene file, but for its device."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from footfall.api.config import NonNegative, Positive
from footfall.api.interaction import HandMode
from footfall.api.plugin import PluginConfig, Tunable


class HandSettings(PluginConfig):
    """How a hand acts.

    Dragging, a spring and damper pull the held point towards the hand; touching, a ball at the
    hand pushes what it meets.
    """

    mode: HandMode = "drag"
    """Whether the hand drags or touches, where its device does not say."""
    stiffness: Annotated[Positive | None, Tunable(1.0, 1e5, logarithmic=True)] = None
    """Of the spring, [N/m]; by default the weight of the body that is held over 0.1 m, and touching
    over 5 mm."""
    damping_ratio: Annotated[NonNegative, Tunable(0.0, 3.0)] = 1.0
    """1 is critical for the effective mass at the held point, [-]."""
    rotational_stiffness: Annotated[NonNegative, Tunable(0.0, 100.0)] = 0.0
    """Of turning, [N m/rad]; 0 leaves the link free to turn about the held point."""
    force_limit: Annotated[Positive | None, Tunable(1.0, 1e4, logarithmic=True)] = None
    """Largest force, [N]; by default twice the weight of the body that is held."""
    strength: Annotated[Positive, Tunable(0.1, 10.0, logarithmic=True, acts="by_weight")] = 1.0
    """Factor on the stiffness and the largest force that follow from a body's weight, [-]."""
    moment_limit: Positive | None = None
    """Largest moment, [N m]; by default none."""
    force_scale: NonNegative = 1.0
    """Force on what is touched for each newton that a device with a force sensor measures, [-]."""
    feedback_scale: Annotated[NonNegative, Tunable(0.0, 2.0)] = 1.0
    """Force on the user for each newton on what is held, [-]."""
    feedback_limit: Positive | None = None
    """Largest force that is sent back to the device, [N]; by default none."""
    tip_radius: Annotated[Positive, Field(le=1.0)] = 0.01
    """Of the ball that touches, [m]."""
    tip_friction: Annotated[NonNegative, Tunable(0.0, 2.0)] = 0.5
    """Coefficient of friction between that ball and what it touches, [-]; 0: none."""
    reach: Annotated[NonNegative, Field(le=1.0)] = 0.05
    """Farthest from the ball that a closing hand still finds something to hold, [m], where its
    device does not say what."""
    max_jump: Positive = 1.0
    """Farthest that a hand may move from one reading to the next, [m]; beyond it lets go."""
    follow_time: NonNegative = 0.01
    """Least time constant with which the hand follows a device that somebody moves and that gives
    no velocity, [s]; 0: takes its positions as they come, in jumps."""
    velocity_filter: NonNegative = 0.02
    """Time constant of the low-pass filter on velocities taken from positions that are not
    followed, [s], where the device gives none; 0: none."""

    @property
    def by_weight(self) -> bool:
        """Whether its stiffness or its largest force follows from the weight of a body."""
        return self.stiffness is None or self.force_limit is None

    @model_validator(mode="after")
    def _strength_acts(self) -> Self:
        if self.strength != 1.0 and not self.by_weight:
            raise ValueError("strength has no effect beside stiffness and force_limit")
        return self

    def springs(self, weight: float, sag: float, lifts: float) -> tuple[float, float]:
        """Return stiffness [N/m] and largest force [N] for a body.

        Args:
            weight: of the whole body, [N].
            sag: way over which a spring of strength 1 carries it, [m].
            lifts: weights that a hand of strength 1 lifts, [-].
        """
        own = self.strength * weight
        return self.stiffness or own / sag, self.force_limit or lifts * own
