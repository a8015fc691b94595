"""Files that are no trajectories: one line with the key, the file and the place in it."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import FootfallError

TEXTS = {
    "time,jint1\n0,0\n1,1\n": "no column may be named 'jint1', did you mean 'joint1'?",
    "time,joint1\n0,0\n0,1\n": "line 3: time must increase, 0 s follows 0 s",
    "time,joint1\n0,0\n1,nan\n": "line 3 holds a number that is not finite",
    "time,joint1\n0,0\n1,one\n": "line 3: could not convert string to float: 'one'",
    "time,joint1\n0,0\n1\n": "line 3 has 1 numbers, expected 2",
    "time,joint1\n0,0\n": "needs a line of names and at least two rows",
    "joint1\n0\n1\n": "the column time is missing",
    "time\n0\n1\n": "no column has the name of a joint",
    "time,joint1.torque\n0,0\n1,0\n": "column joint1.torque but no column joint1",
    "time,joint1,joint2,joint2.rate\n0,0,0,0\n1,0,0,0\n": "the column joint1.rate is missing",
    "time,joint1,joint1\n0,0,0\n1,0,0\n": "two columns have the same name",
    "time,joint2\n0,0.5\n1,0\n": "starts with joint2 at 0.5, the body at ",
}
ARRAYS = [
    ({"position": None}, "the array position is missing"),
    ({"positions": 0.0}, "no array may be named 'positions', did you mean 'position'?"),
    ({"joints": ["joint1", "jont2"]}, "no joint 'jont2', did you mean 'joint2'?"),
    ({"joints": ["joint1", "joint1"]}, "a joint has two positions"),
    ({"time": [0.0, 2.0, 1.0]}, "row 2: time must increase, 1 s follows 2 s"),
    ({"time": [0.0, np.nan, 1.0]}, "row 1: time is not finite"),
    ({"position": np.zeros((3, 1))}, "position has shape (3, 1), expected (3, 2)"),
    ({"torque": np.full((3, 2), np.inf)}, "row 0: torque of joint1 is not finite"),
    ({"rate": np.array([["a", "b"]] * 3)}, "rate must be numbers"),
]
SETTINGS = [
    ({"interpolation": "hermite"}, "controller.interpolation", '"hermite" needs rates'),
    ({"after": "repeat"}, "controller.after", "joint2 ends 0.5 rad or m from its start"),
    ({"stiffness": {"jont*": 1.0}}, "controller.stiffness", "matches 'jont*'"),
    ({"body": "rrbot"}, "controller.body", "for recordings only"),
    ({"interpolation": "cubic"}, "controller.interpolation", "'spline'"),
    ({"max_jump": -1.0}, "controller.max_jump", "must be > 0"),
]


def refused(key="bodies.rrbot.controller.file", **table):
    scene = {"bodies.rrbot.controller": {"plugin": "trajectory", **table}}
    scene["bodies.rrbot.joint_positions"] = {"joint1": 0.0, "joint2": 0.0}
    with pytest.raises(FootfallError) as caught:
        footfall.load("rrbot/swing", scene)
    message = str(caught.value)
    assert key in message
    assert "\n" not in message
    return message


@each(("text", "expected"), TEXTS.items())
def test_a_table_that_is_none_is_refused(tmp_path, text, expected):
    (tmp_path / "a.csv").write_text(text)
    message = refused(file=str(tmp_path / "a.csv"))
    assert expected in message
    assert str(tmp_path / "a.csv") in message


@each(("changes", "expected"), ARRAYS)
def test_an_archive_that_is_none_is_refused(tmp_path, changes, expected):
    arrays = {"time": [0.0, 1.0, 2.0], "joints": ["joint1", "joint2"], "position": np.zeros((3, 2))}
    arrays = {name: values for name, values in (arrays | changes).items() if values is not None}
    np.savez(tmp_path / "a.npz", **arrays)
    assert expected in refused(file=str(tmp_path / "a.npz"))


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "a.npz").write_text("no archive")
    assert "is not a Footfall recording" in refused(file=str(tmp_path / "run"))
    assert "cannot be read" in refused(file=str(tmp_path / "a.npz"))
    message = refused(file=str(tmp_path / "b.npz"))
    assert "must be a file or folder that exists, got" in message
    assert "did you mean 'a.npz'?" in message


@pytest.mark.parametrize(("settings", "key", "expected"), SETTINGS)
def test_settings_that_do_not_suit_are_refused(tmp_path, settings, key, expected):
    (tmp_path / "a.csv").write_text("time,joint1,joint2\n0,0,0\n1,0,0.5\n")
    assert expected in refused(key, file=str(tmp_path / "a.csv"), **settings)


def test_a_body_that_a_recording_does_not_have_is_refused(tmp_path):
    footfall.load("rrbot/swing").run(0.01, tmp_path / "run")
    message = refused("controller.body", file=str(tmp_path / "run"), body="arm")
    assert "no body 'arm' in the recording" in message
