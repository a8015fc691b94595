"""Derivatives of steps with impacts that a model resolves, against differences."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.gradient_scenes import CASES, PRESSED, Case
from tests.plugins.test_gradients import at, by_jacobians, refused
from tests.plugins.test_gradients_kit import compare_parameters, compare_state

import footfall
from footfall.errors import SimulationError

STRIKES = "a cube strikes", "biped strikes", "hopper strikes", "quadruped strikes"
BOUNCES = "a cube strikes and bounces", "a ball bounces", "a ball strikes a plate"
pytestmark = pytest.mark.filterwarnings("ignore")  # as in the kit
MODELS = [
    *(("inelastic", name) for name in STRIKES),
    *(("restitution", name) for name in (*STRIKES[:2], *BOUNCES)),
]


def case_of(model, name, **more):
    return replace(CASES[name], change={**CASES[name].change, "impact.plugin": model, **more})


@each("model, name", MODELS)
def test_all_columns_by_state_and_forces(tmp_path, model, name):
    case, total = case_of(model, name), np.zeros(2, int)
    compare_state(case, tmp_path, 0, total)
    assert total[0] == 0
    sim = case.load(tmp_path)
    sim.step()
    assert sim.signal("impacts") > 0


@pytest.mark.long
@each("model, name", MODELS)
@each("seed", [1, 2])
def test_all_columns_in_other_states(tmp_path, seed, model, name):
    total = np.zeros(2, int)
    compare_state(case_of(model, name), tmp_path, seed, total)
    assert total[0] < 0.01 * total[1]


@each("model, name", [("inelastic", "a cube strikes"), ("restitution", "a ball strikes a plate")])
def test_every_parameter_is_right_or_refused(tmp_path, model, name):
    compare_parameters(case_of(model, name), tmp_path)


@each("model", ["inelastic", "restitution"])
def test_impacts_at_the_midpoint_are_differentiated(tmp_path, model):
    middle = {"integrator.plugin": "moreau_midpoint"}
    compare_state(case_of(model, "biped strikes", **middle), tmp_path, 0, np.zeros(2, int))


@each("model", ["inelastic", "restitution"])
def test_points_that_newly_touch_without_a_split_are_differentiated(tmp_path, model):
    change = {"impact.plugin": model, "simulation.max_impact_splits": 0}
    case = Case("cube/drop", change=change, depth=PRESSED, v={2: -0.5}, tilt=(0.2, 0.3, 0.0))
    compare_state(case, tmp_path, 0, np.zeros(2, int))
    sim = case.load(tmp_path)
    sim.step()
    assert (sim.signal("impacts"), sim.signal("impact_splits")) == (1, 0)


@each("model, leaves", [("inelastic", False), ("restitution", True)])
def test_a_point_that_leaves_is_stopped_or_not(tmp_path, model, leaves):
    """One edge of a cube strikes while the other one leaves."""
    change = {"impact.plugin": model, "simulation.max_impact_splits": 0}
    change["bodies.cube.base_orientation"] = [0.0, 0.0, 0.0]
    case = Case("cube/drop", change=change, depth=PRESSED, steps=0, v={2: 0.0, 3: 4.0})
    compare_state(case, tmp_path, 0, np.zeros(2, int))
    sim = case.load(tmp_path)
    sim.step()
    assert (abs(sim.v).max() > 1.0) == leaves


@each("model", ["inelastic", "restitution"])
def test_a_gradient_comes_back_through_a_run_with_impacts(model):
    sim = at("cube/drop", 290, **{"impact.plugin": model})
    begin, ends, rng = sim.state.copy(), [], np.random.default_rng(3)
    (dq, dv), way = rng.normal(size=(2, 6)), rng.normal(size=(2, 6))
    rollout = footfall.Rollout(sim, 20)
    found = rollout.vjp(dq, dv)
    for size in (1e-6, -1e-6):
        sim.state.restore(begin)
        sim.q[:] = footfall.integrate(sim, sim.q, size * way[0])
        sim.v[:] += size * way[1]
        other = footfall.Rollout(sim, 20)
        moved = footfall.difference(sim, rollout.q[-1], other.q[-1])
        ends.append(dq @ moved + dv @ (other.v[-1] - rollout.v[-1]))
    mine = found.q @ way[0] + found.v @ way[1]
    assert mine == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)
    np.testing.assert_allclose(found.q, by_jacobians(rollout, dq, dv)[0], rtol=1e-8)


@each(
    "change, text",
    [
        ({"impact.plugin": "frictional"}, 'impact model "frictional" has none'),
        ({"impact": {"plugin": "restitution", "hypothesis": "poisson"}}, 'hypothesis "poisson"'),
        (
            {"impact.plugin": "inelastic", "simulation.impact_order": "after_contact"},
            'impact_order = "after_contact" have none',
        ),
        (
            {"impact.plugin": "inelastic", "contact.plugin": "regularized"},
            'none beside contact law "regularized"',
        ),
    ],
)
def test_what_has_no_derivative_is_refused_by_its_name(change, text):
    sim = footfall.load("cube/drop", overrides=change)
    sim.step()
    refused(sim, text)
    with pytest.raises(SimulationError, match=text):
        footfall.Rollout(sim, 2)
