"""Limits and Coulomb friction of joints beside contacts, with the default law."""

from pathlib import Path

import numpy as np
import pytest
from tests.physics.written_out import jacobian

import footfall
from footfall.errors import RobotError, SceneError
from footfall.model import bundled_folder

G = 9.81
MASS, LENGTH = 1.0, 1.0
"""Of the pendulum's uniform rod, [kg], [m]."""

BACKLASH = (
    '[[loops]]\nkind = "coupling"\njoint = "l_hip_roll"\nof = "r_knee"\n'
    "ratio = 0.7\noffset = -0.28\nbacklash = 0.004\n"
)
"""A backlash that joins two branches, with its limits near."""


def scene(folder: Path, name: str, dynamics: str, body: str = "", **overrides):
    """Load a bundled robot with other joints, in a scene of its own."""
    source = bundled_folder() / name
    text = (source / "robot.toml").read_text().replace('file = "', f'file = "{source}/')
    (folder / "robot.toml").write_text(f"{text}\n{dynamics}\n")
    (folder / "scene.toml").write_text(
        '[simulation]\nduration = 2.0\n\n[world.terrain]\nplugin = "plane"\nfriction = 0.8\n\n'
        f'[bodies.robot]\nrobot = "robot.toml"\n{body}\n'
    )
    return footfall.load(folder / "scene.toml", overrides=overrides)


def pendulum(folder: Path, dynamics: str, angle: float, **overrides):
    dynamics = f"[joint_dynamics.hinge]\n{dynamics}"
    return scene(
        folder, "pendulum", dynamics, f"joint_positions = {{ hinge = {angle} }}", **overrides
    )


def moment(angle: float) -> float:
    """Return the weight's moment about the hinge, [N m]."""
    return MASS * G * LENGTH / 2.0 * np.sin(angle)


def test_a_joint_below_its_friction_does_not_creep(tmp_path):
    """0.4 rad takes 1.91 N m; 3 N m hold it for 10 s within 1e-9 rad."""
    recorded = pendulum(tmp_path, "friction = 3.0", 0.4).run(10.0)
    assert np.abs(recorded.q.values - 0.4).max() <= 1e-9
    held = recorded.joint_row_force.sel(joint_row="robot/hinge/friction").values[-1]
    assert held == pytest.approx(moment(0.4), rel=1e-9)


@pytest.mark.parametrize(("friction", "moves"), [(1.91, False), (1.90, True)])
def test_it_gives_way_at_its_friction(tmp_path, friction, moves):
    assert 1.90 < moment(0.4) < 1.9101
    friction += 0.0002 if not moves else 0.0
    recorded = pendulum(tmp_path, f"friction = {friction}", 0.4).run(1.0)
    assert (np.abs(recorded.q.values[-1, 0] - 0.4) > 1e-6) == moves


def test_friction_takes_its_torque_times_the_angle(tmp_path):
    """Released at 1.5 rad it comes to rest; what is lost is ``friction`` times the way it went."""
    recorded = pendulum(tmp_path, "friction = 0.5", 1.5).run(20.0)
    way = np.abs(np.diff(recorded.q.values[:, 0])).sum()
    assert np.abs(recorded.v.values[-1]).max() < 1e-9
    # Where it turns within a step it rubs for less than a step: first order in dt.
    assert recorded.dissipated_energy.values[-1] == pytest.approx(0.5 * way, rel=2e-3)


def test_a_limit_hit_at_speed_stops_the_joint_and_creates_no_energy(tmp_path):
    """From 1.5 rad through the bottom to a stop at -0.5 rad, which it reaches with 3.1 rad/s."""
    recorded = pendulum(tmp_path, "limits = [-0.5, 2.0]", 1.5).run(2.0)
    angle, rate = recorded.q.values[:, 0], recorded.v.values[:, 0]
    energy = recorded.kinetic_energy.values + recorded.potential_energy.values
    hit = int(np.argmin(angle < -0.5 + 1e-9) if angle[0] < 0 else np.argmax(angle < -0.5 + 1e-9))
    assert angle.min() >= -0.5 - 1e-9
    assert rate.min() < -3.0
    assert abs(rate[hit + 1]) < 0.05
    assert (np.diff(recorded.dissipated_energy.values) >= -1e-12).all()
    booked = recorded.work - recorded.dissipated_energy + recorded.integration_energy_error
    np.testing.assert_allclose(energy - energy[0], booked.values, atol=1e-11)
    # All its speed is lost: 1/2 (m L^2 / 3) w^2 with w^2 = 3 g / L (cos 0.5 - cos 1.5).
    lost = MASS * G * LENGTH / 2.0 * (np.cos(0.5) - np.cos(1.5))
    assert recorded.dissipated_energy.values[hit + 2] == pytest.approx(lost, rel=0.01)


def test_the_model_files_limits_hold_when_asked_for(tmp_path):
    sim = scene(tmp_path, "humanoid", '[joint_dynamics."*"]\nlimits = "model"\n')
    lower, upper = (
        getattr(sim.world.bodies[0].model, f"position_{end}") for end in ("lower", "upper")
    )
    for _ in range(1500):
        sim.step()
        # A row's velocity is kept to the law's 1e-9 m/s.
        assert (sim.q[7:] > lower - 1e-6).all()
        assert (sim.q[7:] < upper + 1e-6).all()
    at_stop = (np.abs(sim.q[7:] - lower) < 1e-3) | (np.abs(sim.q[7:] - upper) < 1e-3)
    assert at_stop.any()


def test_rows_of_joints_and_contacts_share_one_delassus_matrix(tmp_path):
    """``J M^-1 J'`` from the engine's M, the twists and the contact frames, written out."""
    sim = scene(tmp_path, "humanoid", f'{BACKLASH}[joint_dynamics."*"]\nfriction = 0.5\n')
    sim.step()
    sim.stepper.observe(sim.time)
    problem, nv = sim.stepper.problem, sim.world.nv
    J, cones = jacobian(sim), int((sim.stepper.problem.candidate >= 0).sum())
    assert 0 < cones < len(problem.kind)
    M = sim.world.dynamics.M.reshape(nv, nv) + sim.time_step * np.diag(sim.world.joints.damping)
    expected = J @ np.linalg.solve(M, J.T)
    np.testing.assert_allclose(problem.delassus(), expected, atol=1e-10 * np.abs(expected).max())


def test_starting_outside_a_limit_is_refused(tmp_path):
    with pytest.raises(SceneError, match=r"'hinge' starts at 1, outside its limits -0.5 to 0.5"):
        pendulum(tmp_path, "limits = [-0.5, 0.5]", 1.0)


def test_a_posture_of_the_robot_file_outside_a_limit_is_told_there(tmp_path):
    with pytest.raises(
        RobotError, match=r"robot.toml: posture: joint 'hinge' starts at 1, outside"
    ):
        scene(
            tmp_path,
            "pendulum",
            "[posture]\nhinge = 1.0\n[joint_dynamics.hinge]\nlimits = [0, 0.5]",
        )


def test_limits_that_the_model_file_does_not_give_are_refused(tmp_path):
    with pytest.raises(RobotError, match=r"hinge.limits: .* has none for hinge"):
        pendulum(tmp_path, 'limits = "model"', 0.0)


def test_limits_in_the_wrong_order_are_refused(tmp_path):
    with pytest.raises((SceneError, RobotError), match="lower 1 is above upper -1"):
        pendulum(tmp_path, "limits = [1.0, -1.0]", 0.0)
