"""A proposed robot is tried: what does not stay is not called standing, and is told so."""

import numpy as np
import pytest
from tests.core.walker_urdf import walker

from footfall.cli.main import main
from footfall_import.trial import DRIFTS, SINKS, Trial, advice, gait_finding


def imported(folder, text, capsys, *options):
    (folder / "walker.urdf").write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["import", f"{folder}/walker.urdf", "--output", f"{folder}/it", *options])
    output = capsys.readouterr()
    assert not ended.value.code, output.err
    return " ".join(output.out.split()), {p.name for p in (folder / "it" / "scenes").iterdir()}


def test_a_robot_that_stands_is_called_so(tmp_path, capsys):
    said, scenes = imported(tmp_path, walker(), capsys)
    assert "tried for 5 s stands: its base moves by" in said
    assert scenes == {"standing.toml"}
    assert f"footfall run {tmp_path}/it/standing" in said


TOPPLES = (
    '<link name="head"><inertial><origin xyz="3 0 0"/><mass value="200"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="neck" type="fixed"><parent link="trunk"/><child link="head"/></joint>'
)


def test_a_robot_that_falls_is_not_called_standing(tmp_path, capsys):
    said, scenes = imported(tmp_path, walker(extra=TOPPLES), capsys)
    assert "warning tried for 5 s falls: its base moves by" in said
    assert "--feet" in said
    assert scenes == {"untenable.toml"}
    assert f"footfall run {tmp_path}/it/untenable" in said
    text = (tmp_path / "it" / "scenes" / "untenable.toml").read_text()
    assert text.startswith("# As proposed it falls")
    _, scenes = imported(tmp_path, walker(), capsys, "--overwrite")
    assert scenes == {"standing.toml"}


BALL = '<geometry><sphere radius="0.05"/></geometry>'


def test_a_robot_on_two_points_is_told_that_no_posture_stands(tmp_path, capsys):
    said, scenes = imported(tmp_path, walker(BALL), capsys)
    assert "warning posture its feet touch along a line or at a point: it cannot stand" in said
    assert "falls: its base moves by" in said
    assert "(its feet span no area: use a balancing controller" in said
    assert scenes == {"untenable.toml"}


def test_untried_it_is_only_written(tmp_path, capsys):
    said, scenes = imported(tmp_path, walker(extra=TOPPLES), capsys, "--untried")
    assert "tried for" not in said
    assert scenes == {"standing.toml"}


SERVO = (
    '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="h" axis="0 1 0" armature="0.1"/>'
    '<geom size="0.05" pos="0.3 0 0" mass="1"/></body></worldbody>'
    '<actuator><position joint="h" kp="{}" kv="20"/></actuator></mujoco>'
)


@pytest.mark.parametrize(("stiffness", "alone"), [(300, True), (30, False)])
def test_servos_of_the_file_hold_alone_if_they_can(tmp_path, capsys, stiffness, alone):
    """A lever of 0.3 m and 1 kg gives way by m g r / K: 0.0098 or 0.098 rad."""
    (tmp_path / "arm.xml").write_text(SERVO.format(stiffness))
    with pytest.raises(SystemExit):
        main(["import", f"{tmp_path}/arm.xml", "--output", f"{tmp_path}/it"])
    said = " ".join(capsys.readouterr().out.split())
    gives = "0.0098" if alone else "0.098"
    sags = "feed_forward added, since on the file's servos alone it does not hold its posture"
    assert (f"holds its posture: joints move by at most {gives}" in said) == alone
    assert (f"{sags}: joints move by at most {gives}" in said) != alone
    assert "tried for 5 s holds its posture" in said
    scene = (tmp_path / "it" / "scenes" / "standing.toml").read_text()
    assert ("feed_forward" not in scene) == alone


@pytest.mark.parametrize(
    ("trial", "passed", "said"),
    [
        (Trial("floating", 0.5 * SINKS, 0.001), True, "stands"),
        (Trial("floating", 2.0 * SINKS), False, "does not stay"),
        (Trial("floating", 0.0, np.radians(2.0)), False, "2 degrees"),
        (Trial("floating", 2.0, 3.0), False, "falls"),
        (Trial("fixed", yields=0.01), True, "holds its posture"),
        (Trial("fixed", yields=0.2), False, "does not hold its posture"),
        (Trial("fixed", problem="no way"), False, "cannot run: no way"),
    ],
)
def test_verdicts(trial, passed, said):
    assert trial.passed == passed
    assert said in trial.verdict
    assert advice(trial, has_feet=False).level == ("note" if passed else "warning")


@pytest.mark.parametrize(
    ("trial", "goes_on"),
    [
        (Trial("floating", 0.14, 0.1, ends=0.05), True),
        (Trial("floating", 0.14, 0.1, ends=1.1 * DRIFTS), False),
        (Trial("floating", 0.14, np.radians(11.0), ends=0.05), False),
        (Trial("floating", problem="no way"), False),
    ],
)
def test_a_gait_goes_on_where_it_comes_back_upright(trial, goes_on):
    found = gait_finding(trial, "trot")
    assert found.level == ("note" if goes_on else "warning")
    assert ("goes on for 5 s: its base ends 5 cm from its start" in found.text) == goes_on
