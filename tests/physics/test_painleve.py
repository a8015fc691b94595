"""Painleve's rod beside its check: the premise of the jam, and the tip that is dragged behind."""

import numpy as np
import pytest
from tests.cases import each

from footfall.registry.discover import discover
from footfall_validate.checks.friction.painleve import rod_on_its_tip
from footfall_validate.combination import combine
from footfall_validate.lab import Lab

JAMMING = 5.0 / 3.0
TANGENTS = np.linspace(1.05, 3.95, 11)
LAB = Lab(combine(discover(), "coulomb"))


def tip_velocity(sim):
    """Return the velocity that the law targeted, in the contact frame, [m/s]."""
    problem = sim.stepper.problem
    return problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset


@pytest.mark.parametrize("tangent", TANGENTS)
def test_the_tip_slides_on_in_the_other_direction(tangent):
    """Dragged behind, the tip slips as ever: friction lies on the cone, against the motion."""
    sim = rod_on_its_tip(LAB, np.arctan(tangent), (-3.0, 0, 0), (0, 0, 0), JAMMING)
    sim.step()
    u, impulse = tip_velocity(sim), sim.stepper.problem.impulse
    assert u[0] < -2.0
    assert abs(u[2]) < 1e-9
    np.testing.assert_allclose(impulse[:2], (JAMMING * impulse[2], 0.0), atol=1e-12)
    assert impulse[2] > 0.0


@each("tangent", TANGENTS)
@each("yaw", [0.0, 1.0])
def test_no_normal_force_can_hold_a_tip_that_slides_forwards(tangent, yaw):
    """``W_nn + mu W_nt d < 0``: and yet the tip jams, on an impulse inside the cone."""
    forward = 3.0 * np.array([np.cos(yaw), np.sin(yaw), 0.0])
    sim = rod_on_its_tip(LAB, np.arctan(tangent), forward, (0, 0, 0), JAMMING, yaw)
    sim.step()
    W, impulse = sim.stepper.problem.delassus(), sim.stepper.problem.impulse
    assert W[2, 2] - JAMMING * W[2, :2] @ (np.cos(yaw), np.sin(yaw)) < 0.0
    assert np.hypot(*impulse[:2]) < JAMMING * impulse[2]
