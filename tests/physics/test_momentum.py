"""What contacts give a body in momentum is what it gains, linear and angular."""

import numpy as np
import pytest
from tests.physics.composed import (
    DOWN,
    Shape,
    ball,
    box,
    points,
    rigid_model,
    rotation_matrix,
    simulator,
    world_velocity,
)

LENGTHS = (0.2, 0.1, 0.06)
START = (0.1, 0.2, 0.3, np.sqrt(0.86))


def asymmetric():
    """Return a box whose three moments of inertia differ."""
    return box(1.3, LENGTHS)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("e", [None, 0.5])
def test_the_linear_momentum_changes_by_weight_and_contact_forces(mu, e):
    """``m (v+ - v) = dt (m g + sum f)`` in every step of a tumble, to rounding."""
    body = asymmetric()
    sim = simulator(body.at((0, 0, 0.2), START, (1, 0.5, 0), (4, -3, 2)), mu=mu, e=e)
    m = body.model.link_mass[0]
    touched = 0
    for _ in range(800):
        before = world_velocity(sim)[:3]
        sim.step()
        force = sim.signal("contact_force").sum(axis=0)
        touched += bool(force.any())
        gained = m * (world_velocity(sim)[:3] - before)
        np.testing.assert_allclose(gained, sim.time_step * (m * DOWN + force), atol=1e-12)
    assert touched > 200


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_the_angular_momentum_changes_by_the_moment_of_the_contact_forces(mu):
    """``I(R+) w+ - I(R) w = dt sum r x f`` about the mass centre, r of the step's start.

    In a step that impacts split the arms of later parts are others, by what the body moves in it.
    """
    body = asymmetric()
    sim = simulator(body.at((0, 0, 0.1), START, (1, 0.5, 0), (4, -3, 2)), mu=mu)

    def angular():
        R = rotation_matrix(sim.q[3:7])
        return R @ body.model.link_inertia[0] @ R.T @ world_velocity(sim)[3:]

    touched = 0
    for _ in range(600):
        before, centre = angular(), sim.q[:3].copy()
        sim.step()
        arms = sim.signal("contact_position") - centre
        moment = np.cross(arms, sim.signal("contact_force")).sum(axis=0)
        touched += bool(moment.any())
        moved = np.abs(sim.v).sum() * sim.time_step * bool(sim.signal("impact_splits"))
        pushed = sim.time_step * np.abs(sim.signal("contact_force")).sum()
        np.testing.assert_allclose(
            angular() - before, sim.time_step * moment, atol=1e-15 + moved * pushed
        )
    assert touched > 200


def test_friction_and_spin_of_a_ball_share_one_impulse():
    """``I dw = -r n x m dv``: the angular momentum about the contact point stays the same."""
    shape = ball(1.5, 0.1)
    sim = simulator(shape.at((0, 0, 0.1), linear=(2, 1, 0), angular=(5, -8, 3)), mu=0.2)
    arm, m, inertia = np.array([0.0, 0.0, 0.1]), 1.5, 0.4 * 1.5 * 0.01

    def about_contact():
        v = world_velocity(sim)
        return inertia * v[3:] + np.cross(arm, m * v[:3])

    start = about_contact()
    for _ in range(1000):
        sim.step()
        np.testing.assert_allclose(about_contact(), start, atol=1e-11)


def test_what_two_bodies_feel_does_not_mix():
    """Each body's momentum knows only the forces on its own points."""
    shape = asymmetric()
    sim = simulator(
        [
            shape.at((0, 0, 0.08), START, (1, 0, 0), name="a"),
            shape.at((1, 0, 0.15), START, (0, 1, 0), name="b"),
        ]
    )
    m = shape.model.link_mass[0]
    for _ in range(300):
        before = [world_velocity(sim, k)[:3] for k in range(2)]
        sim.step()
        force = sim.signal("contact_force").reshape(2, 8, 3).sum(axis=1)
        for k in range(2):
            gained = m * (world_velocity(sim, k)[:3] - before[k])
            np.testing.assert_allclose(gained, sim.time_step * (m * DOWN + force[k]), atol=1e-12)


def test_a_force_off_the_mass_centre_turns_the_body():
    """One point under a bar: ``v_z' = f/m - g`` and ``w' = x f / I``; the end of a bar that falls.

    A uniform bar on one end falls with its mass centre at ``3/4 g`` at first.
    """
    length, m = 1.0, 1.0
    inertia = m * length**2 / 12.0
    bar = Shape(rigid_model(m, (1e-4, inertia, inertia)), points([(length / 2, 0, 0)]))
    sim = simulator(bar.at((0, 0, 0)), mu=1.0)
    sim.step()
    v = world_velocity(sim)
    assert v[2] == pytest.approx(-0.75 * 9.81 * sim.time_step, rel=1e-9)
    assert sim.signal("contact_force")[0, 2] == pytest.approx(0.25 * m * 9.81, rel=1e-9)
