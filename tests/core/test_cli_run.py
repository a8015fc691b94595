import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from tests.command_line import run_command

from footfall import restore
from footfall.api.command import default_output
from footfall.recording.reader import open_run


@pytest.fixture
def footfall(capsys, tmp_path, monkeypatch):
    """Return a function that runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    return partial(run_command, capsys)


def one_line(err):
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


def test_a_run_records_where_it_says_and_sums_up(footfall, tmp_path):
    code, out, err = footfall("run", "cube/drop", "--duration", "0.02")
    assert (code, err) == (0, "")
    summary = dict(line.split("  ", 1) for line in out.splitlines() if "  " in line)
    assert summary["steps"].split()[0] == "20"
    (recording,) = (tmp_path / "runs").iterdir()
    assert recording.name.startswith("cube-drop-2")
    assert summary["recording"].strip() == f"runs/{recording.name}"
    run = open_run(recording)
    assert run.sizes["time"] == 20
    assert run.attrs["resolved_scene"]["scene"]["simulation"]["duration"] == 0.02
    for figure in ("real-time factor", "penetration", "energy balance", "solver failures"):
        assert figure in summary
    assert re.fullmatch(r"median \d+\.\d us", summary["time of a step"].strip())


def test_two_runs_in_the_same_second_do_not_collide(footfall, tmp_path):
    for _ in range(2):
        assert footfall("run", "cube/drop", "--duration", "0.001")[0] == 0
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_runs_that_start_together_do_not_collide(tmp_path):
    command = [sys.executable, "-m", "footfall.cli.main", "run", "cube/drop", "--duration", "0.001"]
    runs = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [(run.communicate()[1], run.returncode) for run in runs] == 3 * [(b"", 0)]
    assert [open_run(path).sizes["time"] for path in (tmp_path / "runs").iterdir()] == [1, 1, 1]


@pytest.mark.parametrize("suffix", [".zarr", ""])
def test_a_default_path_is_given_once(tmp_path, suffix):
    def take(_):
        together.wait()
        return default_output("cube/drop", tmp_path / "new" / "runs", suffix)

    together = threading.Barrier(8)
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(take, range(8)))
    assert len(paths) == 8
    assert paths == set((tmp_path / "new" / "runs").iterdir())
    assert {path.suffix for path in paths} == {suffix}


def test_a_default_path_that_cannot_be_made_is_one_error(footfall, tmp_path):
    (tmp_path / "runs").write_text("a file")
    code, _, err = footfall("run", "cube/drop", "--duration", "0.001")
    assert (code, one_line(err)) == (1, "error: runs cannot be written: File exists\n")


def test_without_a_further_thread_only_a_recording_is_refused(footfall, tmp_path, no_thread):
    code, _, err = footfall("run", "cube/drop", "--duration", "0.001")
    assert code == 1
    assert re.fullmatch(r"error: runs/.*\.zarr: a recording needs a thread: .*ulimit -u.*\n", err)
    assert list((tmp_path / "runs").iterdir()) == []
    code, _, err = footfall("run", "cube/drop", "--duration", "0.001", "--no-record")
    assert (code, err) == (0, "")


def test_nothing_is_recorded_if_asked(footfall, tmp_path):
    code, out, _ = footfall("run", "cube/drop", "--duration", "0.01", "--no-record")
    assert code == 0
    assert out.rstrip().endswith("none")
    assert list(tmp_path.iterdir()) == []


def test_set_does_the_same_as_editing_the_file(footfall):
    done = footfall(
        *("run", "cube/drop", "--duration", "0.01", "--output", "a.zarr"),
        *("--set", "world.gravity=[0, 0, 0]", "--set", "contact.plugin=gauss"),
    )
    assert done[0] == 0
    stored = open_run("a.zarr").attrs["resolved_scene"]["scene"]
    assert stored["world"]["gravity"] == [0.0, 0.0, 0.0]
    assert (stored["contact"]["plugin"], stored["impact"]["plugin"]) == ("gauss", "inelastic")


def test_what_an_override_drops_is_told(footfall, tmp_path):
    (tmp_path / "s.toml").write_text(
        "[simulation]\nduration = 0.01\n[bodies.cube]\nrobot = 'cube'\n"
        "[world.terrain]\nfriction = 0.5\n[contact]\nplugin = 'gauss'\n"
        "[contact.solver]\nplugin = 'proxqp'\n"
    )
    run = ("run", "s.toml", "--no-record")
    assert footfall(*run)[2] == ""
    assert footfall(*run, "--set", "contact.plugin=coulomb")[2] == (
        "note: contact: coulomb replaces gauss, whose settings are dropped: solver\n"
    )


def test_an_existing_recording_is_kept_unless_overwriting_is_asked_for(footfall):
    run = ("run", "cube/drop", "--output", "a.zarr", "--duration")
    assert footfall(*run, "0.01")[0] == 0
    code, _, err = footfall(*run, "0.02")
    assert code == 1
    assert "a.zarr exists: choose another path or add --overwrite" in one_line(err)
    assert open_run("a.zarr").sizes["time"] == 10
    assert footfall(*run, "0.02", "--overwrite")[0] == 0
    assert open_run("a.zarr").sizes["time"] == 20


@pytest.mark.parametrize("option", ["--save", "--html"])
def test_a_file_that_exists_or_has_no_folder_is_refused_before_the_run(footfall, tmp_path, option):
    (tmp_path / "there").write_text("precious")
    for path, reason in {"there": "exists", "no/where": "there is no folder no"}.items():
        code, _, err = footfall("run", "cube/drop", option, path)
        assert code == 1
        assert reason in one_line(err)
    assert (tmp_path / "there").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_told(footfall, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    code, _, err = footfall("run", "cube/drop", "--output", "locked/a.zarr")
    assert code == 1
    assert "locked/a.zarr" in one_line(err)


def test_a_path_below_a_file_is_told(footfall, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = footfall("run", "cube/drop", "--output", "file/a.zarr")
    assert code == 1
    assert "file/a.zarr" in one_line(err)


def test_a_saved_state_goes_on_bit_for_bit(footfall):
    run = ("run", "cube/drop", "--duration")
    assert footfall(*run, "0.4", "--output", "whole.zarr")[0] == 0
    assert footfall(*run, "0.2", "--output", "first.zarr", "--save", "half.npz")[0] == 0
    assert footfall(*run, "0.2", "--output", "second.zarr", "--resume", "half.npz")[0] == 0
    whole, second = open_run("whole.zarr"), open_run("second.zarr")
    assert (whole["time"].values[200:] == second["time"].values).all()
    assert (whole["q"].values[200:] == second["q"].values).all()
    assert np.ptp(whole["q"].values[200:], axis=0).max() > 1e-3  # it moves


def test_a_state_of_another_scene_is_refused_with_the_difference(footfall):
    footfall("run", "cube/drop", "--duration", "0.01", "--no-record", "--save", "s.npz")
    code, _, err = footfall(
        "run", "cube/drop", "--no-record", "--resume", "s.npz", "--set", "simulation.time_step=2e-3"
    )
    assert code == 1
    assert "simulation.time_step is 0.001 there and 0.002 here" in one_line(err)


def test_a_resume_file_that_is_none_is_refused(footfall, tmp_path):
    (tmp_path / "s.npz").write_text("nonsense")
    for path, reason in {"none.npz": "no such state file", "s.npz": "not a saved"}.items():
        code, _, err = footfall("run", "cube/drop", "--no-record", "--resume", path)
        assert code == 1
        assert reason in one_line(err)


def test_speed_without_a_viewer_and_a_page_without_a_recording_are_wrong_usage(footfall):
    assert footfall("run", "cube/drop", "--speed", "2")[0] == 2
    assert footfall("run", "cube/drop", "--no-record", "--html", "a.html")[0] == 2


def test_a_page_is_written_after_the_run_and_from_the_recording(footfall, tmp_path):
    run = ("run", "ball/rolling", "--duration", "0.1", "--output", "a.zarr", "--html", "run.html")
    code, out, err = footfall(*run)
    assert code == 0
    assert all(line.startswith("writing run.html: ") for line in err.splitlines())  # if it is slow
    assert "page written to run.html" in out
    assert footfall("view", "a.zarr", "--html", "view.html")[0] == 0
    page = (tmp_path / "run.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page == (tmp_path / "view.html").read_text()
    code, _, err = footfall("view", "a.zarr", "--html", "view.html")
    assert code == 1
    assert "view.html" in one_line(err)
    assert footfall("view", "a.zarr", "--html", "view.html", "--overwrite")[0] == 0


def test_what_is_no_recording_cannot_be_viewed(footfall, tmp_path):
    (tmp_path / "folder").mkdir()
    for path, reason in {"none.zarr": "no such recording", "folder": "is not a Foot"}.items():
        code, _, err = footfall("view", path, "--html", "a.html")
        assert code == 1
        assert reason in one_line(err)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return [0.0] if t < 0.005 else [0.0, 0.0]", "returned shape (2,), expected (1,)"),
        ("return [0.0 if t < 0.005 else float('nan')]", "a value that is not finite"),
    ],
)
def test_a_controller_that_fails_leaves_the_recording_up_to_there(
    footfall, tmp_path, monkeypatch, body, reason
):
    module = f"drive_{abs(hash(body))}"
    (tmp_path / f"{module}.py").write_text(f"def torque(t, q, v):\n    {body}\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    code, out, err = footfall(
        *("run", "pendulum/swing", "--duration", "0.02", "--output", "a.zarr"),
        *("--set", "bodies.pendulum.controller.plugin=function"),
        *("--set", f"bodies.pendulum.controller.function={module}:torque"),
    )
    assert (code, out) == (1, "")
    assert reason in one_line(err)
    assert "(recording: a.zarr)" in err
    run = open_run("a.zarr")
    assert run.sizes["time"] == 5
    assert np.isfinite(run["q"].values).all()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_writes_what_was_promised(tmp_path, number, code):
    command = [sys.executable, "-m", "footfall.cli.main", "run", "pendulum/swing"]
    options = ["--duration", "1e4", "--output", "a.zarr", "--save", "a.state", "--html", "a.html"]
    options += ["--set", "recorder.interval=20"]
    process = subprocess.Popen(
        command + options, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 300
    while not _rows(tmp_path / "a.zarr"):
        assert time.monotonic() < until, "the run did not begin"
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.send_signal(number)
    out, err = process.communicate(timeout=300.0)
    assert process.returncode == code
    assert "Traceback" not in err
    assert "not written" not in err
    assert (tmp_path / "a.html").read_text().rstrip().endswith("</html>")
    sim = restore(tmp_path / "a.state")
    summary = dict(line.split("  ", 1) for line in out.splitlines() if "  " in line)
    run = open_run(tmp_path / "a.zarr")
    assert run.attrs["recording_closed"] == 1
    assert int(summary["steps"].split()[0]) == sim.state.tick
    assert run.sizes["time"] == -(-sim.state.tick // 20)
    assert np.isfinite(run["q"].values).all()


def test_an_interrupt_before_the_run_tells_what_is_not_written(footfall, monkeypatch):
    def interrupted(*of):
        raise KeyboardInterrupt

    monkeypatch.setattr("footfall_run.command._record", interrupted)
    code, _, err = footfall("run", "cube/drop", "--output", "a.zarr", "--html", "a.html")
    assert code == 130
    assert "interrupted: not written: a.zarr, a.html" in err


def test_a_second_interrupt_ends_at_once():
    code = (
        "import multiprocessing, os, signal, time\n"
        "from footfall.interrupts import interrupts\n"
        "multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,)).start()\n"
        "with interrupts.caught():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "print('goes on')\n"
    )
    # Ends when its worker has closed the pipes, too.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ended at once\n")


def _rows(path):
    try:
        return open_run(path).sizes["time"]
    except Exception:  # not there yet
        return 0


def test_a_push_that_starts_after_the_run_is_told_in_one_line(footfall):
    late = "pushes=[{link='cube', force=[1.0,0.0,0.0], start=3.0, duration=0.1}]"
    code, _, err = footfall("run", "cube/drop", "--duration", "0.01", "--no-record", "--set", late)
    assert code == 0
    assert "warning: pushes[0] (cube) starts at 3 s, after the end of the run (0.01 s)" in err
