"""What is written is whole: after a kill or a full disk there is the old file or the new one."""

import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.core.killed_writers import WRITERS

import footfall
from footfall.errors import PluginError, RecordingError, SimulationError
from footfall.whole_file import (
    UNFINISHED,
    number,
    open_file,
    read_arrays,
    temporary_folder,
    unfinished_folder,
    whole_file,
    write_whole,
)
from footfall_stepper.world.state import load_state

TOP = Path(__file__).parents[2]


@contextmanager
def full_disk(size):
    """Let files grow to so many bytes at most."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("kills", "seed"),
    [(16, 1), *(pytest.param(200, seed, marks=pytest.mark.long) for seed in (2, 3, 4))],
)
def test_killed_while_saving_over_a_good_state_there_is_the_old_or_the_new(tmp_path, kills, seed):
    path = tmp_path / "a.state"
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.saving_child", *map(str, (path, kills, seed))],
        capture_output=True,
        text=True,
        cwd=TOP,
        timeout=300,
    )
    assert done.stderr == ""
    readable, different, unfinished = map(int, done.stdout.split())
    assert readable == kills
    # Kills did hit the writing, and states were replaced: the test would not mean much else.
    assert different > kills / 4
    assert 1 <= unfinished <= kills


@pytest.mark.parametrize(
    ("writer", "kills"),
    [
        *(("files", 8), ("kernels", 8), ("packages", 2), ("robots", 2), ("exports", 1)),
        *(pytest.param(name, 250, marks=pytest.mark.long) for name in WRITERS),
    ],
)
def test_killed_writers_leave_what_is_whole_and_the_next_one_sweeps_up(tmp_path, writer, kills):
    words = (writer, tmp_path / "f", kills, 1)
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.killed_writers", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=TOP,
        timeout=3000,
    )
    assert done.stderr == ""
    killed, hit, left = map(int, done.stdout.split())
    assert (killed, left) == (kills, 0)
    assert hit >= kills / 20 or kills < 20  # kills did hit the writing


def test_what_a_living_process_writes_is_not_swept_up(tmp_path):
    new = "from pathlib import Path; from footfall.whole_file import unfinished_folder, write_whole"
    write = f"{new}; write_whole(Path('a'), 'text')"
    with unfinished_folder(tmp_path) as mine:
        os.utime(mine, (0.0, 0.0))
        dead = tmp_path / UNFINISHED.format("dead")
        dead.mkdir()
        (dead / "b").touch()
        os.utime(dead, (0.0, 0.0))
        subprocess.run([sys.executable, "-c", write], cwd=tmp_path, check=True)
        assert names(tmp_path) == sorted([mine.name, "a"])
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("size", [0, 100, 4096])
def test_a_full_disk_leaves_the_old_state_and_is_one_error(tmp_path, size):
    sim = footfall.load("cube/drop")
    path = tmp_path / "a.state"
    sim.save(path)
    sim.step()
    with full_disk(size), pytest.raises(SimulationError) as error:
        sim.save(path, overwrite=True)
    assert str(error.value) == f"cannot write {path}: File too large; the existing file is kept"
    assert load_state(path)[0].tick == 0
    assert names(tmp_path) == ["a.state"]
    with full_disk(size), pytest.raises(SimulationError) as error:
        sim.save(tmp_path / "b.state")
    assert str(error.value) == f"cannot write {tmp_path / 'b.state'}: File too large"
    assert names(tmp_path) == ["a.state"]


def test_a_disk_that_is_full_when_the_file_is_synchronized_leaves_the_old_one(
    tmp_path, monkeypatch
):
    path = tmp_path / "a"
    write_whole(path, "old")

    def no_room(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_an_interrupt_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    write_whole(path, "old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:  # noqa: PT012
        file.write(b"ne")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_rights_and_links_stay(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    write_whole(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_rights_that_the_user_asks_for(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_not_replaced():
    write_whole(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()


def test_the_longest_name_can_be_written(tmp_path):
    write_whole(tmp_path / ("a" * 255), "text")
    assert names(tmp_path) == ["a" * 255]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.zarr"
    footfall.load("cube/drop").record(0.05, path)
    return path


def test_a_full_disk_leaves_the_old_page(tmp_path, recording):
    write = footfall.discover().find("exporter", "html").load()
    page = tmp_path / "run.html"
    page.write_text("old")
    with full_disk(1000), pytest.raises(RecordingError, match="cannot be written: File too large"):
        write(recording, page, overwrite=True)
    assert page.read_text() == "old"
    assert names(tmp_path) == ["run.html"]


def test_a_full_disk_leaves_no_half_of_a_new_plugin(tmp_path):
    from footfall_check.new.package import write_package

    with full_disk(500), pytest.raises(PluginError, match="cannot be written: File too large"):
        write_package("contact", "my_law", tmp_path)
    assert names(tmp_path) == []


def test_a_full_disk_leaves_the_robot_as_it_was(tmp_path):
    from footfall_import.write import SPEC, _put

    draft, folder = tmp_path / "draft", tmp_path / "robot"
    draft.mkdir()
    (draft / SPEC).write_text("new" * 1000)
    with full_disk(100), pytest.raises(OSError, match="too large"):
        _put(draft, folder)
    assert names(tmp_path) == ["draft"]
    folder.mkdir()
    (folder / SPEC).write_text("old")
    with full_disk(100), pytest.raises(OSError, match="too large"):
        _put(draft, folder)
    assert (folder / SPEC).read_text() == "old"
    assert names(folder) == [SPEC]


def test_a_state_that_is_saved_is_the_state(tmp_path):
    sim = footfall.load("cube/drop")
    for _ in range(3):
        sim.step()
    sim.save(tmp_path / "a.state")
    state, _ = load_state(tmp_path / "a.state")
    assert np.array_equal(state.vector, sim.state.vector)


def test_temporary_folders_hold_one_open_file():
    open_files = {len(os.listdir("/proc/self/fd")) for _ in range(20) if temporary_folder()}
    assert len(open_files) == 1


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/zero", tmp_path / "endless")
    os.symlink("ring", tmp_path / "ring")
    for name in ("pipe", "endless", ".", "ring"):
        with pytest.raises(OSError, match=r"is not a file|symbolic links"):
            open_file(tmp_path / name)
        with pytest.raises(SimulationError, match="is not a saved Footfall state"):
            load_state(tmp_path / name)


def test_a_pipe_that_nobody_reads_is_an_error_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device"):
        write_whole(tmp_path / "pipe", "x")


def test_a_state_is_written_to_devices():
    sim = footfall.load("cube/drop")
    sim.save("/dev/null", overwrite=True)
    with pytest.raises(SimulationError, match="cannot write /dev/full: No space left"):
        sim.save("/dev/full", overwrite=True)


@pytest.mark.parametrize("save", [np.save, np.savez, np.savez_compressed])
def test_damaged_arrays_are_refused_in_a_line(tmp_path, save):
    path, rng = tmp_path / "a.npz", np.random.default_rng(5)
    with path.open("wb") as file:
        save(file, np.arange(40.0))
    good, told = path.read_bytes(), []
    for k in range(len(good)):
        damaged = bytearray(good)
        damaged[k] ^= 1 << int(rng.integers(8))
        for content in (good[:k], bytes(damaged)):
            path.write_bytes(content)
            try:
                read_arrays(path)
            except ValueError as error:
                told.append(str(error))
    assert len(told) > len(good)
    assert all(line.isprintable() for line in told)


def test_more_arrays_than_fit_in_memory_are_refused(tmp_path):
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(2**26), b=np.zeros(2**10))
    with pytest.raises(ValueError, match="holds more than 5e"):
        read_arrays(tmp_path / "bomb.npz")
    np.savez(tmp_path / "objects.npz", a=np.array([object()]))
    with pytest.raises(ValueError, match="holds no arrays of numbers"):
        read_arrays(tmp_path / "objects.npz")


@pytest.mark.parametrize("text", ["1_0", "\u0661\u0662", "", "x", "1 2"])
def test_what_is_no_plain_number_is_refused(text):
    assert number(" -1.5e3 ") == -1500.0
    with pytest.raises(ValueError, match=r"not a number|could not convert"):
        number(text)
