"""A limit that is reached in the instant of an impact takes part in it, loops as well."""

from pathlib import Path

import numpy as np
import pytest

import footfall

SPEED, RESTITUTION, MASS, FOOT = 1.0, 0.5, 3.0, 0.5
"""[m/s], [-], [kg] of the trunk, [kg] of each leg."""
LEG = """
<joint name="{side}" type="prismatic">
  <parent link="trunk"/><child link="{side}_leg"/><origin xyz="0 {y} 0"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="0" effort="1" velocity="1"/>
</joint>
<link name="{side}_leg"><inertial><origin xyz="0 {back} -0.2"/><mass value="0.5"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""
TRUNK = """
<robot name="hopper"><link name="trunk"><inertial><mass value="3"/>
  <inertia ixx="0.05" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
{legs}</robot>
"""
ROBOT = """
[model]
file = "model.urdf"
{loops}
[joint_dynamics.{stopped}]
limits = "model"

[[contact_features]]
kind = "point"
frame = "left_leg"
points = [[0.0, 0.0, -0.2]]
"""
SCENE = """
[simulation]
duration = 0.02

[world.terrain]
plugin = "plane"
friction = 0.5
restitution = 0.5

[bodies.hopper]
robot = "robot.toml"
base_position = [0.0, 0.0, 0.2005]
base_linear_velocity = [0.0, 0.0, -1.0]
"""
GEAR = '[[loops]]\nkind = "coupling"\njoint = "right"\nof = "left"\n'


def hopper(folder: Path, legs: str, stopped: str, loops: str = "", law: str = "coulomb"):
    """Load a trunk on legs that cannot be pushed in, just above the ground."""
    (folder / "model.urdf").write_text(TRUNK.format(legs=legs))
    (folder / "robot.toml").write_text(ROBOT.format(loops=loops, stopped=stopped))
    (folder / "scene.toml").write_text(SCENE)
    return footfall.load(folder / "scene.toml", overrides={"contact.plugin": law})


def leg(side: str, y: float) -> str:
    return LEG.format(side=side, y=y, back=-y)


def bounced(sim) -> tuple[np.ndarray, np.ndarray]:
    """Return the speed of the impact, and the velocities right after the step that it is in."""
    for _ in range(10):
        before = sim.v.copy()
        sim.step()
        if sim.v[2] > 0.0 or np.abs(sim.v[6:]).max() > 1e-6:
            return before, sim.v.copy()
    raise AssertionError("nothing has bounced")


@pytest.mark.parametrize("law", ["coulomb", "pinocchio_constraints"])
def test_what_rests_on_a_limit_bounces_as_one(tmp_path, law):
    """The leg is fully in as it lands: trunk and leg leave with e times the speed, together.

    Without the limit in the impact the leg alone would bounce, and then be hit by the trunk.
    """
    sim = hopper(tmp_path, leg("left", 0.0), "left", law=law)
    before, after = bounced(sim)
    assert after[2] == pytest.approx(RESTITUTION * SPEED, rel=0.02)
    assert abs(after[6]) < 1e-9
    assert sim.signal("residual_natural_map") < 1e-8
    # The limit has stopped and turned the trunk.
    pushed = float(np.abs(sim.signal("joint_row_force")).max()) * sim.time_step
    assert pushed == pytest.approx(MASS * (1.0 + RESTITUTION) * SPEED, rel=0.02)
    energies = [float(0.5 * (MASS + FOOT) * v[2] ** 2) for v in (before, after)]
    assert energies[1] < 1.05 * RESTITUTION**2 * energies[0]


def test_it_does_so_through_a_loop(tmp_path):
    """The left leg lands, the right one is at its limit, a gear holds the two together."""
    legs = leg("left", 0.0) + leg("right", 0.0)
    sim = hopper(tmp_path, legs, "right", GEAR)
    _, after = bounced(sim)
    assert after[2] == pytest.approx(RESTITUTION * SPEED, rel=0.02)
    assert np.abs(after[6:]).max() < 1e-6
    assert np.abs(sim.signal("loop_gap")).max() < 1e-9
    # The gear carries what stops the right leg's limit from giving way: all of the trunk's.
    pushed = float(np.abs(sim.signal("joint_row_force")).max()) * sim.time_step
    assert pushed == pytest.approx(MASS * (1.0 + RESTITUTION) * SPEED, rel=0.02)


def test_no_energy_is_created_while_it_bounces(tmp_path):
    """Through two bounces, off centre; hops of micrometres are left out."""
    legs = leg("left", 0.02) + leg("right", -0.03)
    recorded = hopper(tmp_path, legs, '"*"', GEAR).run(0.14)
    assert int(recorded.impacts.sum()) >= 2
    assert np.diff(recorded.dissipated_energy.values).min() > -1e-9
    energy = recorded.kinetic_energy.values + recorded.potential_energy.values
    booked = recorded.work - recorded.dissipated_energy + recorded.integration_energy_error
    np.testing.assert_allclose(energy - energy[0], booked.values, atol=1e-10)
    assert np.abs(recorded.loop_gap.values).max() < 1e-6
