"""Settings of the balancing controller: gains and weights."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from footfall.api.plugin import NonNegative, PluginConfig, Positive, Tunable, Vector3
from footfall_controllers.balance.phase import Phase


class MomentumBalanceConfig(PluginConfig):
    """Settings; gains and weights refer to accelerations, so they depend little on the robot."""

    phases: Annotated[tuple[Phase, ...], Field(min_length=1)]
    """The phases in order of time, [s]."""
    friction: Positive = 0.4
    """Coefficient of friction assumed by the controller, [-]."""
    edge_margin: NonNegative = 0.005
    """Smallest allowed distance of a foot's centre of pressure from the foot's edges, [m]."""
    ground_normal: Vector3 = (0.0, 0.0, 1.0)
    """Upward normal of the ground under point feet [-]. Other feet: the sole's normal."""
    load_time: NonNegative = 0.2
    """Time to unload a foot before lift-off, and to load it after landing, [s]."""
    com_stiffness: Annotated[NonNegative, Tunable(0.0, 200.0)] = 30.0
    """Gain on the position of the mass centre, [1/s^2]."""
    com_damping: Annotated[NonNegative, Tunable(0.0, 60.0)] = 11.0
    """Gain on the velocity of the mass centre, [1/s]."""
    spin_damping: Annotated[NonNegative, Tunable(0.0, 50.0)] = 5.0
    """Decay rate of angular momentum, [1/s]."""
    foot_stiffness: Annotated[NonNegative, Tunable(0.0, 1000.0)] = 150.0
    """Gain on the pose of a foot in the air, [1/s^2]."""
    foot_damping: Annotated[NonNegative, Tunable(0.0, 100.0)] = 25.0
    """Gain on the velocity of a foot in the air, [1/s]."""
    hand_stiffness: Annotated[NonNegative, Tunable(0.0, 1600.0)] = 400.0
    """Gain on the pose of a hand, [1/s^2]."""
    hand_damping: Annotated[NonNegative, Tunable(0.0, 160.0)] = 40.0
    """Gain on the velocity of a hand, [1/s]."""
    base_stiffness: Annotated[NonNegative, Tunable(0.0, 400.0)] = 60.0
    """Gain on the base's orientation, [1/s^2]."""
    base_damping: Annotated[NonNegative, Tunable(0.0, 80.0)] = 16.0
    """Gain on the base's angular velocity, [1/s]."""
    posture_stiffness: Annotated[NonNegative, Tunable(0.0, 400.0)] = 40.0
    """Gain on joint positions, [1/s^2]."""
    posture_damping: Annotated[NonNegative, Tunable(0.0, 80.0)] = 12.0
    """Gain on joint velocities, [1/s]."""
    com_weight: Positive = 100.0
    """Weight of the mass centre's acceleration, [s^4/m^2]."""
    spin_weight: NonNegative = 0.3
    """Weight of the rate of angular momentum, divided by the inertia, [s^4]."""
    foot_weight: Positive = 100.0
    """Weight of the acceleration of feet in the air, [s^4/m^2]."""
    foot_turn_weight: NonNegative = 100.0
    """Weight of the angular acceleration of feet in the air, [s^4]."""
    hand_weight: Positive = 10.0
    """Weight of the acceleration of hands, [s^4/m^2]."""
    hand_turn_weight: NonNegative = 10.0
    """Weight of the angular acceleration of hands, [s^4]."""
    base_weight: NonNegative = 2.0
    """Weight of the base's angular acceleration, [s^4]."""
    posture_weight: Positive = 0.02
    """Weight of joint accelerations, [s^4 or s^4/m^2]."""
    wrench_weight: Positive = 0.03
    """Weight of the feet's forces and moments per mass, [s^4/m^2 and s^4/m^4]."""
    max_consecutive_failures: Annotated[int, Field(ge=1)] = 10
    """Number of failed QPs in a row [-] that ends the run."""

    @model_validator(mode="after")
    def _one_after_the_other(self) -> Self:
        first = self.phases[0]
        if first.start != 0.0:
            raise ValueError(f"the first phase must start at 0 s, not {first.start:g} s")
        end = 0.0
        for k, phase in enumerate(self.phases[1:], 1):
            if phase.start < end or phase.start <= self.phases[k - 1].start:
                raise ValueError(
                    f"phase {k} starts at {phase.start:g} s, before phase {k - 1} is over: it "
                    f"starts at {self.phases[k - 1].start:g} s and its transition ends at {end:g} s"
                )
            end = phase.start + phase.transition
        return self

    @model_validator(mode="after")
    def _feet_make_sense(self) -> Self:
        if not any(self.ground_normal):
            raise ValueError("ground_normal must be a direction, not zero")
        for k, phase in enumerate(self.phases):
            if len(set(phase.feet)) < len(phase.feet):
                raise ValueError(f"phase {k} names a foot twice: {', '.join(phase.feet)}")
            for foot in phase.over:
                if foot not in phase.feet:
                    raise ValueError(f"phase {k}: over names {foot}, which is not in feet")
            for foot in phase.lift:
                if foot in phase.feet:
                    raise ValueError(f"phase {k}: lift names {foot}, which is in feet")
        return self

    @model_validator(mode="after")
    def _feet_come_and_go_well(self) -> Self:
        for k, (before, after) in enumerate(zip(self.phases, self.phases[1:], strict=False), 1):
            for foot in set(after.feet) - set(before.feet):
                if any(before.lift.get(foot, (0.0, 0.0, 0.0))):
                    raise ValueError(
                        f"phase {k}: {foot} is in feet but is lifted in phase {k - 1}: put a "
                        "phase between them that lowers it"
                    )
            if not set(before.feet) & set(after.feet):
                raise ValueError(f"phase {k}: keep at least one of the feet of phase {k - 1}")
        return self
