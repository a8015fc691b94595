"""The settings of the controller ``trot``."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from footfall.api.config import NonNegative, Positive, Text
from footfall.api.plugin import PluginConfig, Tunable

Duty = Annotated[float, Field(ge=0.5, lt=1.0)]
Phase = Annotated[float, Field(ge=0.0, lt=1.0)]
Plane = tuple[float, float]


class LegConfig(PluginConfig):
    """A leg: three joints from the trunk to a foot."""

    foot: Text
    """Frame in which the foot's contact features are given; the foot is in the middle of them."""
    phase: Phase
    """When in the cycle its step begins, from 0 to 1, dimensionless; the same for a diagonal."""
    place: Plane
    """Where the foot stands, forwards and to the left of the trunk's origin, [m]."""


class TrotConfig(PluginConfig):
    """The gait, the step, and how the trunk is held."""

    legs: Annotated[tuple[LegConfig, ...], Field(min_length=3)]
    """The legs, in any order."""
    start: NonNegative = 0.5
    """When the first step begins, [s]; until then all legs stand."""
    period: Positive = 0.4
    """Duration of a cycle, in which each leg steps once, [s]."""
    duty: Duty = 0.6
    """Part of the cycle that a leg stands, dimensionless."""
    step_height: Annotated[Positive, Tunable(0.01, 0.2)] = 0.06
    """How high a foot is lifted above the ground, [m]."""
    height: Positive
    """Height of the trunk's origin above the feet, [m]."""
    velocity: Plane = (0.0, 0.0)
    """Velocity to move with, forwards and to the left, [m/s]; zero: on the spot."""
    turn_rate: float = 0.0
    """Rate of turning to the left, [rad/s]."""
    home: Plane = (0.0, 0.0)
    """Where the trunk is to be at time zero, [m], world frame; it moves along with ``velocity``."""
    heading: float = 0.0
    """Direction in which the trunk is to look at time zero, [rad], from the world's x axis."""
    homing: NonNegative = 1.0
    """Speed back to where it should be, for each metre that it is off, [1/s]."""
    homing_limit: NonNegative = 0.2
    """Greatest speed back, [m/s]."""
    placement: NonNegative = 0.12
    """How far a foot steps out for each m/s that the trunk is faster than it should be, [s]; the
    gain of Raibert's rule."""
    reach: Positive = 0.15
    """Farthest that a foot is put from its ``place``, [m]."""
    trunk_frequency: Annotated[Positive, Tunable(1.0, 40.0)] = 12.0
    """Natural frequency of the spring-dampers that hold height and attitude, [rad/s]."""
    trunk_damping: Annotated[NonNegative, Tunable(0.0, 3.0)] = 0.9
    """Their damping ratio, dimensionless."""
    velocity_gain: Annotated[NonNegative, Tunable(0.0, 20.0)] = 4.0
    """Horizontal acceleration for each m/s that the trunk is too slow, [1/s]."""
    friction: Positive = 0.6
    """Greatest ratio of horizontal to vertical force that a foot is asked for, dimensionless."""
    swing_stiffness: Annotated[NonNegative, Tunable(0.0, 500.0)] = 80.0
    """Stiffness of the joints of a leg that steps, [N m/rad]."""
    swing_damping: Annotated[NonNegative, Tunable(0.0, 20.0)] = 2.0
    """Damping of the joints of a leg that steps, [N m s/rad]."""
    stance_damping: Annotated[NonNegative, Tunable(0.0, 5.0)] = 0.2
    """Damping of the joints of a leg that stands, [N m s/rad]."""

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
