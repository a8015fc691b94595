"""Bodies of one MJCF that move by themselves become bodies of the scene."""

import numpy as np
import pytest

import footfall
from footfall.api.plugin import RobotError
from footfall.cli.main import main
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.trial import try_scene
from footfall_import.write import write_robot

TABLE = (
    '<body name="{name}" pos="{pos}"><freejoint/>{legs}<geom type="box" size="0.3 0.2 0.02"/>'
    "</body>"
)
LEG = (
    '<body name="{name}_{n}" pos="{x} {y} 0"><joint name="{name}_{n}" axis="0 1 0" range="-1 1"/>'
    '<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/></body>'
)
BALL = '<body name="ball" pos="2 1 {z}"><freejoint/><geom type="sphere" size="0.1"/></body>'
ARM = (
    '<body name="arm" pos="0 0 1"><joint name="a"/><geom type="sphere" size="0.05" pos="0.3 0 0"/>'
    '<body name="fore" pos="0.6 0 0"><joint name="b"/><geom type="sphere" size="0.05"/></body>'
    "</body>"
)


def table(name, pos):
    places = zip("abcd", (0.2, 0.2, -0.2, -0.2), (0.1, -0.1, 0.1, -0.1), strict=True)
    legs = "".join(LEG.format(name=name, n=n, x=x, y=y) for n, x, y in places)
    return TABLE.format(name=name, pos=pos, legs=legs)


def imported(folder, bodies, **wishes):
    path = folder / "things.xml"
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    located = locate(str(path))
    return propose(located, read_model(located, **wishes), Wishes(), discover())


def test_a_ball_lies_beside_the_robot(tmp_path):
    """Where the file has it along the ground; on the ground as the robot is."""
    proposal = imported(tmp_path, BALL.format(z=0.6) + table("table", "0.5 0 0.4"))
    assert set(proposal.model.urdf.links) == {"table", *(f"table_{n}" for n in "abcd")}
    (ball,) = proposal.companions
    assert (ball.name, ball.base, ball.facts.joints) == ("ball", "floating", 0)
    written = write_robot(proposal, tmp_path / "it")
    names = {str(path.relative_to(tmp_path / "it")) for path in written}
    assert names == {
        *("robot.toml", "model.urdf", "scenes/standing.toml"),
        *("ball/robot.toml", "ball/model.urdf"),
    }
    scene = tmp_path / "it" / "scenes" / "standing.toml"
    run = footfall.load(scene).run(duration=0.5)
    assert run.body.values.tolist() == ["things", "ball"]
    place = run.base_position.sel(body="ball").values
    np.testing.assert_allclose(place[0], [1.5, 1.0, 0.1], atol=1e-9)
    np.testing.assert_allclose(place[-1], [1.5, 1.0, 0.1], atol=1e-6)
    assert try_scene(scene, "floating", "things").passed


def test_of_equal_ones_the_first_is_the_robot(tmp_path):
    proposal = imported(tmp_path, table("one", "0 0 0.32") + table("two", "0 2 0.32"))
    (two,) = proposal.companions
    assert "one" in proposal.model.urdf.links
    assert proposal.beside(two) == pytest.approx((0.0, 2.0, two.base_height))
    assert set(two.stiffness) == {f"two_{n}" for n in "abcd"}
    write_robot(proposal, tmp_path / "it")
    trial = try_scene(tmp_path / "it" / "scenes" / "standing.toml", "floating", "things")
    assert trial.passed, trial.verdict


def test_feet_of_a_companion_can_be_named(tmp_path):
    path = tmp_path / "things.xml"
    bodies = table("one", "0 0 0.32") + table("two", "0 2 0.32")
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    located = locate(str(path))
    feet = ("one_a", "one_b", "one_c", "two_b", "two_c", "two_d")
    proposal = propose(located, read_model(located), Wishes(feet=feet), discover())
    assert tuple(sole.link for sole in proposal.soles) == feet[:3]
    assert tuple(sole.link for sole in proposal.companions[0].soles) == feet[3:]
    with pytest.raises(RobotError, match="three_a"):
        propose(located, read_model(located), Wishes(feet=("three_a",)), discover())


@pytest.mark.parametrize(("z", "starts"), [(0.6, 0.6), (0.02, 0.1)])
def test_what_lies_before_an_arm_starts_where_the_file_has_it(tmp_path, z, starts):
    """Unless that is in the ground."""
    proposal = imported(tmp_path, ARM + BALL.format(z=z))
    assert proposal.base == "fixed"
    (ball,) = proposal.companions
    assert proposal.beside(ball) == pytest.approx((2.0, 1.0, starts))


def test_a_body_that_is_named_comes_alone(tmp_path):
    proposal = imported(tmp_path, ARM + BALL.format(z=0.6), body="ball")
    assert set(proposal.model.urdf.links) == {"ball"}
    assert proposal.companions == ()


def test_what_is_of_one_body_is_no_loss_of_another(tmp_path, capsys):
    """Each body has its own drives and loops; what is of the file as a whole is told once."""
    bodies = table("table", "0.5 0 0.4") + table("stool", "2 0 0.4") + BALL.format(z=0.1)
    motors = "".join(f'<motor joint="{joint}"/>' for joint in ("table_a", "stool_b"))
    loops = '<joint joint1="stool_a" joint2="stool_b"/><joint joint1="table_a" joint2="table_b"/>'
    text = f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator>"
    path = tmp_path / "things.xml"
    path.write_text(f"{text}<equality>{loops}</equality></mujoco>")
    call = ["import", str(path), "--dry-run", "--strict"]
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert not ended.value.code
    model = read_model(locate(str(path)))
    assert [list(each.gears) for each in (model, *model.others)] == [["table_a"], ["stool_b"], []]
    assert [len(each.loops) for each in (model, *model.others)] == [1, 1, 0]
    across = '<equality><joint joint1="stool_a" joint2="table_b"/></equality></mujoco>'
    path.write_text(f"{text}{across}")
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code
    assert 'no joint "stool_a"' in capsys.readouterr().err.replace("\n", " ")
