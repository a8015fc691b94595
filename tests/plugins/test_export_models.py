"""Exported MJCF and URDF: MuJoCo and other engines find the same M, h, contacts and loops."""

from pathlib import Path

import numpy as np
import pytest
from tests.plugins.engine_models import engine
from tests.robot_packages import need_package

import footfall
from footfall.cli.main import main
from footfall.formats.urdf_file import read_urdf
from footfall.model.robot import Robot

mujoco = pytest.importorskip("mujoco", reason='pip install "footfall[bench]"')
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
        assert "left out: what is only drawn" in " ".join(capsys.readouterr().err.split())
        return output

    return exported


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


@pytest.mark.parametrize("scene", ROBOTS)
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


@pytest.mark.parametrize("scene", [*ROBOTS, "cube/stack", "coin/rolling"])
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
        (["cube/stack", "--format", "urdf"], "a URDF is one robot, and 11 bodies move"),
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
