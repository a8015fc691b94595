"""``footfall policy run``: figures of runs, and the shared walking policies in every simulator."""

import json
import re
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from tests.plugins.policies import SHARED, hopper, onnx_of, side_file, small
from tests.plugins.test_policy import refused
from typer.testing import CliRunner

import footfall
from footfall.cli.main import app
from footfall_policy.parting import first_difference
from footfall_policy.table import text


def standing(folder, **changed):
    """Write a policy that holds the humanoid's posture."""
    robot = footfall.load_robot("humanoid")
    posture = [robot.posture(footfall.load("humanoid/standing").world.bodies[0].model).tolist()]
    joints = robot.kept
    terms = [{"term": "command"}]
    gains = {"stiffness": 2000.0, "damping": 60.0, "default": posture[0], **changed}
    return small(folder, joints, terms, inputs=2, command=[0.0, 0.0], **gains)


def test_a_robot_that_holds_its_posture_stands_and_one_without_gains_falls(tmp_path):
    (row,) = footfall.run_policy(standing(tmp_path), "humanoid/standing", seeds=2, duration=2.5)
    assert [sample.fall for sample in row.samples] == [None] * 3
    assert all(sample.distance < 0.05 for sample in row.samples)
    assert all(sample.error < 0.05 for sample in row.samples)
    limp = standing(tmp_path, stiffness=0.0, damping=0.0)
    (row,) = footfall.run_policy(limp, "humanoid/standing", duration=3.0)
    assert 0.1 < row.samples[0].fall < 2.0


def test_the_tracking_error_of_a_standing_robot_is_its_command(tmp_path):
    file, settings = standing(tmp_path), {"command": [0.3, -0.4]}
    (row,) = footfall.run_policy(file, "humanoid/standing", duration=2.5, settings=settings)
    assert row.samples[0].error == pytest.approx(0.5, abs=0.02)


def test_starts_are_the_same_in_every_law(tmp_path):
    file = standing(tmp_path)
    laws = ("coulomb", "compliant", "nonsense")
    rows = footfall.run_policy(file, "humanoid/standing", contacts=laws, seeds=1, duration=0.1)
    one, two = (row.samples[1].end for row in rows[:2])
    assert np.abs(one - two).max() < 0.01
    assert "nonsense" in rows[2].reason


@pytest.mark.parametrize("laws", [("coulomb", "compliant"), ("compliant", "coulomb")])
def test_laws_differ_at_the_start_and_where_the_robot_lands(tmp_path, laws):
    """Standing, only until the soles have sunk in; dropped by 0.05 m, from landing at 0.10 s on."""
    file, over = standing(tmp_path), {}
    for height, landing in ((0.0, None), (0.05, np.sqrt(2.0 * 0.05 / 9.81))):
        base = footfall.load("humanoid/standing").q[:3] + np.array([0.0, 0.0, height])
        over["bodies.humanoid.base_position"] = base.tolist()
        where = {"contacts": laws, "duration": 0.5, "overrides": over}
        parting = footfall.run_policy(file, "humanoid/standing", **where)[1].parting
        if landing is None:
            assert parting.layer == "none"
            assert "sole from 0.00 s for 0.02 s: " in parting.start
        else:
            assert (parting.layer, parting.start) == ("contact forces", "")
            at = float(re.search(r"sole from ([\d.]+) s", parting.where)[1])
            assert at <= landing < at + 0.04


def test_starts_in_other_states_are_a_layer_of_their_own():
    sims = [
        footfall.load("rrbot/swing", {"bodies.rrbot.joint_positions": {"joint1": s, "joint2": 0.0}})
        for s in (0.5, 0.6)
    ]
    parting = first_difference(*sims, "rrbot", None, 1.0)
    assert (parting.layer, parting.where[:5]) == ("start", "q[0]:")
    assert "0.5 in the first row, 0.6 in this one" in parting.where


def test_other_gravity_is_told_as_accelerations():
    bent = {"bodies.rrbot.joint_positions": {"joint1": 0.8, "joint2": 0.0}}
    sims = [
        footfall.load("rrbot/swing", {**bent, "world.gravity": [0.0, 0.0, g]}) for g in (-9.8, -9.0)
    ]
    assert first_difference(*sims, "rrbot", None, 0.1).layer == "accelerations"
    sims = [footfall.load("rrbot/swing", bent) for _ in range(2)]
    assert first_difference(*sims, "rrbot", None, 0.1).layer == "none"


def test_a_planar_base_is_upright_or_falls_and_its_joints_are_no_motors(tmp_path):
    scene, ends = hopper(tmp_path), []
    terms = [{"term": "joint_positions", "joints": ["planar_z", "planar_pitch", "hip"]}]
    for gains in ({"hip": 200.0, "ankle": 5000.0}, 0.0):
        file = small(tmp_path, ["hip", "ankle"], terms, inputs=3, stiffness=gains, damping=50.0)
        (row,) = footfall.run_policy(file, scene, seeds=1, duration=2.0)
        ends.append(row)
    assert [sample.fall for sample in ends[0].samples] == [None, None]
    assert all(abs(sample.end[2] - 0.4) < 0.03 for sample in ends[0].samples)
    assert ends[1].samples[0].fall < 2.0
    file = small(tmp_path, ["hip", "planar_z"], terms, inputs=3)
    told = refused(lambda: footfall.run_policy(file, scene, duration=0.01))
    assert "joints: planar_z is no motor" in told


