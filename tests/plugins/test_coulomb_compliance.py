"""Compliant contacts of the coulomb law: from rigid to soft, each contact as it is told."""

import numpy as np
import pytest
from tests.physics.composed import G, box, simulator, steps

import footfall
from footfall.errors import SceneError, SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import foot
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.compliances import compliances_of
from footfall_coulomb.contact import Coulomb, CoulombConfig


def ball(gap, speed, *, mass=2.0, dt=1e-3):
    """Return a point mass over the ground, its velocity at the end of the step if it were free."""
    return ContactProblem.from_dense(
        np.eye(3) / mass,
        np.array([0.0, 0.0, speed - 9.81 * dt]),
        np.array([0.5]),
        velocity=np.array([0.0, 0.0, speed]),
        gap=np.array([gap]),
        dt=dt,
    )


@pytest.mark.parametrize("damping_time", [0.0, 2e-3])
@pytest.mark.parametrize("compliance", [1e-8, 1e-5, 1e-3])
def test_a_compliant_contact_rests_at_compliance_times_force(compliance, damping_time):
    """At that depth it stays at rest, under m g."""
    depth = compliance * 2.0 * 9.81
    problem = ball(-depth, 0.0)
    settings = CoulombConfig(compliance=compliance, damping_time=damping_time)
    Coulomb(settings).solve(problem, {})
    assert problem.impulse[2] == pytest.approx(2.0 * 9.81e-3, rel=1e-6)
    assert not problem.correction.any()


@pytest.mark.parametrize("dt", [1e-4, 1e-2])
def test_a_compliant_contact_settles_at_any_step(dt):
    """A stiff spring, 1e8 N/m at 2 kg (period 0.9 ms): depth = compliance m g."""
    compliance, gap, speed = 1e-8, 0.0, 0.0
    law = Coulomb(CoulombConfig(compliance=compliance, damping_time=1e-3))
    for _ in range(400):
        problem = ball(gap, speed, dt=dt)
        law.solve(problem, {})
        speed = float(problem.free_velocity[2] + problem.impulse[2] / 2.0)
        gap += dt * speed
    assert gap == pytest.approx(-compliance * 2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("compliance", [1e-7, 1e-4])
def test_the_offset_says_what_a_compliant_contact_aims_at(compliance):
    """With it the conditions of contact hold, and W is left as it was."""
    for seed in range(8):
        case = foot(seed)
        problem = case.problem()
        Coulomb(CoulombConfig(compliance=compliance, damping_time=1e-3)).solve(problem, {})
        u = case.delassus @ problem.impulse + problem.free_velocity + problem.offset
        assert natural_map(case, problem.impulse.copy(), u) <= 2e-9
        np.testing.assert_array_equal(problem.arrays.W, case.problem().arrays.W)


def test_contacts_may_differ_in_compliance():
    """Four points of 2 kg: each rests at its own depth; the rigid one's penetration is removed."""
    soft = np.array([1e-5, 1e-4, 0.0, 1e-3])
    law = Coulomb(CoulombConfig(compliances={"box/a": 1e-5, "box/b": 1e-4, "*d": 1e-3}))
    law.name_contacts(["box/a", "box/b", "box/c", "box/d"])
    depth = np.where(soft > 0.0, soft * 2.0 * 9.81, 1e-3)
    problem = ContactProblem.from_dense(
        np.eye(12) / 2.0, np.tile([0.0, 0.0, -9.81e-3], 4), np.full(4, 0.5), gap=-depth
    )
    law.solve(problem, {})
    np.testing.assert_allclose(problem.impulse[2::3], 2.0 * 9.81e-3, rtol=1e-6)
    np.testing.assert_allclose(
        problem.correction[2::3] / 2.0, [0, 0, 0.2 * (1e-3 - 1e-5) / 1e-3, 0], atol=1e-9
    )


def test_the_last_pattern_counts_and_the_rest_keeps_the_common_value():
    table = {"*/foot?": 1e-5, "*2": 1e-6, "icub/foot1": 0.0}
    names = ["icub/foot1", "icub/foot2", "icub/hand", "box/foot1"]
    assert compliances_of(names, 1e-3, table).tolist() == [0.0, 1e-6, 1e-3, 1e-5]


def test_a_compliance_of_no_contact_is_refused():
    with pytest.raises(SceneError, match="no contact is named or matches 'cube/corner'"):
        footfall.load("cube/drop", {"contact.compliances": {"cube/corner": 1e-5}})


def test_compliances_need_names():
    problem = ball(0.0, 0.0)
    with pytest.raises(SolverError, match="compliances are by name"):
        Coulomb(CoulombConfig(compliances={"*": 1e-5})).solve(problem, {})


def test_a_box_with_two_softer_corners_leans_on_them():
    """Every corner carries a quarter, ``depth = compliance m g / 4``, but for what it leans."""
    soft = 1e-5
    law = {"compliance": soft, "damping_time": 5e-3, "compliances": {"body/p[01]": 2.0 * soft}}
    sim = simulator(box().at((0, 0, 0.05)), law=law)
    steps(sim, 1000)
    expected = -0.25 * G * soft * np.array([2.0, 2.0, 1.0, 1.0])
    np.testing.assert_allclose(sim.world.candidates.gap[:4], expected, rtol=1e-3)
    assert np.abs(sim.v).max() < 1e-9


def test_a_box_with_two_rigid_corners_hinges_on_them():
    law = {"compliance": 1e-5, "damping_time": 5e-3, "compliances": {"body/p[23]": 0.0}}
    sim = simulator(box().at((0, 0, 0.05)), law=law)
    steps(sim, 1000)
    gap = sim.world.candidates.gap[:4]
    np.testing.assert_allclose(gap[:2], -0.25 * G * 1e-5, rtol=1e-3)
    assert np.abs(gap[2:]).max() < 1.1e-5
