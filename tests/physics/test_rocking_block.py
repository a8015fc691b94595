"""The rocking block (Housner 1963) beside its check: friction, and the order of the error."""

import numpy as np
import pytest

from footfall.registry.discover import discover
from footfall_validate.checks.rolling.rocking_block import J, R, impact_ratio
from footfall_validate.combination import combine
from footfall_validate.lab import G, Lab

LAB = Lab(combine(discover(), "coulomb"))


def housner(a):
    return 1.0 - 1.5 * np.sin(a) ** 2


@pytest.mark.parametrize("mu", [0.6, 1.0])
def test_friction_does_not_matter_from_0_6_on(mu):
    """Off by what gravity does in the two steps of the impact: 1.5e-3 at 0.1 ms."""
    a = np.radians(25.0)
    assert impact_ratio(LAB, a, mu, 1e-4) == pytest.approx(housner(a), abs=1.5e-3)


@pytest.mark.parametrize("degrees", [10, 25])
def test_the_ratio_converges_to_first_order(degrees):
    """The impact is somewhere in a step; the rates before and after it bend by so much in one."""
    a = np.radians(degrees)
    bend = G * R * np.sin(a) / (J + R**2)
    rate = np.sqrt(2.0 * G * R * (np.cos(0.7 * a) - np.cos(a)) / (J + R**2))
    for dt in (4e-4, 2e-4, 1e-4, 5e-5):
        assert abs(impact_ratio(LAB, a, 0.8, dt) - housner(a)) < 2.0 * bend / rate * dt
