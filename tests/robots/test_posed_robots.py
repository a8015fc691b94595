"""An arm pushes a box to a place by a path of postures; a hand holds a ball, upside down too."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from tests.cases import first
from tests.robot_packages import need_module, need_package

import footfall
from footfall.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "pose-a-robot.md"
PLACE, PUSHED = 0.6, 6.0
"""Where the box shall be, x [m], and when the arm has drawn back, [s]."""
SLIP = 1e-5
"""Greatest speed of a settled ball in a hand, [m/s]: it moves by 0.1 mm in ten seconds."""


def of(run, quantity, body):
    return getattr(run, quantity).sel(body=body).values


def test_the_box_is_pushed_to_its_place_and_stays_for_ten_seconds():
    need_package("panda/pushing")
    run = footfall.load("panda/pushing").run()
    box = of(run, "base_position", "box")
    after = box[run.time.values >= PUSHED]
    assert run.time.values[-1] - PUSHED >= 9.9
    np.testing.assert_allclose(after[0], [PLACE, 0.0, 0.03], atol=5e-3)
    assert abs(box[0, 0] - PLACE) > 0.1
    assert abs(after - after[0]).max() < 1e-9


def test_the_tips_follow_the_line_that_the_path_was_made_for():
    need_package("panda/pushing")
    signal = "panda/frame.panda_hand_tcp.pose"
    run = footfall.load("panda/pushing", {"recorder.signals": [signal]}).run()
    (name,) = [name for name in run.data_vars if "panda_hand_tcp" in str(name)]
    pose = run[name].values.reshape(len(run.time), 4, 4)
    assert abs(pose[:, 1, 3]).max() < 2e-3
    assert abs(pose[:, 2, 3] - 0.03).max() < 4e-3
    down = pose[:, 2, 2]
    assert np.degrees(np.arccos(-down.clip(-1.0, 1.0))).max() < 1.0


def need_pink():
    """Skip without it; it is not imported here, lest it loads another build of proxsuite."""
    if find_spec("pink") is None:
        pytest.skip('needs the extra "pose"')


SIDES = ((0.0, 0.0, 9.81), (0.0, 9.81, 0.0), (9.81, 0.0, 0.0))
"""Gravity upside down and aside, [m/s^2]."""


def moves_of_the_ball(sim, seconds, sides=SIDES):
    """Return how far gravity of several directions moves a held ball, for a time each, [m].

    The second number is how far the ball moves in the second half of a time, when it has settled.
    """
    start, moves, slips = sim.q[-7:-4].copy(), [], []
    for gravity in sides:
        sim = footfall.with_gravity(sim, gravity)
        for _ in range(2):
            before = sim.q[-7:-4].copy()
            for _ in range(int(500 * seconds)):
                sim.step()
        moves.append(abs(sim.q[-7:-4] - start).max())
        slips.append(abs(sim.q[-7:-4] - before).max())
    return max(moves), max(slips)


@pytest.mark.parametrize("seconds", first(0.6, 10.0))
@pytest.mark.parametrize(
    ("scene", "ball"), [("hand/holding", (0.0, 0.0, 0.345)), ("allegro/holding", (0.02, 0, 0.341))]
)
def test_a_bundled_hand_holds_its_ball_upside_down_and_aside(scene, ball, seconds):
    sim = footfall.load(scene)
    for _ in range(2000):
        sim.step()
    assert abs(sim.q[-7:-4] - ball).max() < 5e-3
    assert abs(sim.signal("tau")[:16]).max() < 0.7
    move, slip = moves_of_the_ball(sim, seconds)
    assert move < 1e-3
    assert slip < SLIP * seconds


@pytest.mark.parametrize("scene", ["hand/holding", "allegro/holding"])
def test_the_targets_of_a_hand_are_those_that_the_page_asks_for(scene, capsys):
    need_pink()
    called = scene_of_the_page(f"footfall pose {scene} ").splitlines()[0].split()
    with pytest.raises(SystemExit):
        main(called[1:])
    found = dict(re.findall(r"(\w+) = (\S+)", capsys.readouterr().out))
    written = footfall.load_scene(scene).bodies[scene.partition("/")[0]].controller.config.target
    assert len(found) == 16
    for joint, value in found.items():
        assert written.get(joint, 0.0) == pytest.approx(float(value), abs=1e-6)


def pinocchio_model(file):
    """Pinocchio's model and data of a URDF."""
    model = pin.buildModelFromUrdf(str(file))
    return model, model.createData()


def test_the_tips_of_the_allegro_hand_are_where_its_description_has_them():
    need_package("panda")  # it is in the same package
    place = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data")
    folder = Path(str(place)) / "robots" / "allegro_hand_description" / "urdf"
    ours, data = pinocchio_model(footfall.load_robot("allegro").model.path)
    theirs, their_data = pinocchio_model(folder / "allegro_right_hand.urdf")
    names = [f"joint_{number}.0" for number in range(16)]  # there the thumb's come second
    order = [theirs.joints[theirs.getJointId(name)].idx_v for name in names]
    for limits in ("lowerPositionLimit", "upperPositionLimit"):
        np.testing.assert_allclose(getattr(ours, limits), getattr(theirs, limits)[order])
    masses = np.array([inertia.mass for inertia in theirs.inertias[1:]])[order]
    np.testing.assert_allclose([inertia.mass for inertia in ours.inertias[1:]], masses)
    rng = np.random.default_rng(5)
    for _ in range(10):
        q = rng.uniform(ours.lowerPositionLimit, ours.upperPositionLimit)
        their_q = np.zeros(16)
        their_q[order] = q
        pin.framesForwardKinematics(ours, data, q)
        pin.framesForwardKinematics(theirs, their_data, their_q)
        for name, number in {"index": 3, "middle": 7, "ring": 11, "thumb": 15}.items():
            tip = data.oMf[ours.getFrameId(f"{name}_tip")]
            its = their_data.oMf[theirs.getFrameId(f"link_{number}.0_tip")]
            np.testing.assert_allclose(tip.homogeneous, its.homogeneous, atol=1e-8)


def scene_of_the_page(name):
    """Return a scene or a table that the page shows, by what is in it."""
    blocks = re.findall(r"```(?:text|sh)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (found,) = [block for block in blocks if name in block]
    return found


@pytest.mark.parametrize("seconds", first(0.6, 10.0))
def test_the_hand_of_the_page_holds_its_ball_upside_down(seconds, tmp_path, monkeypatch):
    need_module("pink", "pose")
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip('pip install -e ".[robots]"')
    monkeypatch.chdir(tmp_path)
    called = scene_of_the_page("footfall import example-robot-data:allegro").split()
    with pytest.raises(SystemExit):
        main([*called[1:], "--untried"])
    robot = Path("my_allegro/robot.toml")
    table = '[joint_dynamics."*"]\nlimits = "model"\n'
    assert table in robot.read_text()
    robot.write_text(robot.read_text().replace(table, scene_of_the_page("friction = 0.02")))
    Path("my_allegro/scenes/holding.toml").write_text(scene_of_the_page("[bodies.ball]"))
    called = scene_of_the_page("footfall pose my_allegro/holding").splitlines()[0].split()
    with pytest.raises(SystemExit):
        main(called[1:])
    sim = footfall.load("my_allegro/grip")
    for _ in range(2000):
        sim.step()
    assert abs(sim.q[-7:-4] - [0.02, 0.0, 0.3411]).max() < 0.01
    move, slip = moves_of_the_ball(sim, seconds, SIDES[:2])
    assert move < 1e-3
    assert slip < SLIP * seconds
