"""All checks, one file each."""

from footfall_validate.checks.friction import (
    painleve,
    random_rods,
    sliding_cube,
    slip_threshold,
    slope_slide,
    slope_stick,
    stopping,
)
from footfall_validate.checks.impacts import (
    bounce,
    bounce_end,
    bouncing_balls,
    landing,
    oblique_impact,
    pendulum_landing,
)
from footfall_validate.checks.motion import energy, free_flight, order, scale, symmetry, torque_free
from footfall_validate.checks.rest import coplanar, creep, resting_depth
from footfall_validate.checks.rolling import (
    friction_moments,
    rocking_block,
    rolling_ball,
    spinning_coin,
)
from footfall_validate.laws.check import Check

CHECKS: tuple[Check, ...] = tuple(
    module.CHECK
    for module in (
        free_flight,
        torque_free,
        order,
        energy,
        scale,
        symmetry,
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
