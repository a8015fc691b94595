"""A phase of a motion: targets of feet, mass centre, hands and joints."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from footfall.api.plugin import NonNegative, PluginConfig, Positive, Text, Vector3


class HandGoal(PluginConfig):
    """Targets of a hand."""

    at: Vector3 | None = None
    """Target of its frame's origin, [m], world frame; default: the start."""
    rpy: Vector3 | None = None
    """Roll, pitch, yaw of its frame, [rad], world frame; default: the start."""
    press: Vector3 = (0.0, 0.0, 0.0)
    """Force that it exerts, in its frame, [N], besides its load's weight."""
    press_at: Vector3 = (0.0, 0.0, 0.0)
    """Point of this force in its frame, [m]: the palm's centre."""
    load: NonNegative = 0.0
    """Its part of the carried mass, [kg]; it supports and accelerates it."""
    load_at: Vector3 = (0.0, 0.0, 0.0)
    """Centre of this mass in its frame, [m]."""


class Phase(PluginConfig):
    """Targets from a time on, until the next phase.

    Targets that a phase leaves out are the initial ones: feet at their positions, the mass centre
    over the centre of the supporting feet, joints in the initial posture, the base upright.
    """

    start: NonNegative
    """Start of the phase, [s]; 0 for the first."""
    feet: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The supporting feet; all others are in the air."""
    over: dict[Text, Positive] = Field(default_factory=dict)
    """Weights of supporting feet [-]. The target of the mass centre is above the weighted mean of
    their positions. Default: equal weights."""
    com_offset: tuple[float, float] = (0.0, 0.0)
    """Offset of the mass centre's target, [m], world x and y."""
    com_rise: float = 0.0
    """Height of the mass centre's target above the supporting feet, minus the initial one, [m]."""
    lift: dict[Text, Vector3] = Field(default_factory=dict)
    """Target of each foot in the air, relative to its initial position, [m], world axes. If the
    supporting feet move, the target moves with their mean."""
    lean: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the base relative to its initial orientation, [rad], world axes."""
    hands: dict[Text, HandGoal] = Field(default_factory=dict)
    """Targets of hands [-]. A hand is a foot, link or frame, given by its name. A hand that only
    other phases name has its initial pose as target."""
    joint_positions: dict[Text, float] = Field(default_factory=dict)
    """Target posture by joint name or pattern, [rad or m]."""
    transition: Positive = 1.0
    """Time to reach the new targets, [s]; no effect in the first phase."""
