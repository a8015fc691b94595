"""Rotations by rotation vectors."""

import numpy as np
from tests.cases import each

from footfall.api.kernels import kernel
from footfall.spatial.rotation import exponential


@kernel
def write_quaternion(w, q):
    """Write exp(w / 2)."""
    q[0], q[1], q[2], q[3] = exponential(w[0], w[1], w[2])


@each("angle", [0.0, 1e-9, 1e-3, 0.02, 0.0999999, 0.1000001, 0.5, 3.0, 7.0])
def test_a_turn_by_any_angle_is_exact_to_rounding(angle):
    """``(sin(a/2) n, cos(a/2))``, by the series for small angles and by the functions for large."""
    for n in np.random.default_rng(1).standard_normal((20, 3)):
        n, q = n / np.linalg.norm(n), np.zeros(4)
        write_quaternion(angle * n, q)
        exact = [*(np.sin(0.5 * angle) * n), np.cos(0.5 * angle)]
        np.testing.assert_allclose(q, exact, rtol=1e-15, atol=1e-15 * angle)
