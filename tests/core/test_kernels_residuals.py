"""The host's residuals, on cases small enough to be worked out by hand."""

import numpy as np
import pytest
from tests.physics.composed import G, ball, box, simulator, steps

from footfall.interfaces.contact import ImpulseLaw
from footfall.problem.arrays import Residual
from footfall_stepper.world.step_arrays import StepFigure

MASS, MU, DT = 2.0, 0.5, 1e-3
WEIGHT = MASS * G * DT
"""Impulse of a step that carries the ball, [N s]."""


class Told(ImpulseLaw):
    """Answers with one given impulse, offset zero."""

    name = "told"

    def __init__(self, impulse):
        self.impulse = np.array(impulse, float)

    @property
    def margin(self):
        return 1e-3

    def solve(self, problem, state):
        problem.impulse[:] = self.impulse
        problem.offset[:] = 0.0
        problem.correction[:] = 0.0
        problem.report.write()


def residuals(impulse, linear=(0.0, 0.0, 0.0), mu=MU):
    """Return the five residuals of an impulse on a ball without spin that touches the ground.

    Its inertia is so large that it does not turn: the Delassus matrix is 1/m times 1, the free
    velocity ``linear - g dt z``.
    """
    heavy = ball(MASS, 0.1)
    heavy.model.link_inertia[:] = 1e12 * np.eye(3)
    law = Told(impulse)
    sim = simulator(heavy.at((0, 0, 0.1), linear=linear), mu=mu, law=law)
    sim.step()
    return sim.stepper.monitor.residual.copy()


def test_the_right_answer_of_a_resting_ball_has_none():
    np.testing.assert_allclose(residuals((0, 0, WEIGHT)), 0.0, atol=1e-15)


def test_the_right_answer_of_a_sliding_ball_has_none():
    found = residuals((-MU * WEIGHT, 0, WEIGHT), linear=(1.0, 0, 0))
    np.testing.assert_allclose(found, 0.0, atol=1e-15)


def test_the_right_answer_of_a_leaving_ball_has_none():
    np.testing.assert_allclose(residuals((0, 0, 0), linear=(0.3, 0.2, 1.0)), 0.0, atol=1e-15)


@pytest.mark.parametrize("linear", [(0, 0, 1.0), (0.3, 0.2, 1.0)])
def test_the_right_answer_of_a_ball_that_leaves_smooth_ground_has_none(linear):
    np.testing.assert_allclose(residuals((0, 0, 0), linear=linear, mu=0.0), 0.0, atol=1e-15)


def test_no_impulse_on_a_sinking_ball_is_off_by_its_speed():
    """``u = (0, 0, -g dt)``, r = 0: the natural map is ``|P(-rho u)| / rho = g dt``."""
    found = residuals((0, 0, 0))
    assert found[Residual.NATURAL_MAP] == pytest.approx(G * DT, rel=1e-12)
    assert found[Residual.SIGNORINI] == 0.0


def test_an_impulse_that_lifts_is_off_by_r_n_u_n():
    """Twice the weight: ``u_n = g dt``, Signorini ``r_n u_n``, natural map ``u_n``."""
    found = residuals((0, 0, 2.0 * WEIGHT))
    assert found[Residual.SIGNORINI] == pytest.approx(2.0 * WEIGHT * G * DT, rel=1e-12)
    assert found[Residual.NATURAL_MAP] == pytest.approx(G * DT, rel=1e-12)
    assert found[Residual.COMPLEMENTARITY] == pytest.approx(2.0 * WEIGHT * G * DT, rel=1e-12)


def test_missing_friction_is_missing_dissipation():
    """r on the axis of the cone while it slides with v: ``mu r_n v``."""
    v = 0.7
    found = residuals((0, 0, WEIGHT), linear=(v, 0, 0))
    assert found[Residual.DISSIPATION] == pytest.approx(MU * WEIGHT * v, rel=1e-12)
    assert found[Residual.OUTSIDE_CONE] == 0.0
    assert found[Residual.NATURAL_MAP] > 1e-3


def test_friction_across_the_motion_is_not_dissipation_but_shows():
    """On the cone's edge but sideways: dissipation's measure is blind, the natural map is not."""
    found = residuals((0, MU * WEIGHT, WEIGHT), linear=(0.7, 0, 0))
    assert found[Residual.DISSIPATION] < 1e-12
    assert found[Residual.NATURAL_MAP] > 1e-3
    assert found[Residual.COMPLEMENTARITY] > 1e-4


def test_an_impulse_outside_the_cone_has_a_distance():
    """Straight tangential r: the nearest point of the cone is mu r / sqrt(1 + mu^2)... away r cos.

    The distance of (r, 0) from the cone with half-angle atan(mu) is ``r cos(atan mu)``.
    """
    r = 3.0 * WEIGHT
    found = residuals((r, 0, 0))
    assert found[Residual.OUTSIDE_CONE] == pytest.approx(r * np.cos(np.arctan(MU)), rel=1e-12)


def test_an_impulse_that_pulls_has_its_own_length_as_distance():
    found = residuals((0, 0, -WEIGHT))
    assert found[Residual.OUTSIDE_CONE] == pytest.approx(WEIGHT, rel=1e-12)


def test_a_run_reports_the_worst_and_the_median():
    """The summary's figures are those of the recorded rows; the median to a tenth of a decade."""
    sim = simulator(
        box(1.0, (0.2, 0.1, 0.06)).at((0, 0, 0.2), (0.1, 0, 0, np.sqrt(0.99)), angular=(1, 2, 3))
    )
    run = sim.run(1.0)
    rows = run.residual_natural_map.values
    again = simulator(
        box(1.0, (0.2, 0.1, 0.06)).at((0, 0, 0.2), (0.1, 0, 0, np.sqrt(0.99)), angular=(1, 2, 3))
    ).record(1.0)
    assert again.natural_map_worst == rows.max()
    median = np.median(rows)
    assert median <= again.natural_map_median <= max(1.3 * median, 1e-19)
    assert again.penetration_worst == run.penetration.values.max()


def test_the_worst_part_of_a_split_step_is_kept():
    """A step with an impact has several problems: residuals are the largest of them."""
    sim = simulator(ball().at((0, 0, 0.1005)), e=0.5)
    sim.v[2] = -2.0
    sim.step()
    assert sim.stepper.monitor.step[StepFigure.SPLITS] == 1.0
    assert sim.stepper.monitor.residual[Residual.NATURAL_MAP] <= 1e-9
    steps(sim, 10)
