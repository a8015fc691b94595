"""How far long work is: on a terminal a bar, elsewhere lines, written as they come."""

import re
import subprocess
import sys
import time

import pytest

from footfall import progress
from footfall.progress import LINES
from footfall_stepper.simulation.report import ProgressBar
from footfall_sweep import conduct
from footfall_validate import options


@pytest.fixture
def said(capsys):
    """Return the lines that were written on standard error, which is no terminal."""
    return lambda: capsys.readouterr().err.splitlines()


def test_a_run_that_takes_long_tells_how_far_it_is_every_ten_seconds(said):
    with ProgressBar(90.0, shown=True) as bar:
        for second in range(45):
            bar.update(2.0 * second, float(second))
    assert LINES == 10.0
    assert said() == [
        f"simulated {2 * wall:.2f} of 90 s, 2.0 x real time" for wall in (10, 20, 30, 40)
    ]


def test_a_short_run_and_one_that_shows_nothing_are_silent(said):
    with ProgressBar(60.0, shown=True) as bar:
        bar.update(1.0, 9.0)
    with ProgressBar(60.0, shown=False) as bar:
        bar.update(1.0, 1000.0)
    assert said() == []


def test_jobs_are_counted_with_the_time_that_is_left(said):
    with options.counted(8, "checks"):
        pass
    assert said() == ["0 of 8 checks"]
    lines = options._Lines(8, "checks")
    told = [lines.line(0.0), lines.line(10.0)]
    for elapsed in (12.0, 25.0):
        lines.advance()
        lines.advance()
        told.append(lines.line(elapsed))
    assert told == [
        "0 of 8 checks",
        "0 of 8 checks, 10 s",
        "2 of 8 checks, about 36 s left",
        "4 of 8 checks, about 25 s left",
    ]


def test_work_that_says_nothing_itself_is_told_of_while_it_lasts(said, monkeypatch):
    monkeypatch.setattr(progress, "LINES", 0.05)
    with progress.progress_lines(lambda elapsed: f"at it {elapsed > 0.0}", 0.02):
        time.sleep(0.5)
    lines = said()
    assert set(lines) == {"at it True"}
    assert 2 <= len(lines) <= 11
    time.sleep(0.1)
    with pytest.raises(ValueError, match="wrong"), progress.progress_lines(str):
        raise ValueError("wrong")
    assert said() == []


def test_a_job_that_takes_long_is_told_of_before_it_is_done(said, monkeypatch):
    monkeypatch.setattr(options, "LINES", 0.02)
    monkeypatch.setattr(progress, "LINES", 0.05)
    with options.counted(2, "checks") as done:
        time.sleep(0.3)
        done()
        time.sleep(0.3)
    lines = said()
    assert lines[:2] == ["0 of 2 checks", "0 of 2 checks, 0 s"]
    assert lines[-1].startswith("1 of 2 checks, about ")


def test_lines_of_progress_need_no_thread(said, no_thread):
    with progress.progress_lines(str, 0.0):
        time.sleep(0.01)
    assert said() == []


def run_bar():
    with ProgressBar(60.0, shown=True) as shown:
        shown.update(30.0, 10.0)


def count_jobs():
    with options.counted(2, "checks") as done:
        done()


def count_runs():
    with conduct.Progress(2, 0, 0, shown=True) as shown:
        shown.add([])


@pytest.mark.parametrize(
    ("work", "text"),
    [(run_bar, "simulated 30.00 / 60 s"), (count_jobs, "1/2"), (count_runs, "0/2 0 failed")],
)
def test_a_bar_on_a_terminal_needs_no_thread(work, text, capsys, monkeypatch, no_thread):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    work()
    assert text in re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().err)


def test_a_line_is_in_the_pipe_when_it_is_printed():
    """Python itself would keep it until the end, or until there are thousands of characters."""
    command = [sys.executable, "-m", "footfall.cli.main", "warm", "cube/drop", "pendulum/swing"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        first = process.stdout.readline()
        assert first.startswith(b"cube/drop: ")
        assert process.poll() is None
        process.stdout.read()


def test_the_version_is_told():
    done = subprocess.run(
        [sys.executable, "-m", "footfall.cli.main", "--version"], capture_output=True, text=True
    )
    assert done.stdout.split()[0] == "footfall"
    assert done.stdout.split()[1][0].isdigit()
    assert (done.stderr, done.returncode) == ("", 0)
