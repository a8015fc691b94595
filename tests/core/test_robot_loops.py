"""Loops of a robot file: what is refused, and what is made of the rest."""

import re
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.errors import RobotError, SceneError
from footfall.model import bundled_folder

START = """
[model]
file = "model.urdf"

[posture]
crank = 1.0471975511965976
coupler = -0.6059286678946731
rocker = {rocker}
"""
LOOP = """
[[loops]]
kind = "point"
a = "coupler_tip"
b = "rocker_tip"
"""


def fourbar(folder: Path, loops: str, rocker: float = 1.312676534755385):
    """Load the four-bar linkage with other loops than its own."""
    source = bundled_folder() / "fourbar" / "model.urdf"
    (folder / "model.urdf").write_text(source.read_text())
    (folder / "robot.toml").write_text(f'base = "fixed"{START.format(rocker=rocker)}{loops}')
    scene = '[simulation]\nduration = 1.0\n\n[bodies.bars]\nrobot = "robot.toml"\n'
    (folder / "scene.toml").write_text(scene)
    return footfall.load(folder / "scene.toml")


def message(error, folder: Path) -> str:
    """Return an error's text without the folder."""
    return re.sub(re.escape(f"{folder}/"), "", str(error.value))


def test_a_frame_that_does_not_exist_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(RobotError) as error:
        fourbar(tmp_path, LOOP.replace("rocker_tip", "rocker_tp"))
    said = message(error, tmp_path)
    assert said.endswith("loops[0]: no link or frame \"rocker_tp\", did you mean 'rocker_tip'?")
    assert "robot.toml" in said


def test_a_coupled_joint_that_does_not_exist_is_refused_with_the_nearest(tmp_path):
    coupling = '[[loops]]\nkind = "coupling"\njoint = "crank"\nof = "rockr"\n'
    with pytest.raises(RobotError, match="no movable joint \"rockr\", did you mean 'rocker'"):
        fourbar(tmp_path, coupling)


def test_ends_that_do_not_meet_are_refused_with_the_gap(tmp_path):
    """The rocker turned by 0.1 rad: its tip is 2 * 0.4 sin(0.05) m away."""
    with pytest.raises(RobotError, match=r"is open at the start .* by 0\.04 m"):
        fourbar(tmp_path, LOOP, rocker=1.312676534755385 + 0.1)


def test_project_closes_what_is_open(tmp_path):
    sim = fourbar(tmp_path, LOOP + "project = true\n", rocker=1.5)
    assert np.abs(sim.world.loops.gap).max() < 1e-9
    assert abs(sim.q[2] - 1.5) > 0.01


def test_project_says_where_it_cannot(tmp_path):
    """Crank and coupler reach 0.7 m from their pivot; the point is 2.5 m above it."""
    away = """
[[loops]]
name = "pin"
kind = "point"
a = { frame = "world", position = [0.0, 0.0, 3.0] }
b = "coupler_tip"
project = true
"""
    with pytest.raises(RobotError, match=r'no posture near .* closes "pin" of bars') as error:
        fourbar(tmp_path, away)
    gap = float(re.findall(r"open by ([0-9.]+) m", str(error.value))[0])
    assert gap > 2.5 - 0.7 - 0.01


def test_the_same_loop_the_other_way_round_leads_to_the_same_posture(tmp_path):
    """While it is open, too, its rows follow from the others: the linkage keeps its freedom."""
    swapped = LOOP.replace(
        'a = "coupler_tip"\nb = "rocker_tip"', 'a = "rocker_tip"\nb = "coupler_tip"'
    )
    once = fourbar(tmp_path, LOOP + "project = true\n", rocker=1.25)
    both = "".join(loop + "project = true\n" for loop in (LOOP, swapped))
    twice = fourbar(tmp_path, both, rocker=1.25)
    # Both close the gap to 1e-9 m, and along the same steps.
    assert np.abs(once.q - twice.q).max() < 1e-8


@pytest.mark.parametrize(
    ("loops", "said"),
    [
        (
            '[[loops]]\nkind = "welt"\na = "x"\nb = "y"\n',
            r"loops\[0\].kind: must be 'point'.*, got \"welt\", did you mean 'weld'",
        ),
        (LOOP.replace('"coupler_tip"', '"world"').replace('"rocker_tip"', '"world"'), "world"),
        ('[[loops]]\nkind = "coupling"\njoint = "crank"\nof = "crank"\n', "follow itself"),
        (LOOP + "stiffness = 3.0\n", "stiffness"),
    ],
)
def test_what_makes_no_loop_is_refused_by_the_schema(tmp_path, loops, said):
    with pytest.raises(SceneError, match=said):
        fourbar(tmp_path, loops)


def test_two_ends_on_one_link_close_nothing_and_are_refused(tmp_path):
    with pytest.raises(RobotError, match=r"loops\[0\]: both ends are on the link 'coupler_bar'"):
        fourbar(tmp_path, LOOP.replace("rocker_tip", "coupler"))


def test_names_are_unique(tmp_path):
    with pytest.raises(RobotError, match=r"loops\[1\]: the name 'tip' is taken"):
        fourbar(tmp_path, 2 * (LOOP + 'name = "tip"\n'))


def test_rows_are_named_in_the_recording(tmp_path):
    sim = fourbar(tmp_path, LOOP + 'name = "tip"\n')
    assert sim.labels.loop == ("bars/tip/x", "bars/tip/y", "bars/tip/z")
    recorded = sim.run(0.01)
    assert recorded.loop_force.dims == ("time", "loop")
    assert list(recorded.loop.values) == list(sim.labels.loop)
