"""Drives that couple joints of different branches, and Coulomb friction of coupled motors."""

from pathlib import Path

import numpy as np
import pytest
from tests.physics.written_out import jacobian

import footfall
from footfall.errors import SceneError
from footfall.model import bundled_folder

ACROSS = """
[[actuators]]
joints = ["l_knee", "r_hip_pitch", "torso_yaw"]
gear_ratio = 100.0
rotor_inertia = [2e-5, 1e-5, 3e-5]
viscous_friction = [0.3, 0.2, 0.1]
coupling = [[1.0, 0.3, 0.0], [-0.4, 1.0, 0.2], [0.1, 0.0, 1.0]]
"""
T = np.array([[1.0, 0.3, 0.0], [-0.4, 1.0, 0.2], [0.1, 0.0, 1.0]])
INERTIA = 1e4 * np.array([2e-5, 1e-5, 3e-5])
DAMPING = np.array([0.3, 0.2, 0.1])


def scene(folder: Path, robot: str, more: str, body: str = "", head: str = "", **overrides):
    """Load a bundled robot with other drives, in a scene of its own."""
    source = bundled_folder() / robot
    text = (source / "robot.toml").read_text().replace('file = "', f'file = "{source}/')
    (folder / "robot.toml").write_text(f"{text}\n{more}\n")
    (folder / "scene.toml").write_text(
        '[simulation]\nduration = 1.0\n\n[world.terrain]\nplugin = "plane"\nfriction = 0.8\n\n'
        f'[bodies.robot]\nrobot = "robot.toml"\n{body}\n'
    )
    return footfall.load(folder / "scene.toml", overrides=overrides)


def joints_of(sim) -> list[int]:
    names = sim.world.bodies[0].model.joint_names
    return [6 + names.index(name) for name in ("l_knee", "r_hip_pitch", "torso_yaw")]


def test_the_inertia_is_that_of_the_formula(tmp_path):
    plain = scene(tmp_path, "humanoid", "")
    coupled = scene(tmp_path, "humanoid", ACROSS)
    nv, at = plain.world.nv, joints_of(plain)
    added = (coupled.world.dynamics.M - plain.world.dynamics.M).reshape(nv, nv)
    expected = np.zeros((nv, nv))
    expected[np.ix_(at, at)] = np.linalg.inv(T).T @ np.diag(INERTIA) @ np.linalg.inv(T)
    np.testing.assert_allclose(added, expected, atol=1e-13)


def test_the_dense_factor_solves_what_numpy_solves(tmp_path):
    """Free velocity and Delassus matrix of a standing humanoid, with everything written out."""
    sim = scene(tmp_path, "humanoid", f'{ACROSS}\n[joint_dynamics."*"]\nfriction = 0.5\n')
    for _ in range(5):
        sim.step()
    sim.stepper.observe(sim.time)
    world, problem, nv = sim.world, sim.stepper.problem, sim.world.nv
    joints, dt, at = world.joints, sim.time_step, joints_of(sim)
    M = world.dynamics.M.reshape(nv, nv).copy()
    D = np.diag(joints.damping + joints.rate_gain)
    coupled = np.linalg.inv(T).T @ np.diag(DAMPING) @ np.linalg.inv(T)
    D[np.ix_(at, at)] += coupled - np.diag(np.diag(coupled))
    A = M + dt * D + dt**2 * np.diag(joints.stiffness)
    J = jacobian(sim)
    assert (problem.candidate >= 0).any()
    expected = J @ np.linalg.solve(A, J.T)
    np.testing.assert_allclose(problem.delassus(), expected, atol=1e-10 * np.abs(expected).max())
    q, v, passive = sim.q[7:], sim.v, D - np.diag(joints.rate_gain)
    force = joints.tau - world.dynamics.h - passive @ v
    force[6:] -= joints.stiffness[6:] * (q + dt * v[6:] - joints.target[6:])
    force[6:] -= joints.rate_gain[6:] * (v[6:] - joints.target_rate[6:])
    free = v + np.linalg.solve(A, dt * force)
    np.testing.assert_allclose(world.dynamics.v_free, free, atol=1e-9)


