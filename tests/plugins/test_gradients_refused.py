"""What derivatives and gradients are refused for, each by its name and in a line."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.test_gradients import at, refused

import footfall
from footfall.errors import SimulationError


def test_keys_are_a_list():
    sim = at("cube/drop", 3)
    refused(sim, "list of keys", parameters="bodies.cube.friction")
    with pytest.raises(SimulationError, match="list of keys"):
        footfall.Rollout(sim, 3, parameters="bodies.cube.friction")


@each("steps, tau, text", [(0, None, "whole number"), (3, np.zeros((2, 23)), "shape")])
def test_a_rollout_that_cannot_be_is_refused(steps, tau, text):
    with pytest.raises(SimulationError, match=text):
        footfall.Rollout(at("icub/standing", 0), steps, tau)


def test_a_gradient_that_does_not_fit_is_refused():
    with pytest.raises(SimulationError, match="shape"):
        footfall.Rollout(at("cube/drop", 0), 3).vjp(np.zeros(5), np.zeros(6))


def test_without_a_step_there_is_nothing_to_differentiate():
    refused(footfall.load("cube/drop"), "make a step first")


def test_a_changed_state_is_refused():
    sim = at("cube/drop", 10)
    sim.v[0] += 0.1
    refused(sim, "changed since")


@pytest.mark.parametrize("scene", ["cube/drop", "icub/standing"])
def test_changed_positions_are_refused(scene):
    sim = at(scene, 10)
    sim.q[2] += 0.01
    refused(sim, "positions have been changed since")


def test_gradients_and_simulators_that_are_none_are_refused_in_a_line():
    with pytest.raises(SimulationError, match=r"gradients must have the shape \(6,\), got \(3,\)"):
        at("cube/drop", 10).derivatives().vjp(np.zeros(3), np.zeros(6))
    with pytest.raises(SimulationError, match="expected a simulator"):
        footfall.Rollout("cube/drop", 5)


def test_changed_gains_are_refused():
    sim = at("icub/standing", 3)
    sim.stepper.world.joints.stiffness[6:] *= 2.0
    refused(sim, "gains have changed")


def test_a_push_that_is_over_is_refused():
    sim = at("icub/standing", 3)
    sim.push("root_link", force=(30.0, 0.0, 0.0))
    sim.step()
    refused(sim, "a push")


@each(
    "scene, text",
    (
        ("fourbar/swinging", "closed loops"),
        ("disc/rolling", 'integrator "dormand_prince"'),
        ("ball/spinning", "rolling friction"),
        ("icub/seed", 'contact law "gauss"'),
    ),
)
def test_what_has_no_derivative_is_refused_by_its_name(scene, text):
    sim = footfall.load(scene)
    sim.step()
    refused(sim, text)


def test_steps_of_other_integrators_are_refused():
    sim = footfall.load("cube/drop", overrides={"integrator.plugin": "moreau_midpoint"})
    sim.step()
    refused(sim, "semi_implicit_euler")


def test_an_option_that_is_none_is_refused():
    refused(at("cube/drop", 10), "at_rest", at_rest="above")
    refused(at("cube/drop", 10), "axes", axes="base")
