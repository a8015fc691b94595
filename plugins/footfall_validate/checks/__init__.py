"""All checks, one file each."""

from footfall_validate.check import Check
from footfall_validate.checks import (
    bounce,
    bounce_end,
    bouncing_balls,
    coplanar,
    creep,
    energy,
    free_flight,
    friction_moments,
    landing,
    oblique_impact,
    order,
    painleve,
    pendulum_landing,
    random_rods,
    resting_depth,
    rocking_block,
    rolling_ball,
    sliding_cube,
    slip_threshold,
    slope_slide,
    slope_stick,
    spinning_coin,
    stopping,
    torque_free,
)

CHECKS: tuple[Check, ...] = tuple(
    module.CHECK
    for module in (
        free_flight,
        torque_free,
        order,
        energy,
        slope_stick,
        slope_slide,
        slip_threshold,
        creep,
        stopping,
        sliding_cube,
        rolling_ball,
        friction_moments,
        spinning_coin,
        painleve,
        random_rods,
        coplanar,
        resting_depth,
        landing,
        bounce,
        bounce_end,
        bouncing_balls,
        oblique_impact,
        pendulum_landing,
        rocking_block,
    )
)
"""All checks, in the order of listings."""
