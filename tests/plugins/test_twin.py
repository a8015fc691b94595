"""Twins: nothing differs in what is the same, and what is seeded is named first."""

from contextlib import contextmanager

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError

mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")

from footfall_compare.twin.command import twin as twin_command  # noqa: E402
from footfall_compare.twin.layer import Layer  # noqa: E402
from footfall_compare.twin.layers import Pair  # noqa: E402
from footfall_compare.twin.page import write_page  # noqa: E402
from footfall_compare.twin.run import Parting, Share, partings  # noqa: E402
from footfall_compare.twin.twin import Comparison, of_simulators  # noqa: E402

SCENE = "quadruped/standing"
OFF = {"visualizer.plugin": "none"}


def load(scene, simulator, **change):
    return footfall.load(scene, {**OFF, **change, "simulator.plugin": simulator})


@pytest.fixture(scope="module")
def pair():
    return Pair(load(SCENE, "footfall"), load(SCENE, "mujoco"))


@contextmanager
def changed(array, at, value, model=None):
    """Change entries of an array for a while; let MuJoCo derive what follows from it."""
    before = array.copy()
    array[at] = value
    if model is not None:
        mujoco.mj_setConst(model, mujoco.MjData(model))
    try:
        yield
    finally:
        array[:] = before
        if model is not None:
            mujoco.mj_setConst(model, mujoco.MjData(model))


@contextmanager
def other(owner, name, value):
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def mass(pair, k):
    body = 1 + k % (pair.model.nbody - 1)
    array = pair.model.body_mass
    return changed(array, body, 1.01 * array[body], pair.model), {"mass of links"}


def inertia(pair, k):
    body = 1 + k % (pair.model.nbody - 1)
    array = pair.model.body_inertia
    return changed(array, body, 1.01 * array[body], pair.model), {"inertia of links"}


def centre(pair, k):
    body = 1 + k % (pair.model.nbody - 1)
    array = pair.model.body_ipos
    return changed(array, body, array[body] + 1e-3, pair.model), {"centres of mass"}


def armature(pair, k):
    dof = 6 + k % (pair.model.nv - 6)
    array = pair.model.dof_armature
    return changed(array, dof, array[dof] + 0.01, pair.model), {"reflected inertia"}


def dry_friction(pair, k):
    return changed(pair.model.dof_frictionloss, 6 + k % 12, 0.05), {"friction of joints"}


def damping(pair, k):
    array = pair.theirs.stepper.world.joints.damping
    dof = 6 + k % 12
    return changed(array, dof, array[dof] + 0.01), {"damping of joints and gains"}


def axis(pair, k):
    joint = 1 + k % (pair.model.njnt - 1)
    array = pair.model.jnt_axis
    return changed(array, joint, -array[joint]), {"axes of joints"}


def order_of_joints(pair, k):
    at = pair.translation.q
    one, two = 7 + k % 12, 7 + (k + 5) % 12
    return changed(at, [one, two], at[[two, one]]), {"frames of links"}


def order_of_quaternions(pair, k):
    at = pair.translation.q
    return changed(at, slice(3, 7), np.roll(at[3:7], 1 + k % 3)), {"frames of links"}


def axes_of_the_base_velocity(pair, k):
    steps = pair.theirs.stepper.guest
    return other(steps, "_vectors", []), {"velocities of links"}


def gravity(pair, k):
    array = pair.model.opt.gravity
    return changed(array, 2, array[2] * (1.01 + 0.01 * k)), {"gravity"}


def friction_rule(pair, k):
    array = pair.theirs.stepper.world.candidates.friction
    c = k % len(array)
    return changed(array, c, 0.5 * array[c]), {"friction of contacts"}


def missing_contact(pair, k):
    array = pair.model.pair_margin
    return changed(array, k % len(array), -1.0), {"contacts at the start"}


def shifted_point(pair, k):
    geom = int(pair.translation.first[k % pair.model.npair])
    array = pair.model.geom_pos
    return changed(array, geom, array[geom] + 3e-4), {"gaps", "contacts at the start"}


KINDS = (
    *(mass, inertia, centre, armature, dry_friction, damping, axis, order_of_joints),
    *(order_of_quaternions, axes_of_the_base_velocity, gravity, friction_rule, missing_contact),
    shifted_point,
)
SEEDS = [(KINDS[k % len(KINDS)], 7 * k // len(KINDS) + k) for k in range(38)]


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("simulation.time_step", 5e-4, "time step"),
        ("world.gravity", [0.0, 0.0, -9.0], "gravity"),
        ("bodies.quadruped.joint_positions", {"*_knee": -1.4}, "start posture"),
    ],
)
def test_a_setting_is_named_first(key, value, name):
    found = first(Pair(load(SCENE, "footfall"), load(SCENE, "mujoco", **{key: value})))
    assert found.name == name


def first(pair):
    return next((each for each in pair.layers() if not each.agrees), None)


def test_nothing_differs_where_nothing_was_seeded(pair):
    assert first(pair) is None


@pytest.mark.parametrize("scene", ["cube/stack", "rrbot/swing", "planar_box/drop", "disc/rolling"])
def test_bundled_scenes_are_the_same_in_both(scene):
    assert first(Pair(load(scene, "footfall"), load(scene, "mujoco"))) is None


