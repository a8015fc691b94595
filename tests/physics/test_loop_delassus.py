"""What contacts see of a closed robot, against loops taken out of the whole matrices."""

import numpy as np
import pytest
from tests.physics.test_coupled_drives import scene
from tests.physics.written_out import implicit_inertia, jacobian

import footfall

GEAR = '[[loops]]\nkind = "coupling"\njoint = "{}"\nof = "{}"\nratio = -0.5\noffset = {}\n'
ACROSS = """
[[actuators]]
joints = ["l_knee", "r_hip_pitch"]
rotor_inertia = 0.2
coupling = [[1.0, 0.3], [-0.4, 1.0]]
"""
GEARS = {
    "arms alone": ("l_elbow", "r_elbow"),
    "legs and contacts": ("l_knee", "r_ankle_pitch"),
    "an arm and a leg": ("l_elbow", "r_hip_pitch"),
}


@pytest.mark.parametrize("base", ["floating", "fixed"])
@pytest.mark.parametrize("drives", ["", ACROSS], ids=["sparse", "dense"])
@pytest.mark.parametrize("case", GEARS)
def test_the_delassus_matrix_is_that_of_the_closed_robot(tmp_path, case, drives, base):
    """``J (A^-1 - A^-1 C' (C A^-1 C')^-1 C A^-1) J'`` with contacts and joint friction."""
    plain = footfall.load("humanoid/standing")
    names = plain.world.bodies[0].model.joint_names
    follower, leader = (names.index(name) for name in GEARS[case])
    offset = float(plain.q[7 + follower] + 0.5 * plain.q[7 + leader])
    gear = GEAR.format(*GEARS[case], offset)
    friction = '[joint_dynamics."*_knee"]\nfriction = 0.5\n'
    sim = scene(tmp_path, "humanoid", f"{drives}\n{gear}\n{friction}", f'base = "{base}"')
    for _ in range(5):
        sim.step()
    sim.stepper.observe(sim.time)
    A, J = implicit_inertia(sim), jacobian(sim)
    assert len(J) == 3 * 8 + 2
    assert sim.world.topology.wide[0] == (base == "fixed" or drives == ACROSS)
    C = np.zeros((1, sim.world.nv))
    first = sim.world.bodies[0].joint_offset
    C[0, first + follower], C[0, first + leader] = 1.0, 0.5
    inverse = np.linalg.inv(A)
    inverse -= inverse @ C.T @ np.linalg.inv(C @ inverse @ C.T) @ C @ inverse
    expected = J @ inverse @ J.T
    delassus = sim.stepper.problem.delassus()
    np.testing.assert_allclose(delassus, expected, atol=1e-9 * np.abs(expected).max())
