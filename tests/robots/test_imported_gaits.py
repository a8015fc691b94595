"""``footfall import --gait``: what trots, on which feet, and why something does not."""

import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from tests.core.walker_urdf import walker

import footfall
from footfall.cli.main import main
from footfall.errors import SceneError
from footfall.model import bundled_folder

QUADRUPED = bundled_folder() / "quadruped"
LEGS = ("fl", "fr", "rl", "rr")
SHANK = 0.2
"""From a knee to the foot, along -z, [m]."""


@pytest.fixture
def imported(tmp_path, monkeypatch, capsys):
    """Return a function that imports with a gait; gives exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def imported(model, gait, *options):
        with pytest.raises(SystemExit) as exit_:
            main(["import", str(model), "--output", "it", "--gait", gait, *options])
        out, err = (" ".join(text.split()) for text in capsys.readouterr())
        return exit_.value.code or 0, out, err

    return imported


def steps(run, names):
    """Return how often each contact comes down."""
    touching = np.linalg.norm(run.contact_force.values, axis=-1) > 0.0
    assert touching.shape[1] == len(names)
    return (np.diff(touching.astype(int), axis=0) > 0).sum(axis=0)


def tilt(run):
    x, y = run.base_quaternion.values.reshape(-1, 4)[:, :2].T
    return np.degrees(np.arccos(1.0 - 2.0 * (x * x + y * y)))


@pytest.mark.long
def test_a_quadruped_trots_as_it_is_imported(imported):
    code, out, _ = imported(QUADRUPED / "model.urdf", "trot", "--name", "dog")
    assert code == 0
    assert "trot goes on for 5 s" in out
    run = footfall.load("it/trot").run(5.0)
    place = run.base_position.values.reshape(-1, 3)
    assert abs(place[:, :2] - place[0, :2]).max() < 0.1
    assert tilt(run).max() < 5.0
    assert (steps(run, LEGS) >= 8).all()
    legs = footfall.load_scene("it/trot").bodies["dog"].controller.config.legs
    phases = {leg.foot[:2]: leg.phase for leg in legs}
    assert phases["fl"] == phases["rr"] != phases["fr"] == phases["rl"]


@pytest.mark.long
def test_it_goes_where_it_is_told(imported):
    imported(QUADRUPED / "model.urdf", "trot", "--name", "dog", "--untried")
    run = footfall.load("it/trot", {"bodies.dog.controller.velocity": [0.4, 0.0]}).run(5.0)
    place = run.base_position.values.reshape(-1, 3)
    speed = (place[-1, 0] - place[3000, 0]) / (run.time.values[-1] - run.time.values[3000])
    assert speed == pytest.approx(0.4, abs=0.08)


@pytest.mark.long
def test_features_on_the_shank_are_the_foot_that_they_are(tmp_path):
    """The same robot with its balls given in the knees' frames trots the same."""
    shutil.copytree(QUADRUPED, tmp_path / "quadruped")
    file = tmp_path / "quadruped" / "robot.toml"
    text = file.read_text()
    scene = tmp_path / "quadruped" / "scenes" / "trot.toml"
    for leg in LEGS:
        place = f'frame = "{leg}_shank"\ncenter = [0.0, 0.0, -{SHANK}]'
        text = text.replace(f'frame = "{leg}_foot"', place)
    file.write_text(text)
    scene.write_text(
        scene.read_text().replace("_foot", "_shank").replace('"quadruped"', '"../robot.toml"')
    )
    runs = [footfall.load(name).run(3.0) for name in ("quadruped/trot", str(scene))]
    places = [run.base_position.values.reshape(-1, 3) for run in runs]
    assert abs(places[0] - places[1]).max() < 1e-3


def test_a_frame_without_contact_features_is_told_by_name():
    legs = [{"foot": f"{leg}_foot", "phase": 0.5, "place": [0.0, 0.0]} for leg in LEGS]
    legs[0] = {"foot": "fl_shank", "phase": 0.0, "place": [0.2, 0.13]}
    legs[3]["phase"] = 0.0
    with pytest.raises(SceneError, match=r"legs\[0\].foot: .*'fl_shank' has no contact features"):
        footfall.load("quadruped/trot", {"bodies.quadruped.controller.legs": legs})


@pytest.mark.parametrize(
    ("gait", "says"),
    [
        ("trot", "--gait trot needs four feet, the robot has 2: l_foot, r_foot"),
        ("trott", "did you mean 'trot'"),
    ],
)
def test_what_does_not_suit_is_one_line(imported, tmp_path, gait, says):
    (tmp_path / "walker.urdf").write_text(walker())
    code, _, err = imported(tmp_path / "walker.urdf", gait)
    assert code == 1
    assert says in err
    assert not Path("it").exists()


def test_a_biped_balances_as_it_is_imported(imported):
    code, out, _ = imported(bundled_folder() / "humanoid" / "model.urdf", "balance")
    assert code == 0
    assert "balance goes on for 5 s" in out


OTHERS = "a1", "anymal_b_simple_description/anymal", "solo12"


@pytest.mark.parametrize(
    "model", ["go2", *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)]
)
def test_quadrupeds_of_a_package_trot(imported, model):
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip('pip install -e ".[robots]"')
    code, out, _ = imported(f"example-robot-data:{model}", "trot")
    assert code == 0
    assert "trot goes on for 5 s" in out
    run = footfall.load("it/trot").run(5.0)
    assert (steps(run, LEGS) >= 8).all()
