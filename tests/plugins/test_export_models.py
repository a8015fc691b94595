"""Exported MJCF and URDF: MuJoCo and other engines find the same M, h, contacts and loops."""

import json
import shutil
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from tests.cases import first
from tests.mesh_bytes import obj
from tests.plugins.engine_models import engine
from tests.robot_packages import need_package

import footfall
from footfall.cli.main import main
from footfall.errors import RobotWarning
from footfall.formats.urdf_file import read_urdf
from footfall.model.object_schema import ObjectShape
from footfall.model.robot import Robot, bundled_folder
from footfall.registry.discover import discover
from footfall_simulators.exporters.mjcf import export_mjcf
from footfall_simulators.exporters.urdf import export_urdf

mujoco = pytest.importorskip("mujoco", reason='pip install -e ".[bench]"')
pytestmark = pytest.mark.filterwarnings("always:.*left out:footfall.errors.RobotWarning")
ROBOTS = (
    "humanoid/standing",
    "quadruped/standing",
    "fourbar/swinging",
    "planar_box/drop",
    "parallel_leg/standing",
    "rrbot/swing",
    "panda/pushing",
    "jvrc/grasp",
    "icub_on_pole/swinging",
)
GROUND = "ground"


@pytest.fixture
def exported(tmp_path, capsys):
    """Return a function that exports a scene and gives the file."""

    def exported(scene, kind="mjcf", *options):
        need_package(scene)
        output = tmp_path / f"it.{'xml' if kind == 'mjcf' else 'urdf'}"
        with pytest.raises(SystemExit) as exit_:
            main(["export", scene, "-o", str(output), "--format", kind, *options])
        assert exit_.value.code in (None, 0)
        assert "left out: visuals" in " ".join(capsys.readouterr().err.split())
        return output

    return exported


@pytest.fixture
def told(tmp_path):
    """Return a function that exports a scene of tables; gives the file's text and what is told."""

    def told(kind, **tables):
        path, output = tmp_path / "scene.toml", tmp_path / "it.xml"
        path.write_text(toml_of(tables))
        export = {"mjcf": export_mjcf, "urdf": export_urdf}[kind]
        with pytest.warns(RobotWarning, match="left out") as caught:
            export(path, output, overwrite=True)
        return output.read_text(), " ".join(str(w.message) for w in caught)

    return told


