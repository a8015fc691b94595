"""The checks of dynamics engines."""

from footfall.testing.check import checks_of
from footfall.testing.declarations import declarations
from footfall_check.kit.engine import arrays, dynamics, loading

CHECKS = checks_of(
    "engine",
    declarations,
    loading.constants,
    loading.malformed,
    loading.unsound,
    arrays.shapes,
    arrays.inputs,
    arrays.deterministic,
    arrays.no_hidden_state,
    arrays.trees_apart,
    arrays.not_finite,
    dynamics.kinematics,
    dynamics.inertia,
    dynamics.bias,
    dynamics.bias_alone,
    dynamics.kinetic_energy,
    dynamics.power,
)
