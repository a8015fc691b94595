"""Kills, full disks and interrupts: what was committed stays, and is a prefix of what was given."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cases import first
from tests.core.recording_child import COORDS, LAYOUT, assert_prefix, write_row

import footfall.recording.writer as writer_module
from footfall.errors import RecordingError
from footfall.recording.layout import Layout, Variable
from footfall.recording.reader import open_run
from footfall.recording.writer import RecordingWriter

TOP = Path(__file__).parents[2]


def command(program, *arguments):
    return [sys.executable, "-m", "tests.core.recording_child", program, *map(str, arguments)]


def output(program, *arguments):
    done = subprocess.run(
        command(program, *arguments),
        capture_output=True,
        text=True,
        cwd=TOP,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process with threads should not fork
        timeout=120,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout


def test_a_kill_at_random_moments_leaves_a_prefix(tmp_path):
    rng, found = random.Random(7), []
    for i in range(8):
        path = tmp_path / f"run{i}"
        with subprocess.Popen(command("endless", path), stdout=subprocess.PIPE, cwd=TOP) as child:
            assert child.stdout.readline() == b"go\n"
            time.sleep(rng.uniform(0.0, 0.2))
            child.kill()
        assert child.returncode == -signal.SIGKILL
        found.append(assert_prefix(path))
        assert open_run(path).attrs["recording_closed"] == 0
    assert min(found) >= 200
    assert len(set(found)) > 1


def rows_or_none(path):
    """Return the rows at a path, -1 if there are none of ours yet and the reader says so."""
    try:
        run = open_run(path)
    except RecordingError as error:
        return -1 if "not a Footfall" in str(error) or "before its recording" in str(error) else -2
    return -1 if "old" in run else assert_prefix(path)


@pytest.mark.parametrize(
    ("old_recordings", "overwritten"),
    [(0, 8), *(pytest.param(old, 1, marks=pytest.mark.long) for old in (0, 600))],
)
def test_a_kill_before_and_after_each_file_operation_leaves_a_prefix(
    tmp_path, old_recordings, overwritten
):
    """What is left by each kill is read; of every so many, it is written over."""
    old = Layout((Variable("time"), Variable("old", ("side",), (2,))))
    for i in range(old_recordings):
        with RecordingWriter(tmp_path / f"{i:03}", old, {}, {}) as writer:
            writer.advance()
    moments = int(output("killed_at_each_call", tmp_path))
    assert 150 < moments < 600
    # Killed before the very first one, mkdir, there is nothing at a fresh path.
    paths = [path for i in range(moments) if (path := tmp_path / f"{i:03}").exists()]
    assert len(paths) >= moments - 1
    rows = [rows_or_none(path) for path in paths]
    # Commits only ever add: a later kill finds as many rows or more, one commit a row.
    assert rows == sorted(rows)
    assert set(rows) == set(range(-1, 6))
    for path in paths[::overwritten]:
        RecordingWriter(path, LAYOUT, COORDS, {}, overwrite=True).close()
        assert assert_prefix(path) == 0


@pytest.mark.parametrize(
    ("before", "size"), [(0, 1000), (0, 100_000), (700, 20_000), (700, 200_000)]
)
def test_a_full_disk_is_one_error_and_what_was_committed_stays(tmp_path, before, size):
    path = tmp_path / "run"
    said = output("full_disk", path, before, size)
    assert said.startswith(f"{path}: cannot write the recording: File too large")
    assert said.count("\n") == 1
    assert assert_prefix(path) == before
    assert open_run(path).attrs["recording_closed"] == 0


def test_a_disk_that_is_full_at_once_is_one_error(tmp_path):
    said = output("full_disk_at_once", tmp_path / "run", 100)
    assert said.startswith(f"{tmp_path / 'run'}: cannot write the recording: File too large")
    assert said.count("\n") == 1


def test_short_writes_are_continued(tmp_path, monkeypatch):
    true = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: true(file, data[:13], at))
    given = 0
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}) as writer:
        for k in range(20):
            given = write_row(writer, k, given)
    assert assert_prefix(tmp_path / "run") == 20


def test_a_write_that_takes_nothing_is_a_full_disk(tmp_path, monkeypatch):
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: 0)
    writer.advance()
    with pytest.raises(RecordingError, match="No space left"):
        writer.flush()


def interrupt_at(patch, last):
    """Let the file operation of that number be interrupted, as by Ctrl-C."""
    calls = 0

    def make_interruptible(name):
        true = getattr(os, name)

        def call(*arguments, **options):
            nonlocal calls
            own = sys._getframe(1).f_globals["__name__"].startswith("footfall.")
            calls += own  # files that the test runner opens meanwhile do not count
            if own and calls == last:
                raise KeyboardInterrupt
            return true(*arguments, **options)

        patch.setattr(os, name, call)

    for name in ("open", "pwrite", "ftruncate", "replace"):
        make_interruptible(name)


def record_in_spite_of_interrupts(writer, rows):
    """Write rows and close, going on after an interrupt; return how many interrupts there were."""
    given = interrupts = 0
    for k in range(rows):
        try:
            write_row(writer, k, given)
        except KeyboardInterrupt:
            interrupts += 1
        given += k % 3
        assert writer.rows == k + 1
        assert writer.cursor < len(writer.buffer)
    try:
        writer.close()
    except KeyboardInterrupt:  # also one of the thread, which is raised at the next call
        interrupts += 1
        writer.close()
    return interrupts


@pytest.mark.parametrize(("commit_interval", "stride"), first((0.0, 3), (1e9, 1), names=2))
def test_an_interrupt_of_a_file_operation_loses_and_doubles_nothing(
    tmp_path, monkeypatch, commit_interval, stride
):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * 4)
    monkeypatch.setattr(writer_module, "COMMIT_INTERVAL", commit_interval)
    interrupts = 0
    for last in range(1, 400, stride):
        writer = RecordingWriter(tmp_path / f"{last}", LAYOUT, COORDS, {})
        with monkeypatch.context() as patch:
            interrupt_at(patch, last)
            interrupted = record_in_spite_of_interrupts(writer, 9)
        assert assert_prefix(tmp_path / f"{last}") == 9
        interrupts += interrupted
        if not interrupted:
            break
    # Two full buffers or nine commits, of ten and more file operations each.
    assert interrupts >= 12