def test_a_fixed_base_is_judged_by_its_joints(tmp_path):
    """A free joint fails once it is 1 rad from its start; the error is the distance at the end."""
    terms = [{"term": "joint_positions", "joints": ["joint2"]}]
    gains = {"stiffness": 1e4, "damping": 100.0, "others": {"stiffness": 0.0, "damping": 0.0}}
    start = {"bodies.rrbot.joint_positions": {"joint1": 1.0, "joint2": 0.0}}
    file = small(tmp_path, ["joint1"], terms, inputs=1, default=1.0, **gains)
    (row,) = footfall.run_policy(file, "rrbot/swing", duration=2.0, overrides=start)
    policy = {"bodies.rrbot.controller": {"plugin": "policy", "file": str(file)}}
    q = footfall.load("rrbot/swing", {**start, **policy}).run(2.0).q.values
    fall, (sample,) = row.samples[0].fall, row.samples
    k = round(fall / 1e-3)
    assert abs(q[k, 1]) > 1.0 >= abs(q[k - 20, 1])
    off = np.abs(q[: k + 1 : 20] - [1.0, 0.0]).max(axis=1)[-50:].mean()
    assert sample.error == pytest.approx(off, rel=1e-6)
    assert "in range  first out [s]  off [rad or m]" in text([row])
    assert "upright" not in text([row])


def two_robots(folder):
    scene = folder / "two.toml"
    bodies = {f"{name}": f'robot = "humanoid"\nbase_position = [0.0, {y}, 0.0]' for name, y in
              (("a", 0.0), ("b", 3.0))}  # fmt: skip
    text = '[simulation]\ntime_step = 1e-3\n[world.terrain]\nplugin = "plane"\n'
    text += "".join(f"[bodies.{name}]\n{table}\n" for name, table in bodies.items())
    scene.write_text(text)
    return scene


def test_what_cannot_run_is_refused_in_one_line(tmp_path):
    file, scene = standing(tmp_path), two_robots(tmp_path)
    told = refused(lambda: footfall.run_policy(file, scene, duration=0.01))
    assert "the scene has several robots, a, b: choose one (--robot NAME)" in told
    told = refused(lambda: footfall.run_policy(file, scene, robot="c", duration=0.01))
    assert "no robot 'c' in the scene (robots: a, b)" in told
    told = refused(lambda: footfall.run_policy(file, "rrbot/swing", duration=0.01))
    assert "the body has no joint" in told


def test_the_command_prints_a_table_and_writes_a_page_of_all_runs(tmp_path):
    out = tmp_path / "out"
    arguments = [str(standing(tmp_path)), "humanoid/standing", "--contact", "coulomb,compliant"]
    more = ["--duration", "0.1", "--command", "0.1,0", "--seeds", "1", "--output", str(out)]
    result = CliRunner().invoke(app, ["policy", "run", *arguments, *more])
    assert result.exit_code == 0, result.output
    assert re.search(r"^footfall, coulomb +2 of 2 ", result.output, re.MULTILINE)
    assert "1 of 2: footfall, coulomb" in result.output + result.stderr
    page = (out / "policy.html").read_text()
    assert page.count("<iframe srcdoc=") == 2
    assert {path.name for path in out.glob("*.zarr")} == {
        "footfall-coulomb.zarr",
        "footfall-compliant.zarr",
    }


PLACES = {"g1": (4.59, -0.39), "t1": (4.05, -0.9)}
"""Where MuJoCo takes G1 in 10 s at 0.5 m/s, and the middle of T1's ends in MuJoCo and Footfall by
its start, as the reference data say, [m]."""
NEAR = {"g1": (0.2, 0.4), "t1": (0.5, 0.5)}
"""How far from there another law may take them, [m]."""


@pytest.mark.parametrize("name", ["g1", "t1"])
@pytest.mark.parametrize("everywhere", [False, pytest.param(True, marks=pytest.mark.long)])
def test_shared_policies_walk(tmp_path, name, everywhere):
    """Two laws of Footfall, and MuJoCo and Drake where they are installed."""
    if not SHARED.is_dir():
        pytest.skip("needs the shared reference data")
    for package in ("onnx", "onnxruntime"):
        pytest.importorskip(package, reason='needs the extra "policy" and onnx')
    with np.load(SHARED / name / "weights.npz") as arrays:
        onnx_of(dict(arrays), tmp_path / "a.onnx")
    xml, folder = str(SHARED / name / f"{name}.xml"), str(tmp_path / name)
    assert (
        CliRunner().invoke(app, ["import", xml, "--name", name, "--output", folder]).exit_code == 0
    )
    about = json.loads((SHARED / name / "policy.json").read_text())
    joints = list(footfall.load_robot(folder).kept)
    (tmp_path / "a.policy.toml").write_text(side_file(about, joints, "a.onnx"))
    start = dict(zip(joints, about["default"], strict=True))
    height = {f"bodies.{name}.base_position": [0.0, 0.0, about["height"]]}
    given = {f"bodies.{name}.joint_positions": start} if "start_at_default" in about else {}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", footfall.Alarm)
        rows = footfall.run_policy(
            tmp_path / "a.policy.toml",
            f"{folder}/standing",
            contacts=("coulomb", "compliant") if everywhere else ("coulomb",),
            simulators=["footfall", *(installed() if everywhere else ())],
            duration=10.0,
            overrides={"world.terrain.friction": 1.0, **height, **given},
        )
    alarms = [str(one.message) for one in told if issubclass(one.category, footfall.Alarm)]
    assert [line for line in alarms if "chatters" in line] == []
    assert everywhere or alarms == []
    for row in rows:
        assert not row.reason
        assert row.samples[0].fall is None, row.title
        off = np.abs(row.samples[0].end[:2] - PLACES[name])
        assert (off < NEAR[name]).all(), (row.title, off)
        assert row.samples[0].error < 0.1


def installed():
    """Return the other simulators that are installed."""
    packages = {"mujoco": "mujoco", "drake": "pydrake"}
    return [name for name, package in packages.items() if find_spec(package)]