@pytest.mark.parametrize(("kind", "k"), SEEDS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_what_is_seeded_is_named_first(pair, kind, k):
    """38 seeds here and two gains below: 40 of 40."""
    seed, names = kind(pair, k)
    with seed:
        found = first(pair)
    assert found is not None
    assert found.name in names, f"{found.name}: {found.where}"


@pytest.mark.parametrize("gain", ["stiffness", "damping"])
def test_a_gain_is_named_first(gain):
    controller = "bodies.quadruped.controller"
    given = footfall.load_scene(SCENE).bodies["quadruped"].controller.config
    value = getattr(given, gain)
    assert isinstance(value, int | float)
    change = {f"{controller}.{gain}": 1.05 * float(value)}
    found = first(Pair(load(SCENE, "footfall"), load(SCENE, "mujoco", **change)))
    assert found is not None
    assert found.name == "damping of joints and gains"


def test_a_comparison_says_when_they_part_and_what_is_left():
    sims = load(SCENE, "footfall"), load(SCENE, "mujoco")
    before = sims[0].q.copy()
    found = of_simulators(*sims, 30)
    assert found.first is None
    parted = {each.what: each.step for each in found.partings}
    assert parted == {"contacts": -1, "contact forces": 0, "accelerations": 0}  # MuJoCo's are soft
    assert found.difference > 0.0
    assert {each.what for each in found.shares} == {
        "elliptic cones",
        "contacts as hard as the step allows",
    }
    assert sims[0].q.tobytes() == before.tobytes()


def test_contacts_part_in_the_step_in_which_one_of_them_is_missing(pair):
    before = [(sim, sim.state.copy()) for sim in (pair.ours, pair.theirs)]
    with changed(pair.model.pair_margin, 2, -1.0):
        contacts, *_ = partings(pair, 3)
    for sim, state in before:
        sim.state.restore(state)
    assert contacts.step == 0
    assert "has a force only here (1 of 4)" in contacts.where


def test_a_model_file_is_compared_with_mujocos_own_loading():
    found = footfall.twin(footfall.load_robot("humanoid").urdf.path)
    assert found.first is None
    assert len(found.layers) > 10


CHAIN = """
<mujoco><worldbody><body name="t" pos="0 0 1"><freejoint/><geom size="0.1"/>
  <body name="a" pos="0.1 0 0">
    <joint name="j1" axis="1 0 0" pos="0 0 0.1"/>
    <joint name="j2" axis="0 1 0" pos="0 0 0.1" range="-30 60"/>
    <joint name="j3" type="slide" axis="0 0 1"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
    <body name="b" pos="0.3 0 0">
      <joint name="k1" axis="1 0 0" pos="0 0.02 0" frictionloss="0.2"/>
      <joint name="k2" axis="0 1 0" pos="0.01 0 0" damping="2"/>
      <geom type="box" size="0.03 0.02 0.1"/>
    </body>
  </body>
</body></worldbody></mujoco>
"""


def test_bodies_of_several_joints_and_joints_beside_their_origins_are_the_same(tmp_path):
    path = tmp_path / "chain.xml"
    path.write_text(CHAIN)
    found = footfall.twin(path)
    assert found.first is None
    assert {"mass of links", "centres of mass", "velocities of links"} <= {
        layer.name for layer in found.layers
    }


def test_a_file_that_only_one_reads_is_told(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a"><joint type="ball"/>'
        '<geom size="0.1" mass="1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(FootfallError, match="ball joints"):
        footfall.twin(path)


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        (None, r"^nofile.xml: no such file$"),
        (2, r"^(?!bodies\.).*one root body with a free joint.*footfall import"),
    ],
)
def test_a_file_that_is_not_taken_is_told_without_a_scene(tmp_path, monkeypatch, bodies, said):
    monkeypatch.chdir(tmp_path)
    ball = '<body><freejoint/><geom size="0.1"/></body>'
    if bodies:
        text = f"<mujoco><worldbody>{bodies * ball}</worldbody></mujoco>"
        (tmp_path / "nofile.xml").write_text(text)
    with pytest.raises(FootfallError, match=said):
        footfall.twin("nofile.xml")


def test_another_simulator_is_refused():
    with pytest.raises(FootfallError, match="mujoco"):
        twin_command("cube/drop", with_="drake")


def test_the_page_names_what_differs_and_what_explains_it(tmp_path):
    layers = Layer("total mass", "kg", 0.0, 1e-9), Layer("M & h", "-", 0.5, 1e-9, "<arm>: 2 and 1")
    shares = Share("elliptic cones", 0.25), Share("mass of links", 1.5)
    parted = Parting("contacts", 3, "sole pushes only here"), Parting("accelerations", -1, "")
    found = Comparison("a/b", "mujoco", layers, parted, 0.01, 20, shares)
    write_page(found, tmp_path / "twin.html")
    text = (tmp_path / "twin.html").read_text()
    for words in (
        "First difference: <b>M &amp; h</b>",
        "&lt;arm&gt;",
        "step 3",
        "25.0 %",
        "never",
    ):
        assert words in text
    assert "width:100.0%" in text  # more than all of it is drawn as all


def test_a_page_into_no_folder_is_refused_before_anything_is_compared(tmp_path, monkeypatch):
    monkeypatch.setattr("footfall_compare.twin.twin.twin", lambda *_, **__: pytest.fail("compared"))
    with pytest.raises(FootfallError, match=r"cannot be written: there is no folder .*none"):
        twin_command("a", html=tmp_path / "none" / "twin.html")


def test_a_page_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "footfall_compare.twin.twin.twin",
        lambda *_, **__: Comparison("a", "mujoco", (Layer("mass", "kg", 0.0, 1e-9),)),
    )
    with pytest.raises(FootfallError, match="directory"):
        twin_command("a", html=tmp_path)