def toml_of(tables):
    """Return tables as TOML, each key of the outermost on a line."""

    def inline(value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key} = {inline(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(inline, value)) + "]"
        return json.dumps(value)

    return "".join(f"{key} = {inline(value)}\n" for key, value in tables.items())


def loaded(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def random_state(sim, seed):
    """Return positions and velocities of a world, at random."""
    rng = np.random.default_rng(seed)
    q, v = sim.q + rng.uniform(-0.5, 0.5, sim.world.nq), rng.normal(size=sim.world.nv)
    at = 0
    for body in sim.world.bodies:
        if body.joint_offset:
            q[at + 3 : at + 7] /= np.linalg.norm(q[at + 3 : at + 7])
        at += body.model.nq
    return q, v


def rotation(q):
    x, y, z, w = q
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array([w, x, y, z]))
    return R.reshape(3, 3)


def bodies(sim, model):
    """Yield bodies with slices of q and v here, and their rows of qpos and qvel in MuJoCo."""
    at_q = at_v = 0
    several = len(sim.world.bodies) > 1
    for body in sim.world.bodies:
        prefix = f"{body.name}/" if several else ""
        joints = [model.joint(f"{prefix}{name}") for name in body.model.joint_names]
        rows_q = [int(j.qposadr[0]) for j in joints]
        rows_v = [int(j.dofadr[0]) for j in joints]
        if body.joint_offset:
            first = model.body(f"{prefix}{body.model.link_names[0]}").id
            root = model.body_jntadr[first]
            free_q, free_v = int(model.jnt_qposadr[root]), int(model.jnt_dofadr[root])
            rows_q = [*(free_q + k for k in (0, 1, 2, 4, 5, 6, 3)), *rows_q]
            rows_v = [*range(free_v, free_v + 6), *rows_v]
        nq, nv = body.model.nq, body.model.nv
        yield body, slice(at_q, at_q + nq), slice(at_v, at_v + nv), rows_q, rows_v
        at_q, at_v = at_q + nq, at_v + nv


@pytest.mark.parametrize("scene", first(*ROBOTS, runs=3))
def test_mujoco_finds_the_same_inertia_and_bias_force(exported, scene):
    """``v_mujoco = T v`` with T = blockdiag(R, 1) of a floating base."""
    model, data = loaded(exported(scene))
    sim = footfall.load(scene)
    for seed in range(3):
        q, v = random_state(sim, seed)
        for body, of_q, of_v, rows_q, rows_v in bodies(sim, model):
            R = rotation(q[of_q][3:7]) if body.joint_offset else np.eye(3)
            data.qpos[rows_q], data.qvel[rows_v] = q[of_q], v[of_v]
            if body.joint_offset:
                data.qvel[rows_v[:3]] = R @ v[of_v][:3]
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        for k, unit in enumerate(np.eye(model.nv)):
            mujoco.mj_mulM(model, data, full[k], unit)
        for body, of_q, of_v, _, rows_v in bodies(sim, model):
            if body.tree is None:
                continue
            body.tree.evaluate(q[of_q], v[of_v])
            M = body.tree.M + np.diag(sim.world.joints.armature[of_v])
            T, turned = np.eye(body.model.nv), np.zeros(body.model.nv)
            if body.joint_offset:
                T[:3, :3] = rotation(q[of_q][3:7])
                turned[:3] = T[:3, :3] @ np.cross(v[of_v][3:6], v[of_v][:3])
            theirs = full[np.ix_(rows_v, rows_v)]
            scale = np.sqrt(np.diag(M))
            assert (abs(T.T @ theirs @ T - M) / np.outer(scale, scale)).max() < 1e-12
            h = T.T @ (data.qfrc_bias[rows_v] + theirs @ turned)
            assert abs(h - body.tree.h).max() < 1e-11 * abs(body.tree.h).max()


@pytest.mark.parametrize("scene", first(*ROBOTS, "cube/stack", "coin/rolling", runs=4))
def test_masses_and_the_start_are_the_same(exported, scene):
    model, data = loaded(exported(scene))
    sim = footfall.load(scene)
    assert model.nv == sim.world.nv
    assert model.body_mass.sum() == pytest.approx(sim.world.mass, rel=1e-12)
    for body, of_q, of_v, rows_q, rows_v in bodies(sim, model):
        np.testing.assert_allclose(data.qpos[rows_q], sim.q[of_q], atol=1e-15)
        v = sim.v[of_v].copy()
        if body.joint_offset:
            v[:3] = rotation(sim.q[of_q][3:7]) @ v[:3]
        np.testing.assert_allclose(data.qvel[rows_v], v, atol=1e-14)


@pytest.mark.parametrize("scene", ["humanoid/standing", "quadruped/standing", "jvrc/standing"])
def test_the_same_points_touch_the_ground_with_the_same_friction(exported, scene):
    model, data = loaded(exported(scene))
    mujoco.mj_forward(model, data)
    ground = model.geom(GROUND).id
    theirs = [c for c in data.contact[: data.ncon] if ground in c.geom]
    sim = footfall.load(scene)
    sim.step()
    places = sim.signal("contact_position")[: sim.world.n_contacts]
    assert len(theirs) == len(places) == sim.world.n_contacts
    mu = sim.world.problem.mu[: len(places)]
    for contact in theirs:
        far = np.linalg.norm(places - contact.pos, axis=1)
        assert far.min() < 1e-5
        assert contact.friction[0] == pytest.approx(mu[int(far.argmin())], rel=1e-12)
        assert abs(contact.dist) < 2e-6


def test_it_stands_there_as_here(exported):
    model, data = loaded(exported("humanoid/standing"))
    start = data.qpos.copy()
    for _ in range(2000):
        mujoco.mj_step(model, data)
    assert abs(data.qpos[:3] - start[:3]).max() < 5e-3
    assert abs(data.qpos[7:] - start[7:]).max() < 0.02


def test_bodies_that_touch_each_other_here_do_there_and_no_others(exported):
    """A robot's links leave each other alone; box, hand and ground do not."""
    model, _ = loaded(exported("panda/pushing"))
    pairs = {
        frozenset(model.geom(int(g)).name.split("/")[0].split(" ")[0] for g in (a, b))
        for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    assert pairs == {frozenset(("panda", "box")), frozenset((GROUND, "box"))}
    assert not model.geom_contype.any()


def test_a_loop_stays_closed(exported):
    model, data = loaded(exported("fourbar/swinging"))
    for _ in range(500):
        mujoco.mj_step(model, data)
    ends = data.site_xpos[[model.site(f"{model.equality(0).name} {k}").id for k in "ab"]]
    assert np.linalg.norm(ends[0] - ends[1]) < 1e-3
    assert abs(data.qvel).max() > 0.01


@pytest.mark.parametrize("scene", ["humanoid/standing", "quadruped/standing", "rrbot/swing"])
def test_a_urdf_has_the_same_dynamics(exported, scene):
    path = exported(scene, "urdf")
    (body,) = footfall.load(scene).world.bodies
    robot = Robot.from_urdf("it", read_urdf(path), body.model.base)
    gravity = np.array(footfall.load_scene(scene).world.gravity)
    tree = engine("featherstone").load(robot.source("it", gravity))
    assert tree.model.joint_names == body.model.joint_names
    q, v = random_state(footfall.load(scene), 3)
    for each in (tree, body.tree):
        each.evaluate(q, v)
    np.testing.assert_allclose(tree.M, body.tree.M, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(tree.h, body.tree.h, rtol=1e-10, atol=1e-10)
    touching = [shape for link in read_urdf(path).links.values() for shape in link.collisions]
    features = sorted(body.features, key=lambda feature: feature.link)
    for shape, feature in zip(touching, features, strict=True):
        np.testing.assert_allclose(shape.origin.translation, feature.position, atol=1e-12)


def test_a_name_that_ends_with_xml_asks_for_an_mjcf_and_a_scene_is_no_recording(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["export", "cube/drop", "-o", f"{tmp_path}/cube.xml"])
    assert not ended.value.code
    assert "<mujoco" in (tmp_path / "cube.xml").read_text()
    with pytest.raises(SystemExit) as ended:
        main(["export", "cube/drop", "-o", f"{tmp_path}/cube.csv"])
    assert ended.value.code
    assert "cube/drop is a scene, but csv needs a recording" in capsys.readouterr().err


def test_a_recording_is_exported_as_the_scene_that_it_was_made_of(exported, tmp_path):
    path = tmp_path / "run.zarr"
    changes = {"bodies.quadruped.mass_scale": 2.0, "simulation.duration": 0.01}
    footfall.load("quadruped/standing", changes).record(output=path)
    model, _ = loaded(exported(str(path)))
    plain, _ = loaded(exported("quadruped/standing", "mjcf", "--overwrite"))
    assert model.body_mass.sum() == pytest.approx(2.0 * plain.body_mass.sum())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["cube/stack", "--format", "urdf"], "a URDF holds one robot, 11 bodies move"),
        (["cube/nothing", "--format", "mjcf"], "cube/nothing"),
        (["cube/drop", "--format", "mjfc"], "did you mean 'mjcf'"),
        (["cube/drop", "--format", "html"], "cube/drop"),
    ],
)
def test_mistakes_are_one_clear_line(tmp_path, capsys, arguments, says):
    with pytest.raises(SystemExit) as exit_:
        main(["export", *arguments, "-o", str(tmp_path / "x")])
    assert exit_.value.code
    assert says in " ".join(capsys.readouterr().err.split())
    assert not Path(tmp_path / "x").exists()


