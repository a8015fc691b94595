"""Painleve's rod: where rigid sliding has no finite acceleration, the tip jams.

A uniform rod (m = 1, length 1) at an angle theta to the ground slides on its tip. In the sliding
mode the tip's normal acceleration per normal force is proportional to
``1 + 3 cos(theta) (cos(theta) - mu sin(theta))``, for mu = 5/3 negative between tan(theta) = 1 and
4: no force at all can hold the tip (Painleve 1895; Acary and Brogliato 2008, section 5.5). A
velocity-level step has an answer: the tip jams.
"""

import numpy as np
import pytest
from tests.physics.composed import (
    Shape,
    points,
    rigid_model,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    steps,
)

HALF = 0.5
"""Half of the rod's length, [m]."""
ROD = Shape(rigid_model(1.0, (1 / 12, 1 / 12, 1e-3)), points([(HALF, 0, 0)]))
JAMMING = 5.0 / 3.0
TANGENTS = np.linspace(1.05, 3.95, 11)


def rod_on_its_tip(theta, linear, angular, mu, yaw=0.0):
    """Return a rod whose tip touches the ground, below and in front of its mass centre."""
    turn, lean = rotation_quaternion((0, 0, yaw)), rotation_quaternion((0, theta, 0))
    x, y, z, w = lean
    s, c = turn[2], turn[3]
    quaternion = np.array([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z])
    tip = rotation_matrix(quaternion) @ (HALF, 0, 0)
    return simulator(ROD.at(-tip, quaternion, linear=linear, angular=angular), mu=mu)


def tip_velocity(sim):
    """Return the velocity that the law targeted, in the contact frame, [m/s]."""
    problem = sim.stepper.problem
    return problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset


@pytest.mark.parametrize("tangent", TANGENTS)
@pytest.mark.parametrize("yaw", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("speed", [0.1, 3.0])
def test_the_tip_jams_with_a_finite_impulse(tangent, yaw, speed):
    forward = speed * np.array([np.cos(yaw), np.sin(yaw), 0.0])
    sim = rod_on_its_tip(np.arctan(tangent), forward, (0, 0, 0), JAMMING, yaw)
    sim.step()
    impulse = sim.stepper.problem.impulse
    W = sim.stepper.problem.delassus()
    sliding = -np.array([np.cos(yaw), np.sin(yaw)])
    # The premise: no normal impulse can hold a tip that slides forwards.
    assert W[2, 2] + JAMMING * W[2, :2] @ sliding < 0.0
    np.testing.assert_allclose(tip_velocity(sim), 0.0, atol=1e-9)
    assert 0.0 < impulse[2] < 10.0 * speed
    assert np.hypot(*impulse[:2]) < JAMMING * impulse[2]


@pytest.mark.parametrize("tangent", TANGENTS)
def test_the_tip_slides_on_in_the_other_direction(tangent):
    """Dragged behind, the tip slips as ever: friction lies on the cone, against the motion."""
    sim = rod_on_its_tip(np.arctan(tangent), (-3.0, 0, 0), (0, 0, 0), JAMMING)
    sim.step()
    u, impulse = tip_velocity(sim), sim.stepper.problem.impulse
    assert u[0] < -2.0
    assert abs(u[2]) < 1e-9
    np.testing.assert_allclose(impulse[:2], (JAMMING * impulse[2], 0.0), atol=1e-12)
    assert impulse[2] > 0.0


def test_no_local_solve_fails_in_random_states_at_mu_10():
    """150 states, until the rod lies: residuals at the law's tolerance; the tip does not sink in.

    A tip of a rod that turns with w moves on a circle: a velocity-level step leaves a penetration
    of ``L (w dt)^2 / 4``, with rates of up to 30 rad/s here.
    """
    rng = np.random.default_rng(4)
    for _ in range(150):
        theta, yaw = rng.uniform(0.05, 1.5), rng.uniform(0.0, 2.0 * np.pi)
        v, w = rng.normal(scale=3.0, size=3), rng.normal(scale=5.0, size=3)
        sim = rod_on_its_tip(theta, v, w, 10.0, yaw)
        steps(sim, 80)
        worst, penetration = sim.stepper.monitor.run[0], sim.stepper.monitor.run[5]
        assert worst <= 1e-9
        assert penetration < 0.25 * (30.0 * 1e-3) ** 2
