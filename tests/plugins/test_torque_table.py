"""Torques from a file: those of a recording give its motion again."""

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError

SCENE = "rrbot/swing"


def write(path, names, time, values):
    rows = [",".join(["time", *names])]
    rows += [
        ",".join(map(repr, (t, *map(float, row)))) for t, row in zip(time, values, strict=True)
    ]
    path.write_text("\n".join(rows))
    return str(path)


def played(file, duration=0.5, **settings):
    table = {"plugin": "torque_table", "file": str(file), **settings}
    return footfall.load(SCENE, {"bodies.rrbot.controller": table}).run(duration)


def test_the_torques_of_a_recording_give_its_motion_again(tmp_path):
    """To rounding and what the arm makes of it: the commanded torques are constant over steps."""
    gains = {"plugin": "posture", "stiffness": 20.0, "damping": 2.0, "method": "explicit"}
    first = footfall.load(SCENE, {"bodies.rrbot.controller": gains}).run(0.5)
    names = first.joint.values.tolist()
    tau = first.tau.sel(velocity=names).values
    second = played(write(tmp_path / "tau.csv", names, first.time.values.tolist(), tau))
    assert np.abs(tau).max() > 0.1
    np.testing.assert_allclose(second.tau, first.tau, atol=1e-12)
    np.testing.assert_allclose(second.q, first.q, atol=1e-9)


@pytest.mark.parametrize(
    ("interpolation", "expected"),
    [("hold", [0.0, 1.0, 1.0, 3.0, 3.0, 0.0]), ("linear", [0.0, 1.0, 2.0, 0.0, 0.0, 0.0])],
)
def test_between_rows_it_holds_or_goes_straight(tmp_path, interpolation, expected):
    """Rows at 0.1 s and 0.2 s, looked at every 50 ms from 50 ms on; a line ends with its row."""
    joint = footfall.load(SCENE).labels.joint[1]
    file = write(tmp_path / "tau.csv", [joint], [0.1, 0.2], [[1.0], [3.0]])
    run = played(file, 0.35, interpolation=interpolation)
    found = run.tau.sel(velocity=joint).values[50::50][:6]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert not run.tau.sel(velocity=run.joint.values[0]).values.any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time,jint1\n0,0\n1,1\n", "no column may be named 'jint1'"),
        ("time,joint1\n0,0\n0,1\n", "line 3: time must increase"),
        ("time,joint1\n0,0\n1,nan\n", "line 3 holds a number that is not finite"),
    ],
)
def test_a_file_that_is_no_table_of_torques_is_refused(tmp_path, text, expected):
    (tmp_path / "tau.csv").write_text(text)
    with pytest.raises(FootfallError) as caught:
        played(tmp_path / "tau.csv")
    message = str(caught.value)
    assert "bodies.rrbot.controller.file" in message
    assert expected in message
    assert "\n" not in message
