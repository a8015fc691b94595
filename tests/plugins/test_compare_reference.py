"""Differences of laws are judged beside those of the reference itself."""

import json

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError
from footfall.scene.load import load_scene, scene_from_dict
from footfall_compare.compare import run_trial
from footfall_compare.reference import (
    HALVED,
    LISTED,
    TURNED,
    Own,
    changed_scenes,
    seen_from,
    turned,
)
from footfall_compare.trajectory import Trajectory
from footfall_compare.variation import Combination, Trial

REGISTRY = footfall.discover()
SLIDE = {
    "bodies.cube.base_linear_velocity": [1.0, 0.5, 0.0],
    "bodies.cube.base_angular_velocity": [0.0, 0.0, 8.0],
    "bodies.cube.friction": 0.3,
}
LADDER = """
[simulation]
duration = 0.7
[world.terrain]
plugin = "plane"
friction = 0.1
[bodies.wall]
shape = {type = "box", size = [0.2, 2.0, 4.0]}
fixed = true
friction = 0.1
base_position = [-0.1, 0.0, 2.0]
[bodies.ladder]
shape = {type = "box", size = [0.04, 0.4, 2.0]}
mass = 5.0
friction = 0.1
base_position = [0.4105, 0.0, 0.9302]
base_orientation = [0.0, -0.4, 0.0]
[[pushes]]
body = "ladder"
link = "object"
force = [1.0, 2.0, 0.0]
start = 0.1
duration = 0.2
"""


def moved(x, turn=0.0, seconds=1.0):
    """Return a motion of a body along x, [m], and about z, [rad], from 0 to these values."""
    part = np.linspace(0.0, 1.0, 101)
    q = np.zeros((101, 7))
    q[:, 0], q[:, 5], q[:, 6] = x * part, np.sin(0.5 * turn * part), np.cos(0.5 * turn * part)
    return Trajectory(seconds * part, q, tuple("abcdefg"), np.array([0]))


def test_a_difference_counts_from_twice_the_larger_one_of_the_reference_itself():
    own = Own(moved(0.0), {TURNED: moved(1e-3), HALVED: moved(2e-3, 0.01)})
    assert own.horizon == np.inf
    assert own.judge(moved(0.0), "coulomb") is None
    within, text = own.judge(moved(3.9e-3), "coulomb")
    assert not within
    assert text == (
        "within the uncertainty of coulomb (3.9 mm at 1 s; coulomb itself changes by 2 mm at half "
        "the step)"
    )
    beyond, text = own.judge(moved(4.1e-3), "coulomb")
    assert beyond
    assert text == (
        "differs from coulomb by 4.1 mm at 1 s; coulomb itself changes by 2 mm at half the step"
    )
    assert own.judge(moved(0.0, 0.021), "coulomb")[0]
    assert Own(moved(0.0), {}).judge(moved(1.0), "coulomb") is None


def test_beyond_the_horizon_of_the_reference_no_law_is_blamed():
    """The reference departs from itself by 10 mm after 0.1 s, where the law is 15 mm off."""
    own = Own(moved(0.0), {HALVED: moved(0.1001)})
    assert own.horizon == pytest.approx(0.1)
    assert own.judge(moved(0.15), "coulomb")[0] is False
    early = moved(0.21)
    assert own.judge(early, "coulomb")[0] is True
    early.q[: len(early.q) // 5, 0] = 0.0  # at first as the reference, then far off
    assert own.judge(early, "coulomb")[0] is False


def run(scene, tmp_path):
    return run_trial(Trial(Combination(1, {}, ()), scene), tmp_path, REGISTRY).trajectory


def test_a_turned_scene_moves_as_before_seen_from_the_start(tmp_path):
    (tmp_path / "ladder.toml").write_text(LADDER)
    scene = load_scene(tmp_path / "ladder.toml", {"visualizer.plugin": "none"}, REGISTRY)
    scenes, missing = changed_scenes(scene, REGISTRY)
    assert (list(scenes), missing) == ([TURNED, HALVED], ())
    one, other = run(scene, tmp_path), run(scenes[TURNED], tmp_path / "turned")
    assert np.abs(other.q[-1] - one.q[-1]).max() > 0.1
    off = seen_from(other, one, TURNED).difference(one)
    assert max(off.position, off.angle) < 1e-9
    assert one.difference(Own(one, {}).reference).position == 0.0


@pytest.mark.parametrize(
    ("tables", "part"),
    [
        ({"world": {"terrain": {"plugin": "steps"}}}, "the ground"),
        ({"bodies": {"one": {"robot": "planar_box"}}}, "one"),
        (
            {
                "bodies": {
                    "one": {
                        "robot": "quadruped",
                        "controller": {"plugin": "function", "function": "json:dumps"},
                    }
                }
            },
            "one",
        ),
    ],
)
def test_a_scene_that_may_depend_on_the_axes_is_listed_in_reverse_instead(tables, part):
    bodies = {**tables.get("bodies", {"one": {"robot": "cube"}}), "two": {"robot": "ball"}}
    scene = scene_from_dict({**tables, "bodies": bodies}, REGISTRY)
    with pytest.raises(SceneError, match=f"^{part} may depend on the world's axes"):
        turned(scene, REGISTRY)
    scenes, missing = changed_scenes(scene, REGISTRY)
    assert list(scenes[LISTED].bodies) == ["two", "one"]
    assert scenes[HALVED].simulation.time_step == 0.5 * scene.simulation.time_step
    assert missing[0].startswith(f"{TURNED}: {part}")


def test_a_motion_listed_in_reverse_is_put_in_order():
    q = np.arange(28.0).reshape(2, 14)
    names = tuple(f"{body}/{k}" for body in "ab" for k in range(7))
    one = Trajectory(np.arange(2.0), q, names, np.array([0, 7]))
    other = Trajectory(one.time, np.roll(q, 7, axis=1), names[7:] + names[:7], one.bases)
    found = seen_from(other, one, LISTED)
    np.testing.assert_array_equal(found.q, q)
    assert found.names == names


def test_pyramids_of_friction_are_blamed_only_beyond_the_reference_itself(tmp_path):
    """Coulomb's answers are the same when turned; a pyramid's are 49 mm off."""
    laws = [{"plugin": "coulomb"}, {"plugin": "gauss_discrete", "sides": 4}]
    found = footfall.compare(
        "cube/sliding", {"contact": laws}, SLIDE, duration=0.4, output=tmp_path / "out"
    )
    own = found.own.differences()
    assert own[TURNED].position < 1e-8 < own[HALVED].position
    beyond, text = found.judgements()[2]
    assert beyond
    assert text.startswith("differs from coulomb by")
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert told["outcomes"][1]["judgement"] == [beyond, text]
    assert told["own"][HALVED]["position"] == own[HALVED].position
    assert told["horizon"] is None
