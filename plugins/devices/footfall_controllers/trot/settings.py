"""The settings of the controller ``trot``."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from footfall.api.plugin import NonNegative, PluginConfig, Positive, Text, Tunable

Duty = Annotated[float, Field(ge=0.5, lt=1.0)]
Phase = Annotated[float, Field(ge=0.0, lt=1.0)]
Plane = tuple[float, float]


class LegConfig(PluginConfig):
    """A leg: three joints from the trunk to a foot."""

    foot: Text
    """Frame that has contact features in ``robot.toml``; their centre is the foot's position."""
    phase: Phase
    """Start of the leg's step, as a fraction of the cycle; equal for a diagonal pair, [-]."""
    place: Plane
    """Position of the standing foot, forwards and left of the trunk's origin, [m]."""


class TrotConfig(PluginConfig):
    """Settings of the gait, the steps and the trunk."""

    legs: Annotated[tuple[LegConfig, ...], Field(min_length=3)]
    """The legs."""
    start: NonNegative = 0.5
    """Start of the first step, [s]; until then all legs stand."""
    period: Positive = 0.4
    """Duration of a cycle, in which each leg steps once, [s]."""
    duty: Duty = 0.6
    """Fraction of the cycle during which a leg stands, dimensionless."""
    step_height: Annotated[Positive, Tunable(0.01, 0.2)] = 0.06
    """Largest height of a stepping foot, [m]."""
    height: Positive
    """Height of the trunk's origin above the feet, [m]."""
    velocity: Plane = (0.0, 0.0)
    """Velocity of the trunk, forwards and left, [m/s]."""
    turn_rate: float = 0.0
    """Turn rate to the left, [rad/s]."""
    home: Plane = (0.0, 0.0)
    """Target of the trunk until ``start``, [m], world frame; then it moves with ``velocity``."""
    heading: float = 0.0
    """Target heading until ``start``, [rad], measured from the world's x axis."""
    homing: NonNegative = 1.0
    """Speed towards the target per distance from it, [1/s]."""
    homing_limit: NonNegative = 0.2
    """Largest speed towards the target, [m/s]."""
    placement: NonNegative = 0.12
    """Raibert's gain: shift of a foothold per speed error, [s]."""
    reach: Positive = 0.15
    """Largest distance of a foothold from the leg's ``place`` (a key of ``legs``), [m]."""
    trunk_frequency: Annotated[Positive, Tunable(1.0, 40.0)] = 12.0
    """Natural frequency of the height and attitude springs, [rad/s]."""
    trunk_damping: Annotated[NonNegative, Tunable(0.0, 3.0)] = 0.9
    """Damping ratio of these springs, dimensionless."""
    velocity_gain: Annotated[NonNegative, Tunable(0.0, 20.0)] = 4.0
    """Horizontal acceleration per speed error, [1/s]."""
    friction: Positive = 0.6
    """Largest commanded ratio of horizontal to vertical foot force, dimensionless."""
    swing_stiffness: Annotated[NonNegative, Tunable(0.0, 500.0)] = 80.0
    """Joint stiffness of a stepping leg, [N m/rad]."""
    swing_damping: Annotated[NonNegative, Tunable(0.0, 20.0)] = 2.0
    """Joint damping of a stepping leg, [N m s/rad]."""
    stance_damping: Annotated[NonNegative, Tunable(0.0, 5.0)] = 0.2
    """Joint damping of a standing leg, [N m s/rad]."""

    @model_validator(mode="after")
    def _each_foot_once(self) -> Self:
        feet = [leg.foot for leg in self.legs]
        if len(set(feet)) < len(feet):
            raise ValueError("legs: each foot may be given once")
        swing = 1.0 - self.duty
        for leg in self.legs:
            stepping = [other for other in self.legs if (leg.phase - other.phase) % 1.0 < swing]
            if len(self.legs) - len(stepping) < 2:
                raise ValueError(
                    f"legs: fewer than two stand at phase {leg.phase:g} of the cycle, while "
                    f"{', '.join(other.foot for other in stepping)} step"
                )
        return self
