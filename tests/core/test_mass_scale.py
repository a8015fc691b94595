"""A robot that is heavier or lighter than its file says."""

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError
from footfall.scene.load import scene_from_dict

CART = """
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="along" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.3"/>
      <body name="arm" pos="0 0 0.1">
        <joint name="swing" axis="0 1 0"/>
        <inertial pos="0 0 0.2" mass="1" fullinertia="0.02 0.025 0.03 0.001 0.002 -0.003"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def world(name, engine, scale):
    given = {"engine.plugin": engine, f"bodies.{name}.mass_scale": scale}
    return footfall.load(f"{name}/standing" if name == "humanoid" else f"{name}/drop", given)


@pytest.mark.parametrize("engine", ["featherstone", "pinocchio"])
@pytest.mark.parametrize("name", ["humanoid", "cube"])
def test_masses_and_inertias_are_multiplied_and_weigh_so(name, engine):
    plain, heavy = (world(name, engine, scale).world.bodies[0].model for scale in (1.0, 1.5))
    np.testing.assert_allclose(heavy.link_mass, 1.5 * plain.link_mass, 1e-14)
    np.testing.assert_allclose(heavy.link_inertia, 1.5 * plain.link_inertia, 1e-13, 1e-15)
    np.testing.assert_allclose(heavy.link_com, plain.link_com, 0.0, 1e-15)
    np.testing.assert_array_equal(heavy.armature, plain.armature)
    sim = world(name, engine, 1.5)
    run = sim.run(2.0, output=None)
    force = float(run.contact_force.sel(axis="z").sum("contact")[-1])
    assert force == pytest.approx(1.5 * plain.link_mass.sum() * 9.81, rel=1e-3)


def test_an_mjcf_is_scaled_too(tmp_path):
    (tmp_path / "cart.xml").write_text(CART)
    scene = tmp_path / "scene.toml"
    scene.write_text('[simulation]\nduration = 1.0\n[bodies.cart]\nrobot = "cart.xml"\n')
    plain = footfall.load(scene)
    heavy = footfall.load(scene, {"bodies.cart.mass_scale": 0.25})
    for sim in (plain, heavy):
        sim.step()
    one, other = (sim.world.bodies[0].tree for sim in (plain, heavy))
    np.testing.assert_allclose(other.M, 0.25 * one.M, 1e-13, 1e-15)
    np.testing.assert_allclose(other.h, 0.25 * one.h, 1e-13, 1e-15)


def test_it_is_of_robots_and_above_zero():
    box = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass_scale": 2.0}
    with pytest.raises(SceneError, match=r"bodies\.box: mass_scale has no effect on an object"):
        scene_from_dict({"simulation": {"duration": 1.0}, "bodies": {"box": box}})
    with pytest.raises(SceneError, match=r"bodies\.cube\.mass_scale.*0"):
        footfall.load("cube/drop", {"bodies.cube.mass_scale": 0.0})
