"""``footfall demo``, and runs that go on under another contact law."""

import numpy as np
import pytest

import footfall
from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.registry.discover import discover
from footfall_hands.command import PUSH, SCENE, SWAP
from footfall_hands.demonstration import RecordedSwap, law_of
from footfall_meshcat.recorded.motion import joined_run, recorded_motion
from footfall_stepper.api import Run
from footfall_stepper.simulation.simulator import stepped


def said(arguments, capsys):
    """Return the exit code of the command line, its output and its errors."""
    with pytest.raises(SystemExit) as done:
        main(arguments)
    return done.value.code, *capsys.readouterr()


def test_the_state_goes_on_under_another_law():
    sim = footfall.load("cube/sliding")
    sim.record(0.2)
    other = footfall.with_law(sim, "gauss")
    assert (law_of(sim), law_of(other)) == ("coulomb", "gauss")
    for name in ("q", "v", "tick"):
        assert other.state[name].tobytes() == sim.state[name].tobytes()
    before, speed = sim.state.copy(), float(sim.v[0])
    other.record(0.1)
    assert sim.state.vector.tobytes() == before.vector.tobytes()
    assert other.time == pytest.approx(0.3)
    sim.record(0.1)
    assert sim.v[0] == pytest.approx(speed - 0.5 * 9.81 * 0.1, rel=1e-3)  # mu g t
    assert other.v[0] > speed - 0.01  # this QP holds no sliding friction


def test_a_swap_to_the_same_law_changes_no_bit():
    plain, swapped = footfall.load("humanoid/walking"), footfall.load("humanoid/walking")
    plain.record(0.4)
    swapped.record(0.2)
    swapped = footfall.with_law(swapped, "coulomb")
    swapped.record(0.2)
    assert swapped.state.vector.tobytes() == plain.state.vector.tobytes()


@pytest.mark.parametrize("law", ["gausss", "", 3, None])
def test_what_is_no_law_is_one_error(law):
    with pytest.raises(FootfallError):
        footfall.with_law(footfall.load("cube/drop"), law)


def test_a_page_plays_both_parts_and_marks_the_change(tmp_path):
    run = RecordedSwap(stepped(footfall.load("cube/sliding")), 0.3, "compliant", 0.2)
    run.record(tmp_path / "swap.zarr", False, False)
    whole = joined_run(tmp_path / "swap.zarr")
    np.testing.assert_allclose(whole["time"], 1e-3 * np.arange(300), rtol=0, atol=1e-12)
    _, motion = recorded_motion(tmp_path / "swap.zarr", discover())
    assert motion.time[-1] == whole["time"].values[-1]
    changes = [mark for mark in motion.marks if mark["kind"] == "event"]
    assert [(mark["time"], mark["text"]) for mark in changes] == [(0.2, "contact law compliant")]


class Grown(Run):
    """A run in which a ball comes after its steps."""

    def loop(self, bar):
        super().loop(bar)
        ball = {
            "shape": {"type": "sphere", "radius": 0.1},
            "base_position": [0, 0, 5],
            "friction": 0.5,
        }
        self.go_on(footfall.with_object(self.sim, "ball", ball), "ball added")
        super().loop(bar)


def test_a_segment_with_another_object_is_not_joined(tmp_path):
    Grown(stepped(footfall.load("cube/sliding")), 0.01).record(
        tmp_path / "grown.zarr", False, False
    )
    whole = joined_run(tmp_path / "grown.zarr")
    assert whole.sizes["time"] == 10
    assert "changes" not in whole.attrs


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--law", "coulom"], "did you mean 'coulomb'"),
        (["--html", "there.html"], "exists: choose another name or add --overwrite"),
        (["--html", "no/page.html"], "there is no folder no"),
    ],
)
def test_bad_input_is_one_line_at_once(options, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.html").write_text("mine")
    code, out, err = said(["demo", *options], capsys)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.long
@pytest.mark.parametrize("law", ["mujoco_soft", "compliant"])
def test_the_robot_of_the_demo_stays_up_under_both_laws(law):
    run = RecordedSwap(stepped(footfall.load(SCENE, PUSH)), 13.0, law, SWAP)
    run.record(None, False, False)
    assert law_of(run.sim) == law
    assert run.sim.q[2] > 0.8


@pytest.mark.long
def test_the_demo_is_written_as_a_page(tmp_path, capsys):
    code, out, err = said(["demo", "--html", str(tmp_path / "demo.html")], capsys)
    assert code in (0, None), err
    assert "Three things to try next:" in out
    assert (tmp_path / "demo.html").stat().st_size > 1_000_000
