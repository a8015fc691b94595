"""The simulations behind the figures of the page on other laws."""

import numpy as np

import footfall
from footfall.api.contact import ContactProblem
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_small_laws.bisection.contact import Bisection, BisectionConfig
from footfall_small_laws.lcp.contact import LCPConfig, LinearComplementarity
from footfall_small_laws.regularized import Regularized, RegularizedConfig

MU, WEIGHT = 0.5, 0.01
"""Friction, and the impulse of a point's weight over a step, [N s]."""
PULL = 0.5
"""Acceleration beyond that of friction, [m/s^2]."""


def circle():
    """Return the default law."""
    return Coulomb(CoulombConfig())


def polygon(sides):
    """Return the pyramid law."""
    return LinearComplementarity(LCPConfig(sides=sides))


def turning():
    """Return the law of maximum dissipation."""
    return Bisection(BisectionConfig())


def answer(law, W, free_velocity):
    """Return impulse and velocity of one contact, (3,) each."""
    problem = ContactProblem.from_dense(W, np.array(free_velocity), np.array([MU]))
    law.solve(problem, {})
    return problem.impulse, W @ problem.impulse + free_velocity


def holding(law, angle):
    """Return the pull along the ground that a resting point withstands, over mu m g."""
    low, high = 0.9, 1.6
    for _ in range(12):
        middle = 0.5 * (low + high)
        pull = middle * MU * WEIGHT * np.array([np.cos(angle), np.sin(angle)])
        slides = np.hypot(*answer(law, np.eye(3), [*pull, -WEIGHT])[1][:2]) > 1e-9
        low, high = (low, middle) if slides else (middle, high)
    return low


def braking(law, angle):
    """Return the part of friction against the direction of sliding, over mu m g."""
    d = np.array([np.cos(angle), np.sin(angle)])
    impulse, _ = answer(law, np.eye(3), [*d, -WEIGHT])
    return -float(impulse[:2] @ d) / (MU * WEIGHT)


def angle_to_slip(law, coupling):
    """Return the angle between friction and the reversed slip [deg], with W_nt over W_nn."""
    W = np.eye(3)
    W[1, 2] = W[2, 1] = coupling
    impulse, u = answer(law, W, [1.0, 0.0, -0.1])
    r, s = impulse[:2], -u[:2]
    return np.degrees(np.arctan2(abs(r[0] * s[1] - r[1] * s[0]), r @ s))


def soft_friction(slip_speed, speeds):
    """Return regularised friction over mu f_n at slip speeds [m/s], of points 1 mm deep."""
    n = len(speeds)
    velocity, forces = np.zeros((n, 3)), np.zeros(3 * n)
    velocity[:, 0] = speeds
    problem = ContactProblem.from_dense(
        np.eye(3 * n), velocity.ravel(), np.full(n, MU), gap=np.full(n, -1e-3)
    )
    Regularized(RegularizedConfig(slip_speed=slip_speed)).force(problem, {}, {}, forces)
    return -forces[0::3] / (MU * forces[2::3])


def push_off(law, speed, angle, duration, **settings):
    """Return the run of a cube that is pushed off in a direction."""
    chosen = {
        "contact.plugin": law,
        "bodies.cube.base_linear_velocity": [speed * np.cos(angle), speed * np.sin(angle), 0.0],
    }
    return footfall.load("cube/sliding", chosen | settings).run(duration)


def pulled(law, pull, duration, **settings):
    """Return the run of a cube at rest under a steady pull along x, [m/s^2]."""
    chosen = {
        "contact.plugin": law,
        "bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0],
        "world.gravity": [pull, 0.0, -9.81],
    }
    return footfall.load("cube/sliding", chosen | settings).run(duration)


def stopping_excess(law, mu):
    """Return how much farther a cube slides than v^2 / (2 mu g), [percent]."""
    run = push_off(law, 2.0, 0.0, 2.0 / (mu * 9.81) + 0.1, **{"bodies.cube.friction": mu})
    exact = 2.0**2 / (2.0 * mu * 9.81) - 0.5 * 2.0 * 1e-3
    return 100.0 * (float(run.base_position[-1, 0, 0]) / exact - 1.0)
