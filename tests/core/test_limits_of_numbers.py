"""Numbers that doubles cannot compute with are refused where they come in, by their key."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import FootfallError, RobotError, SceneError, SimulationError

BODY = "bodies.cube"
BEYOND = {
    f"{BODY}.base_position": [1e308, 0.0, 1.0],
    f"{BODY}.base_orientation": [1e300, 0.0, 0.0],
    f"{BODY}.base_linear_velocity": [0.0, 1e160, 0.0],
    f"{BODY}.base_angular_velocity": [0.0, 0.0, -1e160],
    f"{BODY}.mass_scale": 1e-300,
    "world.gravity": [0.0, 0.0, -1e200],
    "simulation.duration": 1e300,
    "simulation.time_step": 1e-300,
}
OBJECT = {
    "mass": 1e300,
    "density": 1e-300,
    "shape.size": [1e300, 1.0, 1.0],
}


@each(("key", "value"), BEYOND.items(), ids=BEYOND)
def test_a_number_of_a_scene_is_refused_by_its_key(key, value):
    with pytest.raises(SceneError) as caught:
        footfall.load("cube/drop", {key: value})
    said = str(caught.value)
    assert (key if key != "simulation.time_step" else "at most 2^53 of them") in said
    assert "\n" not in said


@each(("key", "value"), OBJECT.items(), ids=OBJECT)
def test_a_number_of_an_object_is_refused_by_its_key(key, value, tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(
        "[simulation]\nduration = 1.0\n[bodies.box]\n"
        'shape = {type = "box", size = [0.1, 0.1, 0.1]}\n'
    )
    with pytest.raises(SceneError, match=rf"bodies\.box\.{key}"):
        footfall.load(scene, {f"bodies.box.{key}": value})


@pytest.mark.parametrize("mass", ["1e300", "1e-300"])
def test_a_mass_of_a_file_is_refused_by_its_link(mass, tmp_path):
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="tip"><inertial>'
        f'<mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="base"/>'
        '<child link="tip"/><axis xyz="0 0 1"/></joint></robot>'
    )
    scene = tmp_path / "scene.toml"
    scene.write_text(
        '[simulation]\nduration = 1.0\n[bodies.arm]\nrobot = "arm.urdf"\nbase = "fixed"\n'
    )
    with pytest.raises(RobotError, match=r'link "(tip|j)".*(mass 1e-300|"1e300")'):
        footfall.load(scene)


def test_numbers_from_python_are_refused_or_end_the_step_that_they_are_of():
    sim = footfall.load("humanoid/standing")
    with pytest.raises(SimulationError, match=r"^tau is not finite, or beyond"):
        sim.step(np.full(30, 1e300))
    with pytest.raises(FootfallError, match="beyond"):
        sim.push("pelvis", force=(1e300, 0.0, 0.0))
    sim = footfall.load("cube/drop")
    sim.q[3:7] = 0.0
    with pytest.raises(SimulationError, match=r"^step 0, .*is not finite"):
        sim.step()


LAWS = ("coulomb", "lcp", "bisection", "compliant")


@pytest.mark.parametrize("law", LAWS)
def test_friction_has_no_upper_bound_and_sticks(law):
    """A cube that is pushed off tips over its leading edge, or stays: none goes into the ground."""
    ends = []
    for friction in (1e6, 1e9, 1e300):
        given = {"contact.plugin": law, "world.terrain.friction": friction}
        given[f"{BODY}.friction"] = friction
        given[f"{BODY}.base_linear_velocity"] = [0.5, 0.3, 0.0]
        sim = footfall.load("cube/sliding", given)
        for _ in range(400):
            sim.step()
        ends.append(sim.q.copy())
        assert abs(sim.q[2] - 0.05) < 1e-3
        assert np.hypot(*sim.q[:2]) < 0.03  # without friction it would be 0.23 m
        assert np.abs(sim.v).max() < 0.1
    np.testing.assert_array_equal(ends[0], ends[2])


def test_pairs_and_shapes_stick_as_well():
    ends = []
    for friction in (1e6, 1e300):
        sim = footfall.load("cube/sliding", {'pairs."cube/terrain".friction': friction})
        for _ in range(50):
            sim.step()
        ends.append(sim.q.copy())
    np.testing.assert_array_equal(*ends)
