"""A phase of a motion: targets of feet, mass centre, hands and joints."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from footfall.api.plugin import NonNegative, PluginConfig, Positive, Text, Vector3


class HandGoal(PluginConfig):
    """Targets of a hand."""

    at: Vector3 | None = None
    """Target of its frame's origin, [m], world frame; by default its initial position."""
    rpy: Vector3 | None = None
    """Roll, pitch and yaw of its frame, [rad], world frame; by default the initial ones."""
    press: Vector3 = (0.0, 0.0, 0.0)
    """Force that it exerts, along its frame's axes, [N], in addition to the weight of its load."""
    press_at: Vector3 = (0.0, 0.0, 0.0)
    """Point of this force in its frame, [m]: the centre of its palm."""
    load: NonNegative = 0.0
    """Its part of the mass that hands carry, [kg]; it exerts the force that supports and moves this
    mass."""
    load_at: Vector3 = (0.0, 0.0, 0.0)
    """Centre of this mass, in its frame, [m]; it gives a moment of the hand."""


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
    """Weights of feet [-] in the target of the mass centre, which is over the weighted mean of
    their positions; feet not named have weight 0. By default all supporting feet weigh the same."""
    com_offset: tuple[float, float] = (0.0, 0.0)
    """Offset of the mass centre's target from that point, [m], world axes x and y."""
    com_rise: float = 0.0
    """Height of the mass centre over the supporting feet, minus the initial height, [m]."""
    lift: dict[Text, Vector3] = Field(default_factory=dict)
    """Targets of feet in the air, as offsets from their initial positions relative to the
    supporting feet, [m], world axes."""
    lean: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch and yaw of the base from its initial orientation, [rad], world axes."""
    hands: dict[Text, HandGoal] = Field(default_factory=dict)
    """Targets of hands [-], by the name of a foot, a link or a frame of the model file. A hand
    named in any phase keeps its initial pose in phases that do not name it."""
    joint_positions: dict[Text, float] = Field(default_factory=dict)
    """Target posture, by joint name or pattern, [rad or m]."""
    transition: Positive = 1.0
    """Duration of the transition from the targets of the previous phase, [s]; no effect in the
    first."""
