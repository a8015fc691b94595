"""Settings of a hand: the table ``[hands.NAME]`` of a scene file, except its device."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from footfall.api.advanced import HandMode
from footfall.api.plugin import NonNegative, PluginConfig, Positive, Tunable


class HandSettings(PluginConfig):
    """Settings of a hand.

    A hand that drags pulls the held point towards it with a spring and damper. A hand that touches
    pushes with a ball.
    """

    mode: HandMode = "drag"
    """Drag or touch, unless the device chooses a mode."""
    stiffness: Annotated[Positive | None, Tunable(1.0, 1e5, logarithmic=True)] = None
    """Stiffness of the spring, [N/m]; default: the body's weight stretches the spring by 0.1 m
    (``drag``) or 5 mm (``touch``)."""
    damping_ratio: Annotated[NonNegative, Tunable(0.0, 3.0)] = 1.0
    """Damping ratio at the held point, [-]."""
    rotational_stiffness: Annotated[NonNegative, Tunable(0.0, 100.0)] = 0.0
    """Rotational stiffness, [N m/rad]; 0: the link turns freely about the held point."""
    force_limit: Annotated[Positive | None, Tunable(1.0, 1e4, logarithmic=True)] = None
    """Largest force, [N]; default: twice the weight of the held body."""
    strength: Annotated[Positive, Tunable(0.1, 10.0, logarithmic=True, acts="by_weight")] = 1.0
    """Factor for the default stiffness and the default force limit, [-]."""
    moment_limit: Positive | None = None
    """Largest moment, [N m]; default: none."""
    force_scale: NonNegative = 1.0
    """Factor for the force that a device with a force sensor measures, [-]."""
    feedback_scale: Annotated[NonNegative, Tunable(0.0, 2.0)] = 1.0
    """Force that the user feels, divided by the force on the body, [-]."""
    feedback_limit: Positive | None = None
    """Largest force that the user feels, [N]; default: none."""
    tip_radius: Annotated[Positive, Field(le=1.0)] = 0.01
    """Radius of the touching ball, [m]."""
    tip_friction: Annotated[NonNegative, Tunable(0.0, 2.0)] = 0.5
    """Friction of the touching ball, [-]."""
    reach: Annotated[NonNegative, Field(le=1.0)] = 0.05
    """Largest distance from the hand to the link that it grips, [m]."""
    max_jump: Positive = 1.0
    """Largest motion between two readings, [m]. After a larger motion, the hand opens."""
    follow_time: NonNegative = 0.01
    """Smallest time constant of smoothing, [s], for devices that send no velocities; 0: no
    smoothing. The time constant is at least half the time between two readings."""
    velocity_filter: NonNegative = 0.02
    """Time constant of the filter for velocities computed from positions, [s]; 0: no filter. It
    acts only for scripted devices, or if ``follow_time`` is 0."""

    @property
    def by_weight(self) -> bool:
        """Whether the stiffness or the largest force has its default, from a body's weight."""
        return self.stiffness is None or self.force_limit is None

    @model_validator(mode="after")
    def _strength_acts(self) -> Self:
        if self.strength != 1.0 and not self.by_weight:
            raise ValueError("strength has no effect beside stiffness and force_limit")
        return self

    def springs(self, weight: float, sag: float, lifts: float) -> tuple[float, float]:
        """Return stiffness [N/m] and largest force [N] for a body.

        Args:
            weight: weight of the whole body, [N].
            sag: stretch at which a spring of strength 1 carries it, [m].
            lifts: largest force of a hand of strength 1, in weights of the body, [-].
        """
        own = self.strength * weight
        return self.stiffness or own / sag, self.force_limit or lifts * own