def test_a_robot_with_such_drives_stands(tmp_path):
    body = '[bodies.robot.controller]\nplugin = "posture"\n'
    sim = scene(tmp_path, "humanoid", ACROSS, body)
    recorded = sim.run(1.0)
    assert recorded.residual_natural_map.values.max() < 1e-6
    weight = recorded.contact_force.values[-1, :, 2].sum()
    assert weight == pytest.approx(sim.world.mass * 9.81, rel=1e-2)


def test_loops_and_such_drives_go_together(tmp_path):
    """A foot of the humanoid bolted to the world: the gap stays, and the rank is six."""
    weld = '\n[[loops]]\nkind = "weld"\na = "world"\nb = "l_foot"\n'
    recorded = scene(tmp_path, "humanoid", ACROSS + weld).run(0.5)
    assert (recorded.loop_rank.values == 6).all()
    assert np.abs(recorded.loop_gap.values).max() < 1e-6
    assert recorded.residual_natural_map.values.max() < 1e-6


COUPLED = """
[[actuators]]
joints = ["{first}", "{second}"]
coulomb_friction = [{a}, {b}]
coupling = [[1.0, 0.0], [1.0, 1.0]]
"""
TURN = np.array([[1.0, 0.0], [1.0, 1.0]])


def rrbot(folder: Path, a: float, b: float, **overrides):
    plain = footfall.load("rrbot/swing")
    first, second = plain.world.bodies[0].model.joint_names
    drives = COUPLED.format(first=first, second=second, a=a, b=b)
    start = f"joint_positions = {{ {first} = 0.6, {second} = 0.4 }}"
    return scene(folder, "rrbot", drives, start, **overrides)


def held_torques(folder: Path) -> np.ndarray:
    """Return what the motors must bear so that the robot hangs still, ``T' tau``."""
    sim = rrbot(folder, 0.0, 0.0)
    return np.abs(TURN.T @ sim.world.dynamics.h)


def test_coupled_motors_hold_below_their_friction_without_creep(tmp_path):
    need = held_torques(tmp_path)
    sim = rrbot(tmp_path, *(1.001 * need))
    start = sim.q.copy()
    recorded = sim.run(3.0)
    assert np.abs(recorded.q.values - start).max() < 1e-9
    rows = [name for name in recorded.joint_row.values if name.endswith("motor_friction")]
    forces = np.abs(recorded.joint_row_force.sel(joint_row=rows).values[-1])
    np.testing.assert_allclose(forces, need, rtol=1e-9)


@pytest.mark.parametrize("motor", [0, 1])
def test_each_motor_gives_way_at_its_own_friction(tmp_path, motor):
    need = held_torques(tmp_path)
    factor = np.where(np.arange(2) == motor, 0.99, 1.5)
    sim = rrbot(tmp_path, *(factor * need))
    start = sim.q.copy()
    recorded = sim.run(0.5)
    moved = np.linalg.solve(TURN, recorded.q.values[-1] - start)
    assert abs(moved[motor]) > 1e-4
    assert abs(moved[1 - motor]) < 1e-9


def test_a_law_without_box_rows_refuses_coupled_friction(tmp_path):
    with pytest.raises(SceneError, match=r'"gauss" cannot do box blocks.*coupled motors of robot'):
        rrbot(tmp_path, 1.0, 1.0, **{"contact.plugin": "gauss"})


def test_friction_of_a_single_motor_adds_to_the_joints(tmp_path):
    plain = footfall.load("rrbot/swing").world.bodies[0].model.joint_names
    drives = '[[actuators]]\njoints = ["*"]\ncoulomb_friction = 0.25\n'
    own = f"[joint_dynamics.{plain[0]}]\nfriction = 0.5\n"
    sim = scene(tmp_path, "rrbot", drives + own)
    np.testing.assert_allclose(sim.world.joint_rows.value, [0.75, 0.25])
