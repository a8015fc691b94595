"""Sweeps: the same results whoever does the runs, nothing lost, mistakes in one line."""

import functools
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.cases import each, first

import footfall
from footfall.cli.main import main
from footfall.errors import FootfallError, PluginError, RecordingError, SceneError, SimulationError
from footfall_sweep import cluster, conduct, sweep, task
from footfall_sweep.dataset import open_results
from footfall_sweep.grid import make_grid, parse_axes, parse_values
from footfall_sweep.store import STORE, Store
from footfall_sweep.workers import Given

FRICTION = "world.terrain.friction"
VARY = {FRICTION: "0.2:0.6:3", "seed": "0:4"}
SHORT = {"duration": 0.02, "progress": False}
TIMES = ["wall", "typical_step"]
"""What differs from run to run."""


@pytest.fixture(scope="module")
def serial():
    """The runs of ``VARY``, one after the other without any sweep: end and last position."""
    found = {}
    for friction in (0.2, 0.4, 0.6):
        for seed in range(4):
            sim = footfall.load("cube/sliding", {FRICTION: friction, "simulation.seed": seed})
            run = footfall.Run(sim, 0.02)
            found[friction, seed] = run.record(None, False, False), sim.state["q"].copy()
    return found


def same_as_serial(results, serial):
    assert results.sizes == {"friction": 3, "seed": 4, "position": 7, "velocity": 6}
    for (friction, seed), (report, q) in serial.items():
        one = results.sel(friction=friction, seed=seed)
        assert one.ending == 1
        assert one.energy_end == report.energy_end
        assert one.steps == report.steps == 20
        assert one.time == 0.02
        assert np.array_equal(one.q, q)


def pushed(*functions):
    return [[{"link": "cube", "function": f"tests.plugins.sweep_pushes:{f}"}] for f in functions]


@each(
    ("text", "values"),
    [
        ("0.2:1.0:9", [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("1e-3:1:4:log", [1e-3, 1e-2, 1e-1, 1.0]),
        ("0:100", list(range(100))),
        ("-2:2", [-2, -1, 0, 1]),
        ("4:16:4", [4, 8, 12, 16]),
        ("1:2:3", [1.0, 1.5, 2.0]),
        ("2:1:2", [2, 1]),
        ("coulomb,gauss", ["coulomb", "gauss"]),
        ("0.1, 5", [0.1, 5]),
        ("true,false", [True, False]),
        ("[0,0,1],[0, 0.1, 1]", [[0, 0, 1], [0, 0.1, 1]]),
        ('{plugin="gauss", sides=8},{plugin="coulomb"}', None),
        ("module:function", ["module:function"]),
    ],
)
def test_values_are_read(text, values):
    found = list(parse_values("k", text))
    assert found == values if values is not None else len(found) == 2
    if values is not None:
        assert [type(value) for value in found] == [type(value) for value in values]


@each(
    ("text", "words"),
    [
        ("0.2:1.0", "give the number of values: 0.2:1.0:9"),
        ("0:1:2.5", "whole number"),
        ("0:1:4:log", "positive"),
        ("0:1:0", "no values"),
        ("5:5", "no values"),
        ("", "no values"),
        ("a,,b", "empty"),
        ("1,2,1", "value 1 twice"),
        ("0:1:100000000", "at most 10000000"),
        ("0:100000000", "at most 10000000"),
    ],
)
def test_values_that_are_none_are_refused(text, words):
    with pytest.raises(SceneError, match=words) as caught:
        parse_axes([f"seed={text}"])
    assert "\n" not in str(caught.value)
    assert "simulation.seed" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nothing is varied"),
        ({"seed": 3}, "list of values, got 3"),
        ({"seed": [1], "simulation.seed": [2]}, "varied twice"),
        ({"contact": [{}], "contact.plugin": ["gauss"]}, "varied twice, with contact"),
        ({"a..b": [1]}, "dotted key"),
    ],
)
def test_keys_that_are_none_are_refused(given, words):
    with pytest.raises(SceneError, match=words):
        make_grid(given.items())


def test_runs_are_numbered_with_the_last_key_fastest():
    grid = make_grid({"a.x": [1, 2], "b.x": ["p", "q", "r"]}.items())
    assert [tuple(grid.values(n).values()) for n in range(grid.runs)] == [
        *((1, "p"), (1, "q"), (1, "r")),
        *((2, "p"), (2, "q"), (2, "r")),
    ]
    assert grid.names == ("a.x", "b.x")
    assert make_grid({"a.x": [1], "seed": [1]}.items()).names == ("x", "seed")


