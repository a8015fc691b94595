"""Derivatives of a step against central differences, made with ``contact.tolerance = 1e-12``.

Contacts at rest lie at a gap of zero, where the rules for positions change; states are pressed in
by 5 micrometres, within the slop, or by 30, where positions are corrected.
"""

import gc
import itertools
import weakref

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.physics.test_joint_stops import pendulum

import footfall
from footfall.errors import SimulationError
from footfall_gradients.parameters import assembled

PRESSED, DEEP, ABOVE = -5e-6, -3e-5, 2e-5
OPEN, STICK, SLIP = 0, 1, 2
MOTORS = "bodies.rrbot.actuators"
MOTOR = {"joints": ["joint1"], "coulomb_friction": 0.35, "viscous_friction": 0.2}
CASES = (
    ("cube/drop", 30, 0.0, set()),
    ("cube/drop", 320, PRESSED, {OPEN, SLIP}),
    ("cube/drop", 340, DEEP, {SLIP}),
    ("cube/drop", 330, 3e-5, {OPEN}),
    ("cube/sliding", 100, PRESSED, {SLIP}),
    ("ball/rolling", 100, PRESSED, {SLIP}),
    ("ball/rolling", 1000, DEEP, {STICK}),
    ("icub/standing", 3, PRESSED, {STICK}),
    ("icub/standing", 200, DEEP, {STICK}),
    ("icub/standing", 200, 1e-4, {OPEN}),
    ("icub/standing", 10, 0.05, set()),
    ("icub/motors", 100, PRESSED, {STICK}),
    ("humanoid/standing", 200, PRESSED, {STICK}),
    ("humanoid/standing", 20, DEEP, {STICK}),
    ("humanoid/standing", 10, 0.05, set()),
    ("humanoid/pushed", 1050, PRESSED, {STICK}),
    ("quadruped/standing", 200, PRESSED, {STICK}),
    ("rrbot/swing", 300, 0.0, set()),
    ("pendulum/swing", 300, 0.0, set()),
)


def at(scene, steps, shift=0.0, **overrides):
    given = {"contact.tolerance": 1e-12, **overrides}
    sim = footfall.load(scene, overrides=given)
    for _ in range(steps):
        sim.step()
    sim.q[2:3] += shift
    return sim


def refused(sim, text, **options):
    with pytest.raises(SimulationError, match=text):
        sim.derivatives(**options)