def test_what_is_there_is_not_overwritten_unasked(tmp_path, capsys):
    output = tmp_path / "x.xml"
    output.write_text("mine")
    with pytest.raises(SystemExit):
        main(["export", "cube/drop", "--format", "mjcf", "-o", str(output)])
    assert output.read_text() == "mine"


# Nothing is lost without a word


BALL = {"shape": {"type": "sphere", "radius": 0.1}, "friction": 0.5}
BALL["base_position"] = [0.0, 0.0, 5.0]
SHAPES = {
    "box": ({"size": [0.1, 0.2, 0.3]}, 'type="box"', "<box"),
    "sphere": ({"radius": 0.1}, 'type="sphere"', "<sphere"),
    "cylinder": ({"radius": 0.1, "length": 0.2}, 'type="cylinder"', "<cylinder"),
    "capsule": ({"radius": 0.1, "length": 0.2}, 'type="capsule"', "<capsule"),
    "mesh": ({"file": "t.obj"}, 'type="mesh"', "<mesh"),
    "triangles": ({"type": "mesh", "file": "t.obj", "use": "triangles"}, "", "<mesh"),
    "heightfield": ({"file": "h.csv", "size": [1.0, 1.0]}, "", None),
}
"""A table of each shape, and how MJCF and URDF hold it: empty if they do not."""


