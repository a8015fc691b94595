"""Pushes from outside do what Newton says, and their work is in the energy balance."""

import numpy as np
import pytest
from tests.physics.composed import rotation_matrix, steps, world_velocity

import footfall
from footfall.errors import SimulationError
from footfall_stepper.kernels.step.program import Phase

DT = 1e-3
JOINT = "hinge"
SCENE = {
    "simulation.duration": 1.0,
    "world.gravity": [0.0, 0.0, 0.0],
    "bodies.cube.base_position": [0.0, 0.0, 1.0],
}


def cube(*pushes, **settings):
    """The cube (1 kg) in empty space under a scene's pushes."""
    return footfall.load("cube/drop", {**SCENE, "pushes": list(pushes), **settings})


def at_rest(sim):
    sim.v[:] = 0.0
    sim.q[:] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    return sim


@pytest.mark.parametrize(("start", "duration"), [(0.1, 0.05), (0.0503, 0.01111), (0.2, 0.0004)])
def test_a_constant_push_gives_its_impulse_whatever_the_steps(start, duration):
    """``m v = F t`` also where the push begins and ends within steps."""
    force = [3.0, -2.0, 1.0]
    sim = at_rest(cube({"link": "cube", "force": force, "start": start, "duration": duration}))
    steps(sim, 400)
    expected = np.array(force) * duration
    np.testing.assert_allclose(world_velocity(sim)[:3], expected, atol=1e-14)


def test_a_push_beside_the_centre_turns_a_body():
    """A force F at p for one step gives the angular impulse ``p x F dt``, and a moment its own."""
    sim = at_rest(cube())
    force, point, moment = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]), [0.1, 0.0, -0.2]
    inertia = sim.world.topology.inertia[0]
    sim.push("cube", force=force, point=point, moment=moment)
    sim.step()
    angular = np.linalg.solve(inertia, (np.cross(point, force) + moment) * DT)
    np.testing.assert_allclose(world_velocity(sim)[3:], angular, rtol=1e-3, atol=1e-15)
    np.testing.assert_allclose(world_velocity(sim)[:3], force * DT, rtol=1e-12)
    before = sim.v.copy()
    assert not sim.world.joints.external.any()
    steps(sim, 5)
    assert np.linalg.norm(sim.v[:3]) == pytest.approx(np.linalg.norm(before[:3]), rel=1e-12)


def test_pushes_of_one_step_add_up():
    sim = at_rest(cube({"link": "cube", "force": [1.0, 0.0, 0.0]}))
    sim.push("cube", force=(0.0, 2.0, 0.0))
    sim.push("cube/cube", force=(0.0, 0.0, 3.0))
    sim.step()
    np.testing.assert_allclose(world_velocity(sim)[:3], np.array([1.0, 2.0, 3.0]) * DT, rtol=1e-12)
    np.testing.assert_allclose(sim.signal("external_force")[:3], [1.0, 2.0, 3.0], rtol=1e-12)
    np.testing.assert_array_equal(sim.signal("push_wrench"), [[1.0, 0, 0, 0, 0, 0]])


def test_a_force_along_a_links_axes_turns_with_it():
    sim = at_rest(cube({"link": "cube", "force": [1.0, 0.0, 0.0], "frame": "link"}))
    sim.v[5] = 2.0
    for _ in range(500):
        axis = rotation_matrix(sim.q[3:7])[:, 0]
        sim.step()
        np.testing.assert_allclose(sim.signal("push_wrench")[0, :3], axis, atol=1e-12)


def test_a_table_gives_the_area_below_its_lines(tmp_path):
    (tmp_path / "push.csv").write_text("time,fx,mz\n0.0103,0,0\n0.0507,4,0\n0.2,1,0\n")
    table = {"link": "cube", "file": str(tmp_path / "push.csv"), "start": 0.1}
    sim = at_rest(cube(table))
    steps(sim, 500)
    area = 0.5 * 4.0 * 0.0404 + 0.5 * 5.0 * 0.1493
    assert sim.v[0] == pytest.approx(area, abs=1e-13)


