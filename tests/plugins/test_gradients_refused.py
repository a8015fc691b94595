"""What derivatives and gradients are refused for, each by its name and in a line."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
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
    refused(sim, "been changed since")


@each("scene", ["cube/drop", "icub/standing", "rrbot/swing"])
@each("change", [0.01, 1e-7])
def test_changed_positions_are_refused(scene, change):
    sim = at(scene, 10)
    sim.q[2 % len(sim.q)] += change
    refused(sim, "the state has been changed since")
    sim.q[2 % len(sim.q)] -= change
    sim.derivatives()


def test_changed_positions_after_an_impact_are_refused():
    sim = at("cube/drop", 290)
    while sim.signal("impact_splits") == 0:
        sim.step()
    sim.q[0] += 1e-6
    refused(sim, "the state has been changed")
    sim.q[0] -= 1e-6
    sim.derivatives()


def test_torques_through_drives_that_remember_are_refused():
    spring = {"joints": ["*"], "plugin": "series_elastic", "stiffness": 50.0, "rotor_inertia": 0.01}
    sim = at("rrbot/swing", 3, **{"bodies.rrbot.actuators": [spring]})
    sim.derivatives()  # what controllers command, and drives make of it, is held
    sim.step(np.ones(2))
    refused(sim, r"drives that remember \(actuator.rrbot.joint1.rotor\)")
    with pytest.raises(SimulationError, match="a drive remembers"):
        footfall.Rollout(sim, 3)
    motor = {"joints": ["*"], "torque_limit": 1.0}
    sim = at("rrbot/swing", 3, **{"bodies.rrbot.actuators": [motor]})
    sim.step(np.ones(1), joints=["joint1"])
    refused(sim, "torques of some joints, through drives")


def test_differences_by_forces_beside_a_push_are_refused():
    push = {"body": "rrbot", "joint": "joint1", "effort": 1.0}
    sim = at("rrbot/swing", 3, **{"pushes": [push]})
    with pytest.raises(SimulationError, match="force: a push in this step replaces it"):
        footfall.step_differences(sim, force=1e-3)


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


def test_a_push_of_an_arm_for_this_step_only_is_refused():
    sim = at("rrbot/swing", 3)
    sim.push("link2", force=(5.0, 0.0, 3.0))
    sim.step()
    refused(sim, "a push or a hand acted in this step only")
    sim.step()
    sim.derivatives()
    sim.grab("link2")
    sim.step()
    refused(sim, "a push or a hand acted in this step only")


@each(
    "scene, text",
    (
        ("disc/rolling", 'integrator "dormand_prince"'),
        ("ball/spinning", "rolling friction"),
        ("icub/seed", 'contact law "gauss"'),
    ),
)
def test_what_has_no_derivative_is_refused_by_its_name(scene, text):
    sim = footfall.load(scene)
    sim.step()
    refused(sim, text)


@each("change", [{"contact.compliance": 1e-5}, {"contact.compliances": {"cube/*": 1e-5}}])
def test_contacts_that_give_way_are_refused(change):
    refused(at("cube/sliding", 3, **change), "compliance of contacts has none")


def test_an_option_that_is_none_is_refused():
    refused(at("cube/drop", 10), "at_rest", at_rest="above")
    refused(at("cube/drop", 10), "axes", axes="base")


def turned(q, axis):
    """Turn a base by 1e-6 rad about one of its axes."""
    q[3:7] = (Rotation.from_quat(q[3:7]) * Rotation.from_rotvec(1e-6 * np.eye(3)[axis])).as_quat()


def pushed_aside(q, axis):
    q[axis] += 1e-6


def lost(q, axis):
    q[axis] = np.nan


@each("edit", [turned, pushed_aside, lost])
@each("axis", [0, 1, 2])
def test_any_edit_of_a_base_is_told(edit, axis):
    sim = at("cube/drop", 20)
    sim.derivatives()
    edit(sim.q, axis)
    refused(sim, "changed since the step")


def test_a_speed_that_is_lost_is_told():
    sim = at("cube/drop", 20)
    sim.v[0] = np.nan
    refused(sim, "changed since the step")


def test_the_other_quaternion_of_the_same_turn_is_no_edit():
    sim = at("cube/drop", 20)
    before = sim.derivatives().state
    sim.q[3:7] *= -1.0
    np.testing.assert_array_equal(sim.derivatives().state, before)
