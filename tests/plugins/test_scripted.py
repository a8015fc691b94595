"""The scripted hand is where its script says, as fast as it says."""

import numpy as np
import pytest

from footfall.errors import SettingError
from footfall_hands.devices.input_device import Scripted, ScriptedConfig

POINTS = (
    {"time": 1.0, "position": (0.0, 0.0, 0.0), "orientation": (0.0, 0.0, 0.0)},
    {"time": 2.0, "position": (1.0, 2.0, 0.0), "orientation": (0.0, 0.0, 1.0), "holds": False},
    {"time": 4.0, "position": (1.0, 2.0, 3.0), "orientation": (0.0, 0.0, 1.0), "link": "b/lid"},
)


def scripted(**more):
    return Scripted(ScriptedConfig(**{"waypoints": POINTS, **more}))


def test_it_moves_on_straight_lines_between_waypoints():
    device = scripted()
    assert device.read(0.999) is None
    reading = device.read(1.25)
    np.testing.assert_allclose(reading.position, [0.25, 0.5, 0.0])
    np.testing.assert_allclose(reading.velocity, [1.0, 2.0, 0.0])
    c, s = np.cos(0.25), np.sin(0.25)
    np.testing.assert_allclose(reading.rotation, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(device.read(3.0).position, [1.0, 2.0, 1.5])
    last = device.read(9.0)
    np.testing.assert_allclose(last.position, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(last.velocity, np.zeros(3))


def test_it_opens_closes_and_names_links_from_waypoint_to_waypoint():
    device = scripted(link="b/box")
    assert device.links == ("b/box", "b/lid")
    found = [(device.read(t).holds, device.read(t).link) for t in (1.0, 1.999, 2.0, 3.9, 4.0)]
    assert found == [(True, "b/box")] * 2 + [(False, "b/box")] * 2 + [(True, "b/lid")]


def test_cubics_pass_through_the_waypoints_with_a_velocity_that_has_no_jumps():
    device, h = scripted(interpolation="cubic"), 1e-6
    for point in POINTS:
        np.testing.assert_allclose(device.read(point["time"]).position, point["position"])
    for t in np.linspace(1.1, 3.9, 29):
        slope = (device.read(t + h).position - device.read(t - h).position) / (2.0 * h)
        np.testing.assert_allclose(device.read(t).velocity, slope, atol=1e-5)
    before, after = (device.read(2.0 + d).velocity for d in (-1e-7, 1e-7))
    np.testing.assert_allclose(before, after, atol=1e-5)
    heights = [device.read(t).position[2] for t in np.linspace(1.0, 4.0, 100)]
    assert (np.diff(heights) >= -1e-12).all()  # never beyond a waypoint and back


def test_files_say_the_same(tmp_path):
    rows = np.array([[0.0, 0, 0, 1, 0, 0, 0, 1], [0.5, 1, 0, 1, 2, 0, 0, 0]])
    header = "time,x,y,z,fx,fy,fz,holds"
    np.savetxt(tmp_path / "hand.csv", rows, delimiter=",", header=header, comments="")
    np.savez(
        tmp_path / "hand.npz",
        time=rows[:, 0],
        position=rows[:, 1:4],
        force=rows[:, 4:7],
        holds=rows[:, 7],
    )
    for name in ("hand.csv", "hand.npz"):
        device = scripted(waypoints=None, file=str(tmp_path / name))
        reading = device.read(0.25)
        np.testing.assert_allclose(reading.position, [0.5, 0.0, 1.0])
        np.testing.assert_allclose(reading.force, [1.0, 0.0, 0.0])
        assert reading.rotation is None
        assert (reading.holds, device.read(0.5).holds) == (True, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time,x,y,z\n0,0,0,0\n0,1,0,0\n", "line 3: time must increase"),
        ("time,x,y\n0,0,0\n1,0,0\n", "the column z is missing"),
        ("time,x,y,z,roll\n0,0,0,0,0\n1,0,0,0,0\n", "roll but no column pitch"),
        ("time,x,y,z,hold\n0,0,0,0,1\n1,0,0,0,1\n", "did you mean 'holds'"),
        ("time,x,y,z\n0,0,0,nan\n1,0,0,0\n", "line 2 holds a number that is not finite"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, text, expected):
    (tmp_path / "hand.csv").write_text(text)
    with pytest.raises(SettingError, match=expected):
        scripted(waypoints=None, file=str(tmp_path / "hand.csv"))


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"time": [0.0, 1.0]}, "the array position is missing"),
        ({"time": [0.0, 1.0], "position": np.zeros((3, 3))}, "position has shape"),
        ({"time": [0.0, 1.0], "position": [[0.0] * 3, [np.nan] * 3]}, "position is not finite"),
        ({"time": [1.0, 0.0], "position": np.zeros((2, 3))}, "time must increase"),
        ({"time": 1.0, "position": np.zeros((1, 3))}, "must be an array"),
        ({"time": ["a", "b"], "position": np.zeros((2, 3))}, "time must be numbers"),
        ({"tim": [0.0]}, "did you mean 'time'"),
    ],
)
def test_an_archive_that_is_none_is_refused(tmp_path, arrays, expected):
    np.savez(tmp_path / "hand.npz", **arrays)
    with pytest.raises(SettingError, match=expected):
        scripted(waypoints=None, file=str(tmp_path / "hand.npz"))


def test_no_archive_at_all_and_parts_of_waypoints_are_refused(tmp_path):
    (tmp_path / "hand.npz").write_bytes(b"no archive")
    with pytest.raises(SettingError, match="cannot be read"):
        scripted(waypoints=None, file=str(tmp_path / "hand.npz"))
    with pytest.raises(SettingError, match="given for some waypoints"):
        scripted(waypoints=(*POINTS, {"time": 5.0, "position": (0.0, 0.0, 0.0)}))