def errors(sim, **sizes):
    """Step; return derivatives and errors of new q and v by old q, v and forces.

    Relative to the largest entry, and to that of a body that nothing touches.
    """
    reference = footfall.step_differences(sim, **sizes)
    sim.step()
    found, nv, dt = sim.derivatives(), sim.world.nv, sim.time_step
    mine = np.hstack([found.state, np.vstack([found.dq_dforce, found.dv_dforce])])
    theirs = np.hstack([reference.state, reference.force])
    inertia = np.abs(found.dv_dforce).max() if reference.force.size else 1.0
    least = {(0, 0): 1.0, (0, 1): dt, (0, 2): dt * inertia, (1, 0): 1.0, (1, 1): 1.0}
    out = {}
    for row in range(2):
        for column in range(theirs.shape[1] // nv):
            part = slice(row * nv, (row + 1) * nv), slice(column * nv, (column + 1) * nv)
            size = max(np.abs(theirs[part]).max(), least.get((row, column), inertia))
            out["qv"[row], "qvf"[column]] = np.abs(mine[part] - theirs[part]).max() / size
    return found, out


@each("scene, steps, shift, modes", CASES)
def test_jacobians_are_those_of_central_differences(scene, steps, shift, modes):
    size = 1e-7 if shift == DEEP else 1e-6  # split impulses change their modes soon
    found, wrong = errors(at(scene, steps, shift), size=size)
    assert set(found.mode) == modes
    assert max(wrong.values()) < 1e-6, wrong


@each(
    "dynamics, angle, steps, shift, mode",
    [
        ("friction = 0.5", 1.0, 50, 0.0, SLIP),
        ("friction = 3.0", 0.4, 50, 0.0, STICK),
        ("limits = [0.3, 2.0]", 0.31, 400, -1e-6, STICK),
        ("limits = [0.3, 2.0]", 0.31, 400, 1e-4, OPEN),
    ],
)
def test_friction_and_limits_of_joints_are_differentiated(
    tmp_path, dynamics, angle, steps, shift, mode
):
    sim = pendulum(tmp_path, dynamics, angle, **{"contact.tolerance": 1e-12})
    for _ in range(steps):
        sim.step()
    sim.q[0] += shift
    found, wrong = errors(sim, size=1e-7)
    assert list(found.mode) == [mode]
    assert max(wrong.values()) < 1e-6, wrong
    np.testing.assert_allclose(found.dv_dv, [[float(mode != STICK)]], atol=1e-9)


@each(
    "scene, steps, shift",
    [("cube/drop", 40, 0.0), ("cube/sliding", 100, PRESSED), ("icub/standing", 200, PRESSED)],
)
def test_on_request_they_are_along_the_axes_of_the_world(scene, steps, shift):
    sim = at(scene, steps, shift)
    start, nv = sim.state.copy(), sim.world.nv

    def after(d):
        """Move, turn, speed up and push the base along the world's axes, and step."""
        sim.state.restore(start)
        move, by, *more = np.split(d, 6)
        old = Rotation.from_quat(start["q"][3:7])
        new = Rotation.from_rotvec(by) * old
        sim.q[:7] = *(start["q"][:3] + move), *new.as_quat()
        v = old.apply(start["v"][:6].reshape(2, 3)) + more[:2]
        sim.v[:6] = new.inv().apply(v).ravel()
        sim.stepper.world.joints.external[:6] = new.inv().apply(more[2:]).ravel()
        sim.step()
        sim.stepper.world.joints.external[:6] = 0.0
        base = Rotation.from_quat(sim.q[3:7])
        return base, np.concatenate([sim.q[:3], *base.apply(sim.v[:6].reshape(2, 3))])

    sizes, expected = np.repeat([1e-6, 1e-5, 1e-3], 6), np.zeros((12, 18))
    for k, d in enumerate(np.diag(sizes)):
        (turned, forth), (back_turned, back) = after(d), after(-d)
        turn = (turned * back_turned.inv()).as_rotvec()
        expected[:, k] = np.insert(forth - back, [3, 3, 3], turn) / (2.0 * sizes[k])
    sim.state.restore(start)
    sim.step()
    base = np.r_[:6, nv : nv + 6]
    found = sim.derivatives(axes="world").rows[np.ix_(base, np.r_[base, 2 * nv : 2 * nv + 6])]
    of_force = np.abs(expected[6:, 12:]).max()
    for rows, columns in itertools.product(np.split(np.arange(12), 2), np.split(np.arange(18), 3)):
        part = np.ix_(rows, columns)
        least = 1.0 if columns[0] < 12 else of_force
        size = max(np.abs(expected[part]).max(), least)
        assert np.abs(found[part] - expected[part]).max() < 1e-6 * size, part


def test_generalized_forces_count_as_torques_do():
    sim = at("icub/standing", 200, PRESSED)
    found, wrong = errors(sim, size=1e-6, force=1e-2)
    assert max(wrong.values()) < 1e-6, wrong
    np.testing.assert_array_equal(found.dv_dtau, found.dv_dforce[:, 6:])
    assert found.control.shape == (2 * sim.world.nv, sim.world.nv - 6)


def test_the_default_tolerance_is_enough_for_the_derivative():
    one = at("humanoid/standing", 200, PRESSED)
    other = footfall.load("humanoid/standing")
    other.q[:], other.v[:] = one.q, one.v
    one.step()
    other.step()
    a, b = one.derivatives().state, other.derivatives().state
    assert np.abs(a - b).max() < 1e-6 * np.abs(a).max()


@each("scheme", ["semi_implicit_euler", "moreau_midpoint"])
def test_derivatives_change_no_bit_of_a_run(scheme):
    one, other = (at("icub/drop", 0, **{"integrator.plugin": scheme}) for _ in range(2))
    for _ in range(150):
        one.step()
        other.step()
        other.derivatives()
    np.testing.assert_array_equal(one.state.vector, other.state.vector)


def test_a_gradient_of_the_new_state_becomes_one_of_the_old():
    sim = at("cube/sliding", 100, PRESSED)
    sim.step()
    found, rng = sim.derivatives(), np.random.default_rng(0)
    dq, dv = rng.normal(size=(2, 6))
    of_q, of_v, of_tau, of_parameters = found.vjp(dq, dv)
    np.testing.assert_allclose(np.hstack([of_q, of_v]), np.hstack([dq, dv]) @ found.state)
    assert of_tau.shape == of_parameters.shape == (0,)


def test_at_rest_one_side_or_the_other_is_taken():
    sim = at("icub/standing", 300)
    sim.step()
    inside, outside = sim.derivatives(), sim.derivatives(at_rest="outside")
    assert inside.gap_margin < 1e-11
    assert inside.one_sided
    assert "one-sided" in repr(inside)
    # Pressed in it stays where it is; lifted its feet come down within the step.
    up = sim.world.dynamics.pose[0, [2, 5, 8]]  # the vertical in the axes of the base
    np.testing.assert_allclose(up @ inside.dv_dq[:3, :3] @ up, 0.0, atol=1e-9)
    np.testing.assert_allclose(up @ outside.dv_dq[:3, :3] @ up, -1.0 / sim.time_step, rtol=1e-2)


def test_differences_leave_the_simulator_as_it_is():
    sim = at("icub/standing", 20)
    before = sim.state.vector.copy()
    footfall.step_differences(sim, size=1e-6)
    np.testing.assert_array_equal(sim.state.vector, before)


@each("scene, steps", [("ball/bounce", 451), ("cube/drop", 296), ("cube/drop", 314)])
def test_steps_that_impacts_split_are_differentiated(scene, steps):
    sim = at(scene, steps)
    _, wrong = errors(sim, size=1e-7, speed=1e-6)
    assert sim.signal("impact_splits") > 0
    assert max(wrong.values()) < 1e-6, wrong


def test_a_split_step_of_given_torques_is_differentiated():
    sim, tau = at("icub/drop", 0), np.full(23, 1.0)
    while sim.signal("impact_splits") == 0:
        start = sim.state.copy()
        sim.step(tau)
    after = sim.state.vector.copy()
    found = sim.derivatives()
    np.testing.assert_array_equal(sim.state.vector, after)
    sim.state.restore(start)
    expected = footfall.Rollout(sim, 1, tau[None]).jacobians()
    np.testing.assert_allclose(found.state, expected.state[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.control, expected.control[0], rtol=1e-9, atol=1e-12)


def test_a_split_step_after_positions_were_set_is_differentiated():
    """A falling cube that is set on the ground by hand: its corners strike at once."""
    sim = at("cube/drop", 30)
    sim.q[:], sim.v[:] = (0, 0, 0.05 - 2e-5, 0, 0, 0, 1), (0.3, 0, -0.3, 0.5, 0, 0)
    start = sim.state.copy()
    sim.step()
    assert sim.signal("impact_splits") > 0
    found = sim.derivatives()
    sim.state.restore(start)
    expected = footfall.Rollout(sim, 1).jacobians()
    np.testing.assert_allclose(found.state, expected.state[0], rtol=1e-9, atol=1e-9)


def test_a_split_step_with_a_push_for_this_step_only_is_refused():
    sim = at("cube/drop", 0)
    while sim.signal("impact_splits") == 0:
        sim.push("cube", (3.0, 0.0, 0.0))
        sim.step()
    refused(sim, "could not be repeated")


def final(scene, steps, key, value, start=0):
    sim = at(scene, start, **({} if value is None else {key: value}))
    return sim, footfall.Rollout(sim, steps, parameters=(key,))


@each(
    "scene, steps, start, key, value",
    [
        ("ball/bounce", 900, 0, "world.terrain.restitution", 0.5),
        ("cube/sliding", 300, 0, "bodies.cube.friction", 0.5),
        ("cube/drop", 12, 290, "bodies.cube.friction", 0.5),
        ("icub/standing", 50, 0, "bodies.icub.controller.stiffness", 1000.0),
        ("humanoid/standing", 30, 0, "bodies.humanoid.controller.damping", 30.0),
    ],
)
def test_gradients_come_back_through_rollouts(scene, steps, start, key, value):
    sim, rollout = final(scene, steps, key, value, start)
    nv, rng = sim.world.nv, np.random.default_rng(1)
    dq, dv = rng.normal(size=(2, nv))
    found = rollout.vjp(dq, dv)
    size, ends = 1e-5 * value, []
    for sign in (1, -1):
        _, other = final(scene, steps, key, value + sign * size, start)
        moved = footfall.difference(sim, rollout.q[-1], other.q[-1])
        ends.append(dq @ moved + dv @ (other.v[-1] - rollout.v[-1]))
    expected = (ends[0] - ends[1]) / (2.0 * size)
    np.testing.assert_allclose(found.parameters[0], expected, rtol=1e-5)


def by_jacobians(rollout, dq, dv):
    """Return what ``Rollout.vjp`` does, by the whole Jacobian of each step."""
    tau, total, found = [], 0.0, rollout.jacobians()
    row = np.concatenate([dq, dv])
    for A, B, C in zip(*(x[::-1] for x in found[:3]), strict=True):
        tau.append(row @ B)
        total = total + row @ C
        row = row @ A
    return *np.split(row, 2), np.array(tau[::-1]), total


@each(
    "scene, steps, shift, changes",
    [
        ("rrbot/swing", 100, 0.0, {}),
        ("cube/sliding", 100, PRESSED, {"bodies.cube.friction": 0.5, "world.gravity.2": -9.81}),
        ("cube/drop", 30, 0.0, {"world.gravity.2": -9.81}),
        ("cube/drop", 312, 0.0, {"bodies.cube.friction": 0.5}),
        ("cube/drop", 340, DEEP, {"bodies.cube.friction": 0.5}),
        ("ball/rolling", 1000, DEEP, {}),
        ("quadruped/standing", 200, PRESSED, {}),
        ("quadruped/standing", 20, 1e-4, {}),
        ("humanoid/standing", 20, DEEP, {"bodies.humanoid.mass_scale": 1.0}),
        ("humanoid/pushed", 1050, PRESSED, {}),
        ("icub/standing", 200, DEEP, {"bodies.icub.controller.stiffness": 1000.0}),
        ("icub/motors", 100, PRESSED, {"bodies.icub.actuators.0.rotor_inertia": 1.367e-5}),
        ("icub/standing", 10, 0.05, {}),
    ],
)
def test_the_adjoint_of_a_run_is_that_of_its_jacobians(scene, steps, shift, changes):
    given = {key: value for key, value in changes.items() if "controller" in key}
    sim = at(scene, steps, shift, **given)
    rollout = footfall.Rollout(sim, 6, parameters=tuple(changes))
    dq, dv = np.random.default_rng(4).normal(size=(2, sim.world.nv))
    before = sim.state.vector.copy()
    found, expected = rollout.vjp(dq, dv), by_jacobians(rollout, dq, dv)
    np.testing.assert_array_equal(sim.state.vector, before)
    state = np.concatenate(expected[:2])
    assert np.abs(np.concatenate(found[:2]) - state).max() < 1e-12 * np.abs(state).max()
    assert np.abs(found.tau - expected[2]).max(initial=0.0) <= 1e-12 * np.abs(found.tau).max(
        initial=0.0
    )
    np.testing.assert_allclose(found.parameters, expected[3], rtol=1e-12)
    margins = rollout.jacobians().least_margin
    np.testing.assert_allclose(found.least_margin, margins.min(), rtol=1e-12)


@each(
    "scene, steps, shift",
    [
        ("rrbot/swing", 100, 0.0),
        ("cube/sliding", 100, PRESSED),
        ("quadruped/standing", 200, PRESSED),
        ("icub/standing", 10, PRESSED),
        ("humanoid/standing", 200, PRESSED),
    ],
)
def test_the_adjoint_of_a_run_is_that_of_central_differences(scene, steps, shift):
    sim, length = at(scene, steps, shift), 8
    start, rng, nv = sim.state.copy(), np.random.default_rng(5), sim.world.nv
    rollout = footfall.Rollout(sim, length)
    (dq, dv), way = rng.normal(size=(2, nv)), rng.normal(size=nv)
    found, size, ends = rollout.vjp(dq, dv), 1e-6, []
    for sign in (1.0, -1.0):
        sim.state.restore(start)
        sim.v[:] += sign * size * way
        other = footfall.Rollout(sim, length)
        moved = footfall.difference(sim, rollout.q[-1], other.q[-1])
        ends.append(dq @ moved + dv @ (other.v[-1] - rollout.v[-1]))
    expected = (ends[0] - ends[1]) / (2.0 * size)
    assert abs(found.v @ way - expected) < 1e-6 * np.abs(found.v).max() * np.sqrt(nv)


@each(
    "dynamics, angle, steps, shift",
    [
        ("friction = 0.5", 1.0, 50, 0.0),
        ("friction = 3.0", 0.4, 50, 0.0),
        ("limits = [0.3, 2.0]", 0.31, 400, -1e-6),
        ("limits = [0.3, 2.0]", 0.31, 400, 1e-4),
    ],
)
def test_friction_and_limits_of_joints_are_in_the_adjoint(tmp_path, dynamics, angle, steps, shift):
    sim = pendulum(tmp_path, dynamics, angle, **{"contact.tolerance": 1e-12})
    for _ in range(steps):
        sim.step()
    sim.q[0] += shift
    rollout = footfall.Rollout(sim, 3)
    found, expected = rollout.vjp([0.3], [0.7]), by_jacobians(rollout, [0.3], [0.7])
    for mine, theirs in zip(found[:3], expected[:3], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)


def tumble(friction, change, path):
    """Throw a cube, let it tumble; note what each contact does and where impacts are."""
    sim = footfall.load("cube/drop", overrides={**THROWN, "world.terrain.friction": friction})
    sim.v[:] += change
    for _ in range(TUMBLING):
        sim.step()
        path.append((*sim.signal("contact_status"), float(sim.signal("impact_splits"))))
    return sim


TUMBLING = 330
THROWN = {
    "contact.tolerance": 1e-12,
    "bodies.cube.base_linear_velocity": [1.5, 0.3, 0.0],
    "bodies.cube.base_position": [0.0, 0.0, 0.1],
}


@pytest.mark.long
def test_gradients_come_back_through_a_whole_tumble():
    # Contacts change their modes 1e-6 to 1e-5 from these values; beyond, differences would be of
    # two functions. That they are not is seen by the modes of all steps.
    mu, still, path = 0.8, np.zeros(6), list[tuple]()
    middle = tumble(mu, still, path)
    modes = {mode for step in path for mode in step[:8]}
    changes = sum(step[:8] != after[:8] for step, after in itertools.pairwise(path))
    assert modes == {OPEN, STICK, SLIP}
    assert changes > 10
    assert sum(step[8] for step in path) > 4
    dq, dv = np.random.default_rng(3).normal(size=(2, 6))
    start = footfall.load("cube/drop", overrides={**THROWN, "world.terrain.friction": mu})
    rollout = footfall.Rollout(start, TUMBLING, parameters=("world.terrain.friction",))
    found = rollout.vjp(dq, dv)
    np.testing.assert_array_equal(rollout.v[-1], middle.v)

    def difference(size, friction, change):
        ends = []
        for sign in (1.0, -1.0):
            other = list[tuple]()
            sim = tumble(mu + sign * size * friction, sign * size * change, other)
            assert other == path
            moved = footfall.difference(sim, middle.q, sim.q)
            ends.append(dq @ moved + dv @ (sim.v - middle.v))
        return (ends[0] - ends[1]) / (2.0 * size)

    by_friction = difference(5e-7, 1.0, still)
    np.testing.assert_allclose(found.parameters[0], by_friction, rtol=1e-6)
    by_speed = [difference(1e-6, 0.0, e) for e in np.eye(6)]
    assert np.abs(found.v - by_speed).max() < 1e-6 * np.abs(found.v).max()


def test_a_rollout_gives_the_gradient_by_torques_and_by_states_on_the_way():
    start = at("rrbot/swing", 10)
    first, steps = start.state.copy(), 20
    tau, rng = np.linspace(0.0, 1.0, 2 * steps).reshape(steps, 2), np.random.default_rng(2)
    dq, dv = rng.normal(size=(2, steps + 1, 2))
    rollout = footfall.Rollout(start, steps, tau)
    found = rollout.vjp(dq, dv)
    np.testing.assert_array_equal(start.q, rollout.q[-1])

    def cost(change):
        start.state.restore(first)
        run = footfall.Rollout(start, steps, tau + change)
        return (dq * run.q).sum() + (dv * run.v).sum()

    for t, joint in (0, 0), (7, 1), (19, 0):
        change = np.zeros_like(tau)
        change[t, joint] = 1e-4
        expected = (cost(change) - cost(-change)) / 2e-4
        np.testing.assert_allclose(found.tau[t, joint], expected, rtol=1e-6)


def test_forward_and_reverse_mode_agree():
    sim = at("cube/drop", 290)
    rollout = footfall.Rollout(sim, 30, parameters=("bodies.cube.friction",))
    forward = rollout.sensitivities(np.eye(6))[-1]
    for k in range(12):
        e = np.eye(12)[k]
        back = rollout.vjp(e[:6], e[6:])
        np.testing.assert_allclose(forward[k], [*back.v, *back.parameters], rtol=1e-9, atol=1e-12)


def test_a_throw_through_a_bounce_is_aimed_by_gauss_and_newton():
    sim = footfall.load("ball/bounce", overrides={"simulation.time_step": 0.005})
    start, target = sim.state.copy(), np.array([0.6, 0.3, 0.25])

    def throw(v):
        sim.state.restore(start)
        sim.v[:3] = v
        return footfall.Rollout(sim, 140)

    def slope(v):
        run = throw(v)
        axes = Rotation.from_quat(run.q[-1, 3:7]).as_matrix()
        return axes @ run.sensitivities(np.eye(6)[:, :3])[-1, :3]

    found = least_squares(lambda v: throw(v).q[-1, :3] - target, [0.5, 0.0, 1.0], jac=slope)
    assert np.abs(found.fun).max() < 1e-6
    assert (np.diff(np.sign(throw(found.x).v[:, 2])) > 0).any()  # it has bounced


@each(
    "key, text",
    [
        ("bodies.cube.colour", "is not a number"),
        ("bodies.cube", "is not a number"),
        ("contact.margin", "no number with a derivative"),
        (3, "not a key"),
        ("", "is not a number"),
        ("simulation.time_step", "not supported"),
        ("world.gravity.3", "is not a number"),
    ],
)
def test_what_is_no_parameter_is_refused(key, text):
    sim = at("cube/drop", 3)
    with pytest.raises(SimulationError, match=text):
        sim.derivatives(parameters=(key,))


@each(
    "scene, steps, shift, key, value",
    [
        ("icub/standing", 200, PRESSED, "bodies.icub.mass_scale", 1.0),
        ("icub/standing", 10, 0.05, "bodies.icub.mass_scale", 1.0),
        ("rrbot/swing", 100, 0.0, "bodies.rrbot.mass_scale", 1.0),
        ("humanoid/standing", 100, PRESSED, "world.gravity.2", -9.81),
        ("cube/sliding", 100, PRESSED, "world.gravity.2", -9.81),
        ("icub/motors", 100, DEEP, "bodies.icub.actuators.0.rotor_inertia", 1.367e-5),
        ("rrbot/swing", 100, 0.0, f"{MOTORS}.0.coulomb_friction", 0.35),
        ("rrbot/swing", 100, 0.0, f"{MOTORS}.0.viscous_friction", 0.2),
    ],
)
def test_masses_gravity_rotors_and_motor_friction_are_parameters(scene, steps, shift, key, value):
    sim = at(scene, steps, shift, **({MOTORS: [MOTOR]} if MOTORS in key else {}))
    q, v, tables, ends = sim.q.copy(), sim.v.copy(), sim.provenance.resolved["scene"], []
    sim.step()
    found, size = sim.derivatives(parameters=(key,)).parameters[:, 0], 1e-4 * abs(value)
    for sign in (1.0, -1.0):
        other = assembled(sim, tables, key, value + sign * size)
        other.q[:], other.v[:] = q, v
        other.step()
        ends.append(np.concatenate([footfall.difference(sim, sim.q, other.q), other.v - sim.v]))
    expected = (ends[0] - ends[1]) / (2.0 * size)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


def test_a_rigid_body_that_only_its_weight_presses_moves_alike_at_any_mass():
    found = at_after_a_step("cube/sliding").derivatives(parameters=("bodies.cube.mass_scale",))
    np.testing.assert_allclose(found.parameters, 0.0, atol=1e-12)


def test_a_run_that_python_controls_is_gone_back_over_and_then_forgotten():
    sim = footfall.load("quadruped/trot")
    rollout, nv = footfall.Rollout(sim, 6), sim.world.nv
    found, expected = (
        rollout.vjp(np.ones(nv), np.ones(nv)),
        by_jacobians(rollout, np.ones(nv), np.ones(nv)),
    )
    assert np.abs(found.v - expected[1]).max() < 1e-12 * np.abs(expected[1]).max()
    gone = weakref.ref(sim.world)
    del sim, rollout
    gc.collect()
    assert gone() is None


def test_friction_of_a_motor_is_in_the_gradient_of_a_run():
    sim, key = at("rrbot/swing", 100, **{MOTORS: [MOTOR]}), f"{MOTORS}.0.coulomb_friction"
    rollout = footfall.Rollout(sim, 6, parameters=(key,))
    found = rollout.vjp([0.3, -0.1], [0.7, 0.2]).parameters
    expected = by_jacobians(rollout, np.array([0.3, -0.1]), np.array([0.7, 0.2]))[3]
    assert abs(found[0]) > 1e-4
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_motors_that_rub_count_in_a_step_that_an_impact_splits():
    sim = footfall.load("icub/motors")
    motors = sim.provenance.resolved["scene"]["bodies"]["icub"]["actuators"]
    rubbing = [{**one, "coulomb_friction": 0.05} for one in motors]
    sim = at("icub/motors", 0, 0.03, **{"bodies.icub.actuators": rubbing})
    turned = Rotation.from_quat(sim.q[3:7]) * Rotation.from_euler("xy", [0.05, 0.07])
    sim.q[3:7] = turned.as_quat()
    sim.v[6:] = 2.0 * np.random.default_rng(0).normal(size=sim.world.nv - 6)
    before = sim.state.copy()
    while sim.signal("impact_splits") == 0:
        before.restore(sim.state)
        sim.step()
    sim.state.restore(before)
    _, wrong = errors(sim, size=1e-6, speed=1e-5)
    assert max(wrong.values()) < 1e-6, wrong


def test_a_rotor_that_drives_two_joints_is_refused():
    sim = at("icub/motors", 1)
    refused(sim, "not supported", parameters=("bodies.icub.actuators.4.rotor_inertia",))


def test_derivatives_say_in_a_line_what_they_are_of():
    text = repr(at_after_a_step("cube/sliding").derivatives(parameters=("bodies.cube.friction",)))
    assert text.startswith("Derivatives(nv=6, joints=0, parameters=1, blocks: ")
    assert "\n" not in text


def at_after_a_step(scene):
    sim = at(scene, 100)
    sim.step()
    return sim


@each("scene, steps", [("quadruped/trot", 60), ("quadruped/trot", 333), ("icub/yoga", 61)])
def test_with_commands_held_differences_are_those_of_a_step_that_controllers_command(scene, steps):
    found, wrong = errors(at(scene, steps, PRESSED), size=1e-7, held=True)
    assert set(found.mode) == {STICK}
    assert max(wrong.values()) < 1e-6, wrong