def test_processes_and_threads_do_what_one_run_after_the_other_does(serial, tmp_path):
    with ThreadPoolExecutor(2) as threads:
        here = footfall.sweep("cube/sliding", VARY, keep="state", executor=threads, **SHORT)
    there = footfall.sweep(
        "cube/sliding", VARY, keep="state", workers=2, output=tmp_path / "s", **SHORT
    )
    same_as_serial(here, serial)
    same_as_serial(there, serial)
    plain = xr.open_zarr(tmp_path / "s" / "results.zarr", chunks=None)
    xr.testing.assert_identical(plain.drop_vars(TIMES), here.drop_vars(TIMES))
    assert here.friction.attrs["key"] == FRICTION
    assert not set(os.environ) & {"VECLIB_MAXIMUM_THREADS"}


class Killing(Executor):
    """Hands runs to another executor, and kills a process when some have come back."""

    def __init__(self, executor, pid):
        self.executor, self.pid, self.back = executor, pid, 0

    def submit(self, function, /, *arguments) -> Future:
        future = self.executor.submit(function, *arguments)
        if function is task.do_run:
            future.add_done_callback(self.count)
        return future

    def count(self, future):
        self.back += 1
        if self.back == 3:
            os.kill(self.pid, signal.SIGKILL)


@pytest.fixture
def dask():
    """A client of a real scheduler with two workers in processes of their own."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install -e .[sweep]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_of_which_a_worker_is_killed_does_the_same(dask, serial):
    workers = dask.run(os.getpid)
    victim = min(workers.values())
    killing = Killing(dask.get_executor(pure=False), victim)
    results = footfall.sweep("cube/sliding", VARY, keep="state", executor=killing, **SHORT)
    assert killing.back >= 12
    same_as_serial(results, serial)
    dask.wait_for_workers(2, timeout=60)
    assert victim not in dask.run(os.getpid).values()
    again = footfall.sweep("cube/sliding", VARY, keep="state", executor=dask, **SHORT)
    xr.testing.assert_identical(again.drop_vars(TIMES), results.drop_vars(TIMES))


def test_a_run_that_kills_its_process_is_told_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_TEST_MARK", str(tmp_path / "mark"))
    once = footfall.sweep(
        "cube/sliding", {"pushes": pushed("steady", "deadly_once"), "seed": [0]}, workers=2, **SHORT
    )
    assert once.ending.values.ravel().tolist() == [1, 1]
    assert (tmp_path / "mark").exists()
    vary = {"pushes": pushed("steady", "deadly", "faulty"), "seed": [0]}
    results = footfall.sweep("cube/sliding", vary, workers=2, output=tmp_path / "s", **SHORT)
    results = results.transpose("pushes", "seed")
    assert results.ending.values.ravel().tolist() == [1, 3, 3]
    assert set(results.error.values[1]) == {"its process died, twice"}
    assert all("ValueError: no more force" in error for error in results.error.values[2])
    assert once.energy_end.values.ravel() == pytest.approx(2 * [results.energy_end.values[0, 0]])
    assert np.isnan(results.energy_end.values[1]).all()
    lines = (tmp_path / "s" / "failures.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["run", "1", "2"]


def test_what_does_not_go_together_is_refused_and_the_others_run():
    vary = {"contact.plugin": ["coulomb", "gauss"], "contact.sides": [4, 8]}
    with ThreadPoolExecutor(1) as here:
        results = footfall.sweep("cube/sliding", vary, executor=here, **SHORT)
    assert results.sel(plugin="gauss").ending.values.tolist() == [1, 1]
    assert results.sel(plugin="coulomb").ending.values.tolist() == [2, 2]
    assert "contact.sides: unknown key" in results.sel(plugin="coulomb", sides=8).error.item()


def test_recordings_are_those_of_the_runs(tmp_path):
    with ThreadPoolExecutor(1) as here:
        results = footfall.sweep(
            *("cube/drop", {"seed": [3, 5]}),
            **SHORT,
            executor=here,
            keep="recordings",
            output=tmp_path,
        )
    path = tmp_path / results.recording.sel(seed=5).item()
    with footfall.open_run(path) as run:
        assert run.sizes["time"] == 20
        assert run.attrs["resolved_scene"]["scene"]["simulation"]["seed"] == 5


class Interrupted(Executor):
    """Does so many runs, at once, and then is interrupted as by Ctrl-C."""

    def __init__(self, runs):
        self.left, self.done = runs, []

    def submit(self, function, /, *arguments) -> Future:
        future: Future = Future()
        if function is task.do_run:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            self.done.append(arguments[1])
        future.set_result(function(*arguments))
        return future


def test_a_sweep_goes_on_with_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("footfall_sweep.workers.AT_ONCE", 2)
    first = Interrupted(4)
    with pytest.raises(KeyboardInterrupt):
        footfall.sweep("cube/sliding", VARY, executor=first, output=tmp_path / "s", **SHORT)
    partial = xr.open_zarr(tmp_path / "s" / "results.zarr", chunks=None)
    kept = int((partial.ending == 1).sum())
    assert 2 <= kept <= 4  # those that had come back
    second = Interrupted(100)
    whole = footfall.sweep("cube/sliding", VARY, executor=second, output=tmp_path / "s", **SHORT)
    assert second.done == list(range(kept, 12))
    assert (whole.ending == 1).all()
    third = Interrupted(0)
    again = footfall.sweep("cube/sliding", VARY, executor=third, output=tmp_path / "s", **SHORT)
    xr.testing.assert_identical(again, whole)


@pytest.fixture
def begun(tmp_path):
    """The folder of a sweep that is done."""
    with ThreadPoolExecutor(1) as here:
        footfall.sweep("cube/sliding", {"seed": [1]}, executor=here, output=tmp_path / "s", **SHORT)
    return tmp_path / "s"


@pytest.mark.parametrize(
    ("scene", "vary", "more", "words"),
    first(
        ("cube/sliding", {"seed": [2]}, {}, r"another sweep: its vary is .*\[1\].*\[2\]"),
        ("cube/drop", {"seed": [1]}, {}, 'its scene is "cube/sliding", not "cube/drop"'),
        ("cube/sliding", {"seed": [1]}, {"keep": "state"}, "its keep is"),
        ("cube/sliding", {"seed": [1]}, {"overrides": {FRICTION: 0.1}}, "its overrides is"),
        names=4,
    ),
)
def test_another_sweep_in_the_same_folder_is_refused(begun, scene, vary, more, words):
    with pytest.raises(RecordingError, match=words):
        footfall.sweep(scene, vary, output=begun, **SHORT, **more)


def test_a_bit_that_flips_in_the_results_is_seen_when_they_are_loaded(begun):
    chunks = sorted((begun / "results.zarr").glob("*/c/**/0"))
    assert len(chunks) > 5
    for path in chunks[::3]:
        whole = path.read_bytes()
        for at in (0, len(whole) // 2, len(whole) - 1):
            path.write_bytes(bytes([*whole[:at], whole[at] ^ 1, *whole[at + 1 :]]))
            with pytest.raises((RecordingError, ValueError, RuntimeError)):
                open_results(begun).load()
        path.write_bytes(whole)
    open_results(begun).load()


def test_other_versions_than_those_a_sweep_was_begun_with_are_refused(begun, monkeypatch):
    monkeypatch.setattr(sweep, "versions", lambda: {**task.versions(), "numpy": "9.9"})
    with pytest.raises(RecordingError, match=r"was started with numpy .* \(here 9.9\)"):
        footfall.sweep("cube/sliding", {"seed": [1]}, output=begun, **SHORT)


def test_a_folder_that_somebody_is_at_or_that_holds_other_things_is_refused(begun, tmp_path):
    with Store(tmp_path / "t", {}), pytest.raises(RecordingError, match="another process"):
        Store(tmp_path / "t", {})
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "letter").touch()
    with pytest.raises(RecordingError, match="holds no sweep"):
        Store(tmp_path / "u", {})
    (begun / "letter").touch()
    with pytest.raises(RecordingError, match="'letter', which is not part of a sweep"):
        footfall.sweep("cube/drop", {"seed": [1]}, output=begun, overwrite=True, **SHORT)
    (begun / "letter").unlink()
    with ThreadPoolExecutor(1) as here:
        results = footfall.sweep(
            "cube/drop", {"seed": [1]}, output=begun, overwrite=True, executor=here, **SHORT
        )
    assert results.attrs["scene"] == "cube/drop"


@pytest.mark.parametrize(
    ("vary", "more", "words"),
    [
        ({"world.terrain.frction": [1]}, {}, "unknown key, did you mean 'friction'"),
        ({FRICTION: [0.1, -1.0]}, {}, "must be >= 0, got -1"),
        ({"seed": [1]}, {"overrides": {"simulation.seed": 2}}, "both set and varied"),
        ({"seed": [1]}, {"keep": "state_"}, "did you mean 'state'"),
        ({"seed": [1]}, {"workers": 0}, "1 or more, got 0"),
        ({"seed": [1]}, {"executor": 3}, "concurrent.futures.Executor, got 3"),
        ({"seed": range(10**7), FRICTION: [1, 2]}, {}, "20000000 runs.*many=True"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(vary, more, words, tmp_path):
    with pytest.raises(FootfallError, match=words) as caught:
        footfall.sweep("cube/sliding", vary, output=tmp_path / "s", **SHORT, **more)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "s").exists()


class Elsewhere(Executor):
    """A worker with other versions."""

    def submit(self, function, /, *arguments) -> Future:
        future: Future = Future()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(task, "versions", lambda: {"footfall": "0.0.1", "numpy": "1.0"})
            patch.setattr(task, "_fit", set())
            future.set_result(function(*arguments))
        return future


def test_a_worker_with_other_versions_is_refused_also_if_it_comes_later(tmp_path, monkeypatch):
    with pytest.raises(PluginError, match=r"has footfall 0.0.1 \(here .*numpy 1.0 \(here"):
        footfall.sweep("cube/sliding", {"seed": [1]}, executor=Elsewhere(), **SHORT)
    monkeypatch.setattr("footfall_sweep.workers.Given.begin", lambda *_: None)
    with pytest.raises(PluginError, match=r"numpy 1\.0"):
        footfall.sweep(
            "cube/sliding", {"seed": [1]}, executor=Elsewhere(), output=tmp_path / "s", **SHORT
        )
    assert stored(tmp_path / "s") == []


def test_a_worker_with_another_scene_or_without_the_folder_is_told(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text('[bodies.cube]\nrobot = "cube"\n')
    digest, here = task.digest_of(str(path)), task.versions()
    brief = task.Brief(str(path), digest, {}, "recordings", "/no", here)
    assert "does not see the folder /no" in task.unfitness(brief)
    path.write_text('[bodies.cube]\nrobot = "ball"\n')
    assert "another file of the scene" in task.unfitness(brief)
    path.unlink()
    assert "has no scene" in task.unfitness(brief)


class Cancelling(Interrupted):
    """Cancels what it is given, as Dask does when the scheduler is lost."""

    def submit(self, function, /, *arguments) -> Future:
        future = super().submit(function, *arguments)
        if function is task.do_run:
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
        return future


def test_lost_workers_end_the_sweep_not_the_runs(tmp_path):
    with pytest.raises(SimulationError, match="the workers, or their scheduler, are gone"):
        footfall.sweep(
            "cube/sliding", {"seed": [1]}, executor=Cancelling(1), output=tmp_path / "s", **SHORT
        )
    with ThreadPoolExecutor(1) as here:
        results = footfall.sweep(
            "cube/sliding", {"seed": [1]}, executor=here, output=tmp_path / "s", **SHORT
        )
    assert results.ending.values.tolist() == [1]


def test_a_scheduler_that_is_not_there_is_one_line_within_a_bounded_time(monkeypatch, tmp_path):
    pytest.importorskip("distributed", reason="needs Dask: pip install -e .[sweep]")
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    began = time.monotonic()
    with pytest.raises(PluginError, match=r"no scheduler answers at tcp://\S+:9 within 1 s"):
        cluster.connect("tcp://127.0.0.1:9", None)
    assert time.monotonic() - began < 20.0


def test_without_dask_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PluginError, match=r'pip install -e "\.\[sweep\]"'):
        cluster.connect("local", 2)


def test_progress_is_told_without_a_terminal(monkeypatch, capsys):
    soon = functools.partial(footfall.progress_lines, soon=0.01)
    monkeypatch.setattr(conduct, "progress_lines", soon)
    with ThreadPoolExecutor(1) as here:
        footfall.sweep("cube/sliding", {"seed": range(3)}, executor=here, duration=0.01)
    assert "of 3 runs, 0 failed" in capsys.readouterr().err


LIMITED = """
import resource, sys
from footfall.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
main(sys.argv[1:])
"""


def stored(folder):
    """Return how the runs ended that a sweep has stored, each way once."""
    with closing(sqlite3.connect(folder / STORE)) as base:
        return [ending for (ending,) in base.execute("SELECT DISTINCT ending FROM runs")]


def lasting(err):
    """Return the lines of standard error that do not just say that work goes on."""
    passing = ("compiling ", "waiting for ", "sweep: ")
    return [line for line in err.splitlines() if not line.startswith(passing)]


def in_a_process(code, *arguments, **options):
    command = [sys.executable, "-c", code, "sweep", "cube/sliding", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.parametrize(
    ("limit", "keep"),
    [(40_000, "summary"), pytest.param(60_000, "recordings", marks=pytest.mark.long)],
    ids=["summary", "recordings"],
)
@pytest.mark.usefixtures("serial")
def test_a_full_disk_is_one_line_and_what_was_stored_stays(tmp_path, limit, keep):
    """A limit of file sizes, here, which fails writes as a full disk does.

    Kernels have been compiled by then: they, too, would be written.
    """
    duration = "0.02" if keep == "summary" else "1"
    arguments = ("--vary", "seed=0:400", "--duration", duration, "--keep", keep)
    arguments = (*arguments, "--output", str(tmp_path / "s"), "--workers", "1")
    full = in_a_process(LIMITED.format(limit=limit), *arguments)
    _, err = full.communicate(timeout=300)
    assert full.returncode == 1
    (line,) = lasting(err)
    assert line.startswith("error: ")
    assert "cannot write" in line
    assert str(tmp_path / "s") in line
    assert stored(tmp_path / "s") == (["complete"] if keep == "summary" else [])


WHOLE = "import sys; from footfall.cli.main import main; main(sys.argv[1:])"


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long)]
)
def test_the_same_command_goes_on_after_any_end_and_no_process_is_left(tmp_path, how, command):
    arguments = ("--vary", "seed=0:24", "--duration", "1", "--workers", "2")
    first = in_a_process(WHOLE, *arguments, cwd=tmp_path, start_new_session=True)
    until_stored(tmp_path, 2)
    os.killpg(first.pid, how) if how == signal.SIGINT else os.kill(first.pid, how)
    _, err = first.communicate(timeout=60)
    if how == signal.SIGINT:
        assert first.returncode == 130
        said = lasting(err)
        assert said == ["interrupted: start the same command again to continue"]
    ended = time.monotonic() + 30.0
    while living(first.pid) and time.monotonic() < ended:
        time.sleep(0.1)
    assert not living(first.pid)
    code, out, err = command("cube/sliding", *arguments)
    assert code == 0, err
    assert "of 24 runs are already done" in err
    assert "24 of 24 done, 0 not complete" in out


@pytest.mark.parametrize(
    ("kills", "seed"),
    [(2, 1), *(pytest.param(20, seed, marks=pytest.mark.long) for seed in (2, 3))],
)
def test_killed_while_results_are_written_the_same_sweep_has_them_all(tmp_path, kills, seed):
    done = subprocess.run(
        [sys.executable, "-m", "tests.plugins.sweep_child", *map(str, (tmp_path, kills, seed))],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=600,
    )
    told = done.stderr.splitlines()  # it may be the first to need a kernel
    assert [line for line in told if not line.startswith(("compiling ", "waiting for "))] == []
    killed, unfinished = map(int, done.stdout.split())
    assert killed == kills
    # Kills did hit the writing: the test would not mean much else.
    assert unfinished >= kills / 3


def until_stored(folder, times):
    """Wait until the only sweep in the folder ``runs`` has stored runs so many times.

    Nobody else may open its base, but runs that are stored are in the file, by how they ended; the
    last to appear there may not count yet.
    """
    ended, seen = time.monotonic() + 120.0, {0}
    while len(seen) < times + 2:
        assert time.monotonic() < ended, "nothing was stored"
        time.sleep(0.01)
        seen |= {path.read_bytes().count(b"complete") for path in folder.glob(f"runs/*/{STORE}")}


def living(session):
    """Return the processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Return a function that runs the command in an empty folder, its runs in this process."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        with ThreadPoolExecutor(1) as here:
            monkeypatch.setattr(sweep, "Processes", lambda count: Given(here))
            with pytest.raises(SystemExit) as exit_:
                main(["sweep", *arguments])
        out, err = capsys.readouterr()
        return exit_.value.code or 0, out, err

    return command


def test_the_command_lists_failures_and_retries_them_when_asked(command):
    vary = ("--vary", "contact.plugin=coulomb,gauss", "--vary", "contact.sides=4:8:2")
    run = ("cube/sliding", *vary, "--duration", "0.01", "--workers", "1", "--output", "s")
    code, out, err = command(*run)
    assert code == 1
    assert "4 of 4 done, 2 not complete" in out
    refused = [line for line in err.splitlines() if line.startswith("refused: ")]
    assert refused[0].startswith("refused: run 0 (plugin coulomb, sides 4): contact.sides: unknown")
    assert len(refused) == 2
    code, _, err = command(*run)
    assert code == 1
    assert "4 of 4 runs are already done" in err
    code, _, err = command(*run, "--retry")
    assert code == 1
    assert "2 of 4 runs are already done" in err


def test_the_command_asks_before_very_many_runs(command):
    code, _, err = command("cube/sliding", "--vary", "seed=0:10000000", "--vary", f"{FRICTION}=1,2")
    assert code == 1
    assert (
        err
        == "error: the sweep has 20000000 runs, more than 10000000: add --yes to run all of them\n"
    )
