"""Steps made by hand: time, torques, controllers, signals."""

import tracemalloc

import numpy as np
import pytest
from tests.physics.composed import G, ball, box, simulator

import footfall
from footfall.errors import SimulationError

TWO = {
    "simulation": {"duration": 1.0},
    "bodies": {
        "left": {"robot": "pendulum"},
        "right": {"robot": "rrbot", "base_position": [3.0, 0.0, 0.0]},
        "cube": {"robot": "cube", "base_position": [0.0, 3.0, 0.05]},
    },
}


def two_robots():
    registry = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(TWO, registry), registry)


def test_time_is_the_number_of_steps_times_the_step():
    """An integer times dt: no sum of rounding errors."""
    sim = simulator(ball().at((0, 0, 1)), dt=1e-3)
    for k in range(1, 3001):
        sim.step()
        assert sim.state.tick == k
    assert sim.time == 3000 * 1e-3
    assert float(sim.signal("time")) == 2999 * 1e-3


def test_a_row_holds_the_state_at_its_start_and_what_acts_over_the_step():
    sim = simulator(ball().at((0, 0, 1.0), linear=(1, 0, 0)))
    q, v = sim.q.copy(), sim.v.copy()
    sim.step()
    np.testing.assert_array_equal(sim.signal("q"), q)
    np.testing.assert_array_equal(sim.signal("v"), v)
    np.testing.assert_allclose(sim.signal("a"), (sim.v - v) / sim.time_step, atol=1e-12)
    np.testing.assert_allclose(sim.signal("a")[:3], (0, 0, -G), atol=1e-12)


def test_a_signal_that_is_not_recorded_is_named():
    sim = simulator(ball().at((0, 0, 1.0)))
    with pytest.raises(footfall.FootfallError, match="contact_forse"):
        sim.signal("contact_forse")


def test_writing_to_the_state_takes_effect():
    sim = simulator(ball().at((0, 0, 1.0)))
    sim.q[2], sim.v[0] = 7.0, 2.0
    sim.step()
    assert sim.q[0] == pytest.approx(2e-3)
    assert sim.q[2] == pytest.approx(7.0, abs=1e-5)


def test_given_torques_act_instead_of_the_controllers():
    """``a = M^-1 (tau - h)`` of the pendulum that hangs: tau / I about the hinge."""
    sim = footfall.load("pendulum/swing", {"bodies.pendulum.joint_positions": {"hinge": 0.0}})
    sim.step(np.array([0.5]))
    inertia = 0.0834333333333 + 0.25
    assert sim.v[0] == pytest.approx(0.5 / inertia * 1e-3, rel=1e-12)
    assert sim.signal("tau")[0] == 0.5


def test_given_torques_act_for_one_step_only():
    sim = footfall.load("pendulum/swing", {"bodies.pendulum.joint_positions": {"hinge": 0.0}})
    sim.step(np.array([0.5]))
    sim.step()
    assert sim.signal("tau")[0] == 0.0


def test_controllers_act_again_after_given_torques():
    """The posture's implicit gains are off for the step with torques and on in the next."""
    sim = footfall.load("humanoid/standing")
    held = footfall.load("humanoid/standing")
    for s in (sim, held):
        for _ in range(5):
            s.step()
    sim.step(np.zeros(30))
    assert not sim.signal("tau").any()
    sim.state.restore(held.state)
    sim.step()
    held.step()
    np.testing.assert_array_equal(sim.q, held.q)
    assert np.abs(sim.signal("tau")).max() > 1.0


def test_torques_are_in_the_order_of_the_worlds_joints():
    sim = two_robots()
    names = [n for b in sim.world.bodies for n in b.model.joint_names]
    assert names == ["hinge", "joint1", "joint2"]
    sim.step(np.array([1.0, 2.0, 3.0]))
    joints = [sim.world.joint_slice(i) for i in range(3)]
    given = np.concatenate([sim.signal("tau")[at] for at in joints])
    np.testing.assert_array_equal(given, (1.0, 2.0, 3.0))