def wave(time):
    return [np.sin(10.0 * time), 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_function_is_taken_in_the_middle_of_steps():
    """The midpoint rule of ``(1 - cos w t) / w``: its error is ``w^2 dt^2 / 24`` of the value."""
    function = "tests.physics.test_pushes:wave"
    sim = at_rest(cube({"link": "cube", "function": function, "start": 0.1}))
    steps(sim, 300)
    assert sim.v[0] == pytest.approx((1.0 - np.cos(2.0)) / 10.0, rel=1e-5)


def test_a_joint_is_driven_from_outside():
    """Without gravity and from rest: ``M s_dot = effort t``, and the work is what it moves with."""
    push = {"joint": JOINT, "effort": 0.5, "duration": 0.1}
    sim = footfall.load("pendulum/swing", {"world.gravity": [0.0, 0.0, 0.0], "pushes": [push]})
    sim.v[:] = 0.0
    steps(sim, 200)
    M = sim.world.dynamics.M[0]
    assert sim.v[0] == pytest.approx(0.05 / M, rel=1e-12)
    assert float(sim.signal("work")) == pytest.approx(0.5 * M * sim.v[0] ** 2, rel=1e-12)


def test_the_generalized_force_is_the_jacobians_transpose_times_the_wrench():
    """``tau_k = f . dx/dq_k`` by differences of where the pushed point of the hand is."""
    sim = footfall.load("humanoid/standing")
    force, point = np.array([10.0, -20.0, 30.0]), np.array([0.05, 0.02, -0.1])
    q = sim.q.copy()
    frame = sim.world.bodies[0].model.frames["l_hand"]

    def place():
        sim.stepper.observe(0.0)
        pose = sim.world.dynamics.pose[frame.link]
        R, p = pose[:9].reshape(3, 3).T, pose[9:]
        return R @ (frame.rotation @ point + frame.translation) + p

    sim.push("l_hand", force=force, point=point)
    sim.stepper.program.run(Phase.BEFORE)
    place()
    found = sim.world.joints.external.copy()
    d = 1e-6
    for k in range(len(q) - 7):
        sim.q[:] = q
        sim.q[7 + k] += d
        beyond = place()
        sim.q[7 + k] -= 2.0 * d
        expected = force @ (beyond - place()) / (2.0 * d)
        assert found[6 + k] == pytest.approx(expected, abs=1e-7)
    R = rotation_matrix(q[3:7])
    np.testing.assert_allclose(found[:3], R.T @ force, atol=1e-12)


@pytest.mark.parametrize("settings", [
    {},
    {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"},
], ids=["time steps", "continuous time"])  # fmt: skip
def test_the_energy_balance_closes_with_the_work_of_pushes(settings):
    """``KE + PE = start + work - dissipated + integration error``, and the work is F times way.

    Of semi-implicit Euler, which moves at the velocity of a step's end: up to ``F dt dv / 2``.
    """
    push = {"link": "cube", "force": [4.0, 0.0, 0.0], "start": 0.05, "duration": 0.4}
    table = {
        "world.gravity": [0.0, 0.0, -9.81],
        "bodies.cube.base_position": [0.0, 0.0, 0.05],
        "bodies.cube.base_orientation": [0.0, 0.0, 0.0],
        "bodies.cube.base_linear_velocity": [2.0, 0.0, 0.0],
        "bodies.cube.base_angular_velocity": [0.0, 0.0, 0.0],
        "bodies.cube.friction": 0.1,
    }
    run = cube(push, **table, **settings).run(0.6)
    mechanical = run.kinetic_energy + run.potential_energy + run.elastic_energy
    balance = mechanical - run.work + run.dissipated_energy - run.integration_energy_error
    np.testing.assert_allclose(balance, balance[0], atol=1e-9)
    way = np.interp([0.05, 0.45], run.time, run.q.sel(position="cube/x"))
    assert float(run.work[-1]) == pytest.approx(4.0 * np.diff(way)[0], abs=3e-3)
    assert run.push.values.tolist() == ["cube/cube"]


def test_a_run_with_a_table_goes_on_bit_for_bit(tmp_path):
    (tmp_path / "push.csv").write_text("time,fx,my\n0,0,0\n0.3,4,0.1\n0.9,1,0\n")
    table = {"link": "cube", "file": str(tmp_path / "push.csv")}
    whole, first, second = (at_rest(cube(table)) for _ in range(3))
    steps(whole, 200)
    steps(first, 100)
    first.save(tmp_path / "half.state")
    second.resume(tmp_path / "half.state")
    steps(second, 100)
    assert whole.q.tobytes() == second.q.tobytes()


def test_a_link_is_pushed_more_than_once():
    """Each push is recorded by itself: the second and the third have a number."""
    pushes = [
        {"link": "cube", "force": [f, 0.0, 0.0], "start": 0.1 * f, "duration": 0.1}
        for f in (1.0, 2.0, 3.0)
    ]
    run = cube(*pushes).run(0.5)
    assert run.push.values.tolist() == ["cube/cube", "cube/cube/2", "cube/cube/3"]
    np.testing.assert_allclose(run.push_wrench.values[:, :, 0].sum(axis=0) * DT, [0.1, 0.2, 0.3])


def test_what_cannot_be_pushed_is_said():
    sim = at_rest(cube())
    with pytest.raises(SimulationError, match="no link 'cubes', did you mean 'cube'"):
        sim.push("cubes", force=(1.0, 0.0, 0.0))
    with pytest.raises(SimulationError, match="no body 'cub', did you mean 'cube'"):
        sim.push("cub/cube", force=(1.0, 0.0, 0.0))
    with pytest.raises(SimulationError, match="force is not finite"):
        sim.push("cube", force=(np.nan, 0.0, 0.0))
    with pytest.raises(SimulationError, match=r"point has shape \(2,\)"):
        sim.push("cube", point=(0.0, 0.0))
    with pytest.raises(SimulationError, match="no joint"):
        sim.push_joint("knee", 1.0)
    for _ in range(32):
        sim.push("cube", force=(1.0, 0.0, 0.0))
    with pytest.raises(SimulationError, match="more than 32 pushes"):
        sim.push("cube", force=(1.0, 0.0, 0.0))