def a_shape(name, folder):
    (folder / "t.obj").write_bytes(obj())
    (folder / "h.csv").write_text("0,0.1\n0.2,0\n")
    return {"type": name} | SHAPES[name][0]


def test_every_shape_is_looked_at():
    kinds = {get_args(each.model_fields["type"].annotation)[0] for each in shapes_of_objects()}
    assert kinds <= SHAPES.keys()


def shapes_of_objects():
    return get_args(get_args(ObjectShape)[0])


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("fixed", [False, True])
def test_a_shape_is_in_the_mjcf_or_told(told, tmp_path, name, fixed):
    it = {"shape": a_shape(name, tmp_path), "fixed": fixed, "base_position": [0.0, 0.0, 1.0]}
    it["friction"] = 0.5
    if name in ("triangles", "heightfield") and not fixed:
        pytest.skip("is for what never moves")
    text, said = told("mjcf", bodies={"it": it, "ball": BALL})
    held = SHAPES[name][1]
    lines = [line for line in text.splitlines() if 'name="it/' in line]
    geom = "".join(line for line in lines if "<geom" in line and "contact " not in line)
    assert held in geom
    assert bool(held) != ("shape it/" in said)
    if held:
        mujoco.MjModel.from_xml_path(str(tmp_path / "it.xml"))


def volume(path):
    """Return what the faces of an OBJ enclose: a sixth of the sum of ``a x b . c``."""
    lines = [line.split() for line in path.read_text().splitlines()]
    points = np.array([line[1:] for line in lines if line[0] == "v"], float)
    faces = [np.array(line[1:], int) - 1 for line in lines if line[0] == "f"]
    fans = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    return sum(float(np.linalg.det(points[list(fan)])) for fan in fans) / 6.0


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "heightfield"])
def test_a_shape_on_a_link_is_in_the_urdf(told, tmp_path, name):
    """Those of a link, with a mesh as a file beside it, of the same volume."""
    shape = a_shape(name, tmp_path)
    shutil.copy(bundled_folder() / "pendulum" / "model.urdf", tmp_path)
    robot = {"model": {"file": "model.urdf", "collisions": "ignored"}, "base": "fixed"}
    link = read_urdf(tmp_path / "model.urdf").joints["hinge"].child
    robot["collision_shapes"] = [{"frame": link, "shape": shape, "position": [0.0, 0.1, 0.0]}]
    (tmp_path / "robot.toml").write_text(toml_of(robot))
    wall = {"shape": {"type": "box", "size": [1.0, 1.0, 1.0]}, "fixed": True}
    wall |= {"base_position": [9.0, 0.0, 0.0], "friction": 0.5}
    text, said = told("urdf", bodies={"it": {"robot": "robot.toml"}, "wall": wall})
    assert SHAPES[name][2] in text
    assert "shape it/" not in said
    assert "fixed wall" in said
    (shape,) = read_urdf(tmp_path / "it.xml").links[link].collisions
    np.testing.assert_allclose(shape.origin.translation, [0.0, 0.1, 0.0], atol=1e-15)
    if SHAPES[name][2] == "<mesh":
        # The tetrahedron has sides of 1, 2 and 3.
        assert volume(tmp_path / "it_meshes" / "0.obj") == pytest.approx(1.0, rel=1e-12)


