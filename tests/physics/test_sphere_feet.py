"""Sphere feet on inclines: the ground's force acts where the sphere touches, below its centre.

Below means along the ground's normal, not along the world's vertical: on an incline of 0.3 rad the
two differ by 0.3 radii.
"""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import (
    G,
    Shape,
    ball,
    feature,
    flat_on,
    rigid_model,
    rotation_matrix,
    simulator,
    slope_normal,
    steps,
    world_velocity,
)

from footfall_gauss.contact import (
    Gauss,
    GaussConfig,
    GaussDeSaxce,
    GaussDeSaxceConfig,
    GaussDiscrete,
)
from footfall_qp.proxqp import ProxQP, ProxQPConfig
from footfall_standard.impact import NoImpact

MASS, RADIUS, SLOPE, MU = 3.0, 0.03, 0.3, 0.5
CENTRES = np.array([(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.08, 0.08)])
"""Of the feet, in the body's frame, [m]."""
LAWS = {
    "gauss": (Gauss, GaussConfig),
    "gauss_discrete": (GaussDiscrete, GaussConfig),
    "gauss_de_saxce": (GaussDeSaxce, GaussDeSaxceConfig),
}
AZIMUTHS = (0.0, 0.6, 2.1, 4.0)


def law(name, **settings):
    cls, config = LAWS[name]
    return cls(config(**settings), ProxQP(ProxQPConfig()))


def stand(name, azimuth, **settings):
    """A table on four sphere feet that all touch an incline, and the incline's normal."""
    n = slope_normal(SLOPE, azimuth)
    feet = [
        feature(f"foot{i}", centre, kind="sphere", radius=RADIUS)
        for i, centre in enumerate(CENTRES)
    ]
    table = Shape(rigid_model(MASS, (0.02, 0.03, 0.04)), feet)
    body = table.at((0.05 + RADIUS) * n, flat_on(n, yaw=0.4))
    return simulator(body, normal=n, mu=MU, law=law(name, **settings), impact=NoImpact(None)), n


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("sides", [4, 16])
def test_a_table_on_sphere_feet_stands_on_an_incline(name, azimuth, sides):
    """Force, and moment about the centre of mass, balance the weight; nothing moves for 0.3 s."""
    sim, n = stand(name, azimuth, sides=sides)
    start = sim.q.copy()
    steps(sim, 300)
    np.testing.assert_allclose(sim.q, start, atol=1e-9)
    sim.stepper.observe(sim.time)
    force, place = sim.signal("contact_force"), sim.signal("contact_position").copy()
    assert (force @ n > 0.0).all()
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, MASS * G], atol=1e-6)
    centres = sim.q[:3] + CENTRES @ rotation_matrix(sim.q[3:7]).T
    np.testing.assert_allclose(place, centres - RADIUS * n, atol=1e-9)
    moment = np.cross(place - sim.q[:3], force).sum(axis=0)
    np.testing.assert_allclose(moment, 0.0, atol=1e-6)


@each("name", LAWS)
@each("azimuth", AZIMUTHS)
def test_a_ball_rolls_down_an_incline(name, azimuth):
    """``a = g sin / (1 + 2/5)`` and ``w = v / R`` about the horizontal axis across the slope.

    An arm along the vertical would shorten the lever of friction by cos(0.3).
    """
    n = slope_normal(SLOPE, azimuth)
    body = ball(1.0, 0.1).at(0.1 * n)
    sim = simulator(body, normal=n, mu=MU, law=law(name), impact=NoImpact(None))
    steps(sim, 300)
    down = np.array([0.0, 0.0, -1.0]) + n[2] * n
    v = G * 5.0 / 7.0 * 0.3 * down
    np.testing.assert_allclose(world_velocity(sim)[:3], v, atol=1e-6)
    np.testing.assert_allclose(world_velocity(sim)[3:], np.cross(n, v) / 0.1, atol=1e-5)
