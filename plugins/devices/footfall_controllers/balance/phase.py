"""A phase of a motion: what is wanted of feet, mass centre, hands and joints."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from footfall.api.config import NonNegative, Positive, Text, Vector3
from footfall.api.plugin import PluginConfig


class HandGoal(PluginConfig):
    """What is wanted of a hand."""

    at: Vector3 | None = None
    """Where the origin of its frame is to be, [m], world frame; by default where it was at the
    start."""
    rpy: Vector3 | None = None
    """Roll, pitch and yaw of its frame, [rad], world frame; by default those at the start."""
    press: Vector3 = (0.0, 0.0, 0.0)
    """Force that it exerts on what it touches, along its frame's axes, [N]; the weight of what it
    bears comes on top."""
    press_at: Vector3 = (0.0, 0.0, 0.0)
    """Where it presses, in its frame, [m]: the middle of its palm."""
    load: NonNegative = 0.0
    """Its part of the mass of what hands bear, [kg]: it exerts as much as keeps that mass up and
    moves it along."""
    load_at: Vector3 = (0.0, 0.0, 0.0)
    """Where the mass centre of that is, in its frame, [m]: a moment that the hand exerts."""


class Phase(PluginConfig):
    """What is wanted from a time on, until the next phase.

    What a phase leaves out is as at the start: feet at their places, the mass centre over the
    middle of the feet that carry, joints in the starting posture, the base upright.
    """

    start: NonNegative
    """When it begins, [s]; the first at 0."""
    feet: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The feet that carry; all others are in the air."""
    over: dict[Text, Positive] = Field(default_factory=dict)
    """Weights of feet [-] in the mean of their places that the mass centre is to be over; feet that
    are not named have none. By default all that carry have the same."""
    com_offset: tuple[float, float] = (0.0, 0.0)
    """From that point to where the mass centre is to be, [m], world axes x and y."""
    com_rise: float = 0.0
    """Height of the mass centre over the feet that carry, less that at the start, [m]."""
    lift: dict[Text, Vector3] = Field(default_factory=dict)
    """Where feet in the air are to be, from their places at the start relative to the feet that
    carry, [m], world axes."""
    lean: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch and yaw of the base from its orientation at the start, [rad], world axes."""
    hands: dict[Text, HandGoal] = Field(default_factory=dict)
    """What is wanted of hands [-], by the name of a foot, a link or a frame of the model file. A
    hand that any phase names is where it was at the start in phases that do not name it."""
    joint_positions: dict[Text, float] = Field(default_factory=dict)
    """Posture to stay near, by joint name or pattern, [rad or m]."""
    transition: Positive = 1.0
    """How long it takes from what the phase before wanted, [s]; of no effect in the first."""