def names_of(role):
    return [entry.name for entry in discover().catalog(role)]


def test_every_other_ground_than_a_plane_is_told(told):
    needs = {
        "steps": {"boxes": [{"position": [1.0, 0.0, 0.0], "size": [0.1, 0.1, 0.1]}]},
        "heightmap": {"function": "tests.plugins.ground_functions:waves"},
    }
    for name in names_of("terrain"):
        ground = {"plugin": name} | needs.get(name, {})
        _, said = told("mjcf", world={"terrain": ground}, bodies={"ball": BALL})
        assert (f"the ground ({name})" in said) == (name != "plane")


@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_every_drive_is_in_the_file_or_told(told, kind):
    settings = {
        "second_order": {"natural_frequency": 40.0},
        "series_elastic": {"stiffness": 200.0, "rotor_inertia": 0.01},
        "parallel_elastic": {"stiffness": 200.0, "rest": 0.25},
        "tendon_elastic": {"stiffness": 200.0},
        "dc_motor": {"voltage": 12.0, "torque_constant": 1.0, "resistance": 1.0},
    }
    for name in names_of("actuator"):
        drive = {"joints": ["hinge"], "plugin": name, "torque_limit": 3.0}
        drive |= settings.get(name, {})
        text, said = told(kind, bodies={"it": {"robot": "pendulum", "actuators": [drive]}})
        if name in ("ideal", "reflected"):
            assert "actuators" not in said
        elif name != "parallel_elastic":
            assert f"the dynamics of {name} actuators" in said
        elif kind == "mjcf":
            assert 'stiffness="200.0" springref="0.25"' in text
        else:
            assert "springs of hinge" in said
        assert "torque limits" in said if kind == "urdf" else 'actuatorfrcrange="-3.0 3.0"' in text


def test_what_else_acts_is_told(told):
    joints = ["joint1", "joint2"]
    coupled = {"joints": joints, "coupling": [[1.0, 0.0], [1.0, 1.0]], "coulomb_friction": 0.1}
    coupled |= {"rotor_inertia": 0.1, "torque_limit": 3.0, "speed_limit": 2.0}
    arm = {"robot": "rrbot", "actuators": [coupled]}
    arm["controller"] = {"plugin": "posture", "rate": 100.0, "delay": 0.01}
    arm["sensors"] = [{"plugin": "encoder", "name": "angles"}]
    box = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "base_position": [3.0, 0.0, 0.05]}
    box |= {"friction": 0.5, "restitution": 0.5, "torsional_friction": 0.01}
    push = {
        "body": "box",
        "link": "object",
        "force": [1.0, 0.0, 0.0],
        "start": 0.0,
        "duration": 0.1,
    }
    patch = {"x": [0.0, 1.0], "friction": 0.1}
    _, said = told(
        "mjcf",
        world={"terrain": {"plugin": "plane", "patches": [patch]}},
        bodies={"arm": arm, "box": box},
        pushes=[push],
    )
    for words in (
        "visuals",
        "the contact model",
        "patches of the ground",
        "speed limits of drives",
        "torque limits of coupled drives",
        "inertia coupled by transmissions",
        "Coulomb friction of coupled motors",
        "rate and delay of the controller of arm",
        "1 sensors",
        "1 pushes",
        "restitution",
        "torsional and rolling friction",
    ):
        assert words in said