def test_torques_can_be_given_by_body():
    """The others get none."""
    sim, same = two_robots(), two_robots()
    sim.step({"right": np.array([2.0, 3.0])})
    same.step(np.array([0.0, 2.0, 3.0]))
    np.testing.assert_array_equal(sim.v, same.v)


def test_torques_of_some_joints_leave_the_others_to_the_controller():
    """Drives act on both; the next step is the controller's alone."""
    explicit = {"bodies.quadruped.controller.method": "explicit"}
    sim, other = (footfall.load("quadruped/standing", explicit) for _ in range(2))
    knee = np.array(["knee" in name for name in sim.world.bodies[0].model.joint_names])
    sim.step(np.array([1.0, 2.0, 3.0, 1e3]), joints=["*_knee"])
    other.step()
    torque = sim.signal("joint_torque")
    np.testing.assert_array_equal(torque[knee], (1.0, 2.0, 3.0, 45.0))  # the motor's limit
    np.testing.assert_array_equal(torque[~knee], other.signal("joint_torque")[~knee])
    other.state.restore(sim.state)
    for s in sim, other:
        s.step()
    np.testing.assert_array_equal(sim.v, other.v)
    for tau, joints, said in (
        (np.zeros(3), ["*_knee"], r"tau has shape \(3,\), expected \(4,\)"),
        (np.zeros(4), ["*_kne"], "^joints: no joint is named or matches"),
        ({"quadruped": np.zeros(4)}, ["*_knee"], "^joints: give tau as an array"),
        (None, ["*_knee"], "^joints: give the torques"),
    ):
        with pytest.raises(footfall.SimulationError, match=said):
            sim.step(tau, joints)


def test_a_planar_base_is_no_motor():
    sim = footfall.load("planar_box/drop")
    sim.step(np.zeros(0))
    with pytest.raises(footfall.SimulationError, match=r"expected \(0,\)"):
        sim.step(np.zeros(3))
    assert footfall.derivatives(sim).control.shape == (6, 0)
    with footfall.Batch("planar_box/drop", 2) as batch:
        assert batch.nu == 0


@pytest.mark.parametrize(
    ("tau", "said"),
    [
        (np.zeros(2), r"tau has shape \(2,\), expected \(3,\)"),
        (np.zeros((3, 1)), "tau has shape"),
        (np.array([0.0, np.nan, 0.0]), "tau is not finite"),
        (np.array([0.0, np.inf, 0.0]), "tau is not finite"),
        (np.array([0.0, 1e16, 0.0]), r"^tau is not finite, or beyond 1e\+15$"),
        ([0.0, np.nan, 0.0], "^tau is not finite"),
        (["a", "b", "c"], "^tau must be numbers"),
        ({"left": np.zeros(1), "right": np.array([0.0, np.nan])}, "^tau of right is not finite"),
        ({"right": np.zeros(3)}, r"tau of right has shape \(3,\), expected \(2,\)"),
        ({"left": np.array([np.nan])}, "tau of left is not finite"),
        ({"rigth": np.zeros(2)}, "rigth"),
    ],
)
def test_torques_that_do_not_fit_are_refused_and_change_nothing(tau, said):
    """A push waits for the next step."""
    sim, other = two_robots(), two_robots()
    for s in sim, other:
        s.step(np.ones(3))
        s.push("cube/cube", force=(0.0, 0.0, 7.0))
    before, row = sim.state.vector.copy(), sim.row.copy()
    with pytest.raises(footfall.FootfallError, match=said):
        sim.step(tau)
    np.testing.assert_array_equal(sim.state.vector, before)
    np.testing.assert_array_equal(sim.row, row)
    for s in sim, other:
        s.step()
    assert not sim.signal("tau").any()
    np.testing.assert_array_equal(sim.state.vector, other.state.vector)


@pytest.mark.parametrize("kind", [list, tuple, np.float32, ">f8", int])
def test_torques_of_any_type_are_those_of_an_array(kind):
    sim, same, tau = two_robots(), two_robots(), np.array([1.0, 2.0, -3.0])
    given = kind(tau) if kind in (list, tuple) else np.repeat(tau, 2).astype(kind)[::2]
    sim.step(given)
    same.step(tau)
    np.testing.assert_array_equal(sim.state.vector, same.state.vector)


