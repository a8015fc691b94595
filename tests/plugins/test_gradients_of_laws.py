"""Derivatives under laws that give their own, against central differences."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.test_gradients import errors, refused

import footfall
from footfall.errors import SimulationError
from footfall_gradients.refusals import own_slopes

LAWS = (
    {"plugin": "regularized"},
    {"plugin": "compliant"},
    {"plugin": "mujoco_soft", "inverse_weight": 2.0, "tolerance": 1e-14},
    {"plugin": "mujoco_soft", "inverse_weight": 2.0, "tolerance": 1e-14, "cone": "pyramidal"},
)


def under(law, scene, steps):
    sim = footfall.load(scene, overrides={f"contact.{key}": value for key, value in law.items()})
    sim.run(steps * sim.time_step)
    sim.q[2] -= 5e-4 + max(float(sim.signal("gap").min()), 0.0)  # on soft ground, what slides hops
    return sim


@each("law", LAWS)
@each("scene, steps", [("cube/sliding", 100), ("icub/standing", 50), ("ball/rolling", 300)])
def test_other_laws_give_a_derivative_of_their_own(law, scene, steps):
    found, wrong = errors(under(law, scene, steps), size=1e-7, speed=1e-6)
    assert (found.mode == -1).all()
    assert "unknown" in repr(found)
    assert max(wrong.values()) < 1e-6, wrong


@each("law", LAWS[:3])
def test_friction_is_a_parameter_of_other_laws(law):
    key, ends = "bodies.cube.friction", []
    sim = under(law, "cube/sliding", 50)
    start, mu = sim.state.copy(), sim.world.candidates.friction[0]
    for change in (-1e-6, 1e-6, 0.0):
        sim.state.restore(start)
        sim.tune(key, mu + change)
        sim.step()
        ends.append(sim.v.copy())
    expected = (ends[1] - ends[0]) / 2e-6
    found = sim.derivatives(parameters=[key]).dv_dp[:, 0]
    assert np.abs(expected).max() > 1e-4
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


def test_friction_of_joints_under_other_laws_is_refused_by_its_name():
    motor = {"joints": ["*"], "coulomb_friction": 0.3}
    sim = footfall.load(
        "rrbot/swing",
        overrides={"contact.plugin": "regularized", "bodies.rrbot.actuators": [motor]},
    )
    sim.step()
    refused(sim, "gives none while limits or friction of joints act")


def test_a_gradient_goes_back_through_a_law_with_a_derivative_of_its_own():
    sim = under(LAWS[0], "cube/sliding", 20)
    start, end = sim.state.copy(), np.zeros(6)
    end[0] = 1.0
    found = footfall.Rollout(sim, 40).vjp(np.zeros(6), end)
    ends = []
    for change in (1e-6, -1e-6):
        sim.state.restore(start)
        sim.v[0] += change
        ends.append(footfall.Rollout(sim, 40).v[-1, 0])
    assert found.v[0] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_what_other_laws_do_not_give_is_refused():
    sim = under(LAWS[1], "cube/sliding", 20)
    with pytest.raises(SimulationError, match=r"state of its own \(deformation\)"):
        footfall.Rollout(sim, 3)
    sim = under({"plugin": "mujoco_soft"}, "cube/sliding", 100)
    sim.step()
    refused(sim, 'contact law "mujoco_soft" gives none')
    with pytest.raises(SimulationError, match="gives none by restitution"):
        own_slopes(sim, {"restitution": np.ones((1, 1))}, split=False)


def test_steps_of_a_rollout_without_derivatives_are_nan():
    sim = footfall.load("cube/drop", overrides={"contact": {"plugin": "mujoco_soft"}})
    sim.run(290 * sim.time_step)
    found = footfall.Rollout(sim, 20, parameters=["world.gravity.2"]).jacobians()  # it lands
    ended = np.isin(np.arange(20), list(found.failures))
    assert 0 < ended.sum() < 20
    for array in (found.state, found.parameters, found.least_margin):
        assert np.isnan(array[ended]).all()
        assert not np.isnan(array[~ended]).any()


def test_slopes_of_other_shapes_are_refused(monkeypatch):
    sim = under(LAWS[0], "cube/sliding", 100)
    monkeypatch.setattr(type(sim.stepper.law), "slopes", lambda *_: (np.eye(2),) * 5)
    sim.step()
    refused(sim, r"none of the right shapes: its slopes returned \[\(2, 2\)")
