"""What is refused of an assembled scene, and coefficients of single contacts."""

import os
import subprocess
import sys

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError


def test_a_single_foot_point_or_link_has_coefficients_of_its_own():
    table = {
        "l_*": {"friction": 0.9},
        "l_sole": {"friction": 0.2},
        "r_sole/0": {"restitution": 0.1},
    }
    sim = footfall.load("icub/standing", {"bodies.icub.contacts": table})
    c, names = sim.world.candidates, sim.world.contact_names
    left = np.array(["l_sole" in name for name in names])
    assert (c.friction[left] == 0.2).all()
    assert np.isnan(c.friction[~left]).all()
    assert [n for n, e in zip(names, c.restitution, strict=True) if e == 0.1] == ["icub/r_sole/0"]


def test_a_slippery_corner_lets_a_sliding_box_turn():
    """Of one corner without friction the others' braking has a moment about the mass centre."""
    even = footfall.load("cube/sliding")
    one = even.world.contact_names[0].partition("/")[2]
    uneven = footfall.load("cube/sliding", {f'bodies.cube.contacts."{one}".friction': 0.0})
    for sim in (even, uneven):
        for _ in range(50):
            sim.step()
    assert abs(even.v[5]) < 1e-9
    assert abs(uneven.v[5]) > 1e-2


@pytest.mark.parametrize(
    ("pattern", "told"), [("l_sol", "did you mean 'l_sole'"), ("x*", "there are l_sole/0, l_sole")]
)
def test_coefficients_of_contacts_that_do_not_exist_are_refused(pattern, told):
    with pytest.raises(SceneError, match=f"no contact, foot or link of icub has this name.*{told}"):
        footfall.load("icub/standing", {"bodies.icub.contacts": {pattern: {"friction": 0.2}}})


def test_a_law_that_needs_the_new_velocity_refuses_an_explicit_scheme():
    explicit = {"integrator.plugin": "explicit_euler"}
    with pytest.raises(SceneError, match=r'"explicit_euler" moves positions .*semi_implicit_euler'):
        footfall.load("cube/drop", explicit)
    footfall.load("cube/drop", explicit | {"contact.plugin": "gauss"})


def test_a_method_of_the_delassus_matrix_that_knows_no_loops_or_moments_refuses_them():
    method = {"simulation.delassus": "unit_body_forces"}
    with pytest.raises(SceneError, match='does not support closed loops: choose "sparse"'):
        footfall.load("fourbar/swinging", method)
    with pytest.raises(SceneError, match="does not support torsional or rolling friction: choose"):
        footfall.load("ball/spinning", method)


@pytest.mark.parametrize(
    ("scene", "overrides", "told"),
    [
        ("icub/standing", {"bodies.icub.contacts": {"x": {"friction": 0.2}}}, "has this name"),
        ("cube/drop", {"integrator.plugin": "explicit_euler"}, "moves positions"),
        ("fourbar/swinging", {"simulation.delassus": "unit_body_forces"}, "closed loops"),
    ],
)
def test_a_scene_is_refused_before_its_simulator_is_made(monkeypatch, scene, overrides, told):
    """What is made for it takes half a minute where nothing has been compiled yet."""
    monkeypatch.setattr("footfall_stepper.assembly.assemble.StepperSimulator", None)
    with pytest.raises(SceneError, match=told):
        footfall.load(scene, overrides)


def test_a_scene_is_refused_without_compiling_anything(tmp_path):
    scene = tmp_path / "bare.toml"
    scene.write_text('[bodies.box]\nshape = {type = "box", size = [0.1, 0.1, 0.1]}\n')
    code = f"import footfall; footfall.load({str(scene)!r})"
    caches = os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path / "kernels")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=caches, check=False
    )
    assert "no coefficient of friction of box with the ground" in done.stderr
    assert "compiling" not in done.stderr
    assert not list(tmp_path.rglob("*.nbi"))


def test_restitution_of_a_single_contact_is_asked_of_laws_as_a_body_s_is():
    """Neither may be taken by a law that knows none, without a word."""
    plain = {"contact.plugin": "compliant", "impact.plugin": "none"}
    for key in ("restitution", 'contacts."*".restitution'):
        with pytest.raises(SceneError, match=r"cannot do restitution, needed because bodies\.cube"):
            footfall.load("cube/drop", plain | {f"bodies.cube.{key}": 0.5})


def test_a_table_of_coefficients_that_gives_none_is_told_which_there_are():
    with pytest.raises(SceneError, match=r"needs a coefficient: friction, .*, rolling_friction"):
        footfall.load("icub/standing", {"bodies.icub.contacts": {"l_sole": {}}})