def test_commands_return_after_a_step_with_given_torques_has_failed():
    sim = footfall.load("humanoid/standing")
    sim.step()
    joints, start = sim.world.joints, sim.state.copy()
    commands = [a.copy() for a in (joints.tau, joints.stiffness, joints.rate_gain)]
    sim.v[0] = np.nan
    with pytest.raises(SimulationError, match="velocity v is not finite"):
        sim.step(np.ones(30))
    for array, command in zip(
        (joints.tau, joints.stiffness, joints.rate_gain), commands, strict=True
    ):
        np.testing.assert_array_equal(array, command)
    sim.state.restore(start)
    sim.step()
    assert np.abs(sim.signal("tau")).max() > 1.0


def test_given_torques_allocate_no_array():
    """At its peak a step with torques needs less memory beyond a step without than one array."""
    sim, tau = footfall.load("humanoid/standing"), np.ones(30)

    def peak(step):
        step()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        step()
        return tracemalloc.get_traced_memory()[1] - before

    tracemalloc.start()
    try:
        without = min(peak(sim.step) for _ in range(5))
        assert min(peak(lambda: sim.step(tau)) for _ in range(5)) < without + tau.nbytes
    finally:
        tracemalloc.stop()


def test_two_simulators_of_one_scene_do_not_share_anything():
    first, second = (footfall.load("cube/drop") for _ in range(2))
    for _ in range(400):
        first.step()
    assert second.state.tick == 0
    for _ in range(400):
        second.step()
    assert first.state.vector.tobytes() == second.state.vector.tobytes()


def test_bodies_are_found_by_name():
    sim = two_robots()
    sim.step()
    for name, position in (("right", (3, 0, 0)), ("left", (0, 0, 0)), ("cube", (0, 3, 0.05))):
        index = sim.world.index(name)
        assert sim.world.bodies[index].name == name
        np.testing.assert_allclose(sim.signal("base_position")[index], position, atol=1e-12)


@pytest.mark.parametrize("base", ["fixed", "planar", "floating"])
def test_the_base_is_recorded_where_the_robots_root_is(base):
    """Also where the root is placed by the scene, or moves on the three joints of a plane."""
    place = {
        "bodies.humanoid.base": base,
        "bodies.humanoid.base_position": [1.0, 2.0, 5.0],
        "bodies.humanoid.base_orientation": [0.0, 0.0, 0.5],
        "bodies.humanoid.controller": {"plugin": "zero"},
        "bodies.humanoid.joint_velocities": {"*_elbow": 3.0, "*_hip_pitch": -4.0},
    }
    run = footfall.load("humanoid/standing", place).run(0.2)
    position, velocity = run.base_position.values[:, 0], run.base_velocity.values[:, 0]
    np.testing.assert_allclose(position[0], (1, 2, 5), atol=1e-12)
    np.testing.assert_allclose(
        run.base_quaternion.values[0, 0], (0, 0, np.sin(0.25), np.cos(0.25)), atol=1e-12
    )
    assert (np.abs(velocity).max() > 1.0) == (base != "fixed")
    # The position follows the velocity, old or new, of each step.
    moved = np.diff(position, axis=0) / 1e-3
    assert np.abs(moved - velocity[1:, :3]).max() <= np.abs(np.diff(velocity, axis=0)).max() + 1e-9
    # So does the orientation: 2 dq q* = w dt for small turns, to first order.
    q = run.base_quaternion.values[:, 0]
    turned = 2.0 * np.cross(q[:-1, :3], q[1:, :3])
    turned += 2.0 * (q[:-1, 3:] * q[1:, :3] - q[1:, 3:] * q[:-1, :3])
    assert np.abs(turned / 1e-3 - velocity[1:, 3:]).max() < 0.1


def test_steps_beyond_the_finite_are_refused_with_step_time_and_signal():
    sim = simulator(box().at((0, 0, 0.05)))
    for _ in range(3):
        sim.step()
    sim.v[0] = np.nan
    with pytest.raises(SimulationError, match=r"step 3, t = 0\.003 s: .* is not finite"):
        sim.step()
