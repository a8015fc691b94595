"""The folder of compiled kernels, which run as code: the user's own, and private."""

import errno
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from footfall import whole_file
from footfall.jit import cache_folder, native
from footfall.jit.cache_folder import (
    CacheWarning,
    cache_root,
    is_guarded,
    read_whole,
    write_whole,
)


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """A folder that the environment names; nothing is remembered of another."""
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(whole_file.atexit, "register", lambda *of: None)
    cache_root.cache_clear()
    yield tmp_path / "kernels"
    cache_root.cache_clear()


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022])
def test_a_new_folder_is_private_whatever_the_mask(chosen, mask):
    before = os.umask(mask)
    try:
        assert cache_root() == chosen
    finally:
        os.umask(before)
    assert chosen.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_may_write_to_is_not_used(chosen, mode):
    chosen.mkdir()
    chosen.chmod(mode)
    told = "others own .*kernels or may write to it; this run compiles"
    with pytest.warns(CacheWarning, match=told):
        root = cache_root()
    assert root != chosen
    assert root.stat().st_mode & 0o777 == 0o700
    assert root.stat().st_uid == os.getuid()
    # Processes that this one starts find it, and compile nothing again.
    assert os.environ["FOOTFALL_CACHE_DIR"] == str(root)
    root.rmdir()


def test_a_folder_of_somebody_else_is_not_used(chosen, monkeypatch):
    chosen.mkdir(mode=0o755)
    monkeypatch.setattr(os, "getuid", lambda: chosen.stat().st_uid + 1)
    with pytest.warns(CacheWarning, match="others own "):
        root = cache_root()
    assert root != chosen
    root.rmdir()


def test_a_folder_that_takes_no_files_gives_way_to_a_new_one_each_time(chosen):
    chosen.parent.joinpath("kernels").write_text("a file")
    found = []
    for _ in range(2):
        os.environ["FOOTFALL_CACHE_DIR"] = str(chosen)
        cache_root.cache_clear()
        with pytest.warns(CacheWarning, match="File exists"):
            found.append(cache_root())
    assert len(set(found)) == 2
    for root in found:
        assert str(os.getuid()) != root.name.rpartition("-")[2]
        root.rmdir()


def test_what_is_in_a_folder_that_may_only_be_read_is_used(chosen, monkeypatch):
    (chosen / "folder").mkdir(mode=0o700, parents=True)
    assert write_whole(chosen / "folder" / "kernel.o", b"code") == ""

    def read_only(dir):
        raise OSError(errno.EROFS, "Read-only file system", str(dir))

    monkeypatch.setattr(cache_folder.tempfile, "TemporaryFile", read_only)
    told = "not kept in .*: Read-only file system; this run compiles what it lacks"
    with pytest.warns(CacheWarning, match=told):
        root = cache_root()
    assert root != chosen
    assert root.stat().st_mode & 0o777 == 0o700
    assert read_whole(root / "folder" / "kernel.o") == b"code"
    shutil.rmtree(root)


def test_others_may_neither_own_a_folder_in_it_nor_replace_one_on_the_way(chosen):
    """Also through a link: the folder that it names counts, and links are followed once."""
    parent, inside = chosen.parent / "open", chosen.parent / "mine" / "inside"
    (parent / "kernels").mkdir(mode=0o700, parents=True)
    parent.chmod(0o777)
    inside.mkdir(parents=True)
    inside.chmod(0o777)
    (chosen.parent / "link").symlink_to(parent)
    for folder, guilty in (
        (parent / "kernels", parent),
        (parent / "new", parent),
        (chosen.parent / "link" / "kernels", chosen.parent / "link"),
        (inside.parent, inside),
    ):
        os.environ["FOOTFALL_CACHE_DIR"] = str(folder)
        cache_root.cache_clear()
        with pytest.warns(CacheWarning, match=f"others own {guilty} or may write to it"):
            root = cache_root()
        assert not (parent / "new").exists()
        root.rmdir()
    parent.chmod(0o1777)  # as /tmp is: nobody may replace what is another's
    os.environ["FOOTFALL_CACHE_DIR"] = str(chosen.parent / "link" / "kernels")
    cache_root.cache_clear()
    assert cache_root() == parent / "kernels"


def test_without_a_home_kernels_are_kept_for_one_run(chosen, monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "FOOTFALL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    with pytest.warns(CacheWarning, match="there is no home directory"):
        cache_root().rmdir()
    monkeypatch.setenv("HOME", str(chosen.parent))
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", "~/kernels")
    cache_root.cache_clear()
    assert cache_root() == chosen


def test_a_folder_of_ones_own_that_others_may_read_is_used(chosen):
    chosen.mkdir(mode=0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache_root() == chosen


def test_a_private_folder_goes_with_the_process_that_made_it_and_is_told_in_a_line(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    code = (
        "import os, warnings\n"
        "from footfall.cli.main import _Once\n"
        "warnings.showwarning = _Once()\n"
        "from footfall.jit.cache_folder import cache_root\n"
        "root = cache_root()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    raise SystemExit\n"
        "os.waitpid(child, 0)\n"
        "print(root, root.is_dir())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path / "kernels")},
    )
    root, was_there = done.stdout.split()
    assert was_there == "True"
    assert not Path(root).exists()
    assert done.stderr.startswith("warning: compiled kernels are not kept in ")
    assert done.stderr.count("\n") == 1


def test_objects_that_anybody_may_write_to_are_not_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "OBJECTS", tmp_path)
    monkeypatch.delenv("FOOTFALL_OBJECTS", raising=False)
    monkeypatch.setattr(native, "PLATFORM", "linux-aarch64")
    folder = tmp_path / "linux-aarch64" / "generic"
    folder.mkdir(mode=0o755, parents=True)
    native._folder.cache_clear()
    try:
        assert native._folder() == folder
        native._folder.cache_clear()
        folder.chmod(0o777)
        with pytest.warns(CacheWarning, match=f"others own {folder} or may write to it"):
            assert native._folder() is None
    finally:
        native._folder.cache_clear()


def test_owner_and_rights_both_count(tmp_path):
    tmp_path.chmod(0o750)
    mine = tmp_path.stat().st_uid
    assert is_guarded(tmp_path, mine, 0o022)
    assert not is_guarded(tmp_path, mine, 0o050)
    assert not is_guarded(tmp_path, mine + 1, 0o022)


def test_only_files_of_the_folders_owner_are_read(tmp_path, monkeypatch):
    assert write_whole(tmp_path / "good", b"code") == ""
    assert read_whole(tmp_path / "good") == b"code"
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/zero", tmp_path / "endless")
    (tmp_path / "short").write_bytes((tmp_path / "good").read_bytes()[:-1])
    for name in ("pipe", "endless", "short", "missing"):
        assert read_whole(tmp_path / name) is None
    with (tmp_path / "good").open("ab") as file:
        file.truncate(cache_folder.LARGEST + 1)
    assert read_whole(tmp_path / "good") is None


@pytest.mark.skipif(os.getuid() != 0, reason="gives a file to another user")
def test_files_of_others_are_not_read(tmp_path):
    assert write_whole(tmp_path / "good", b"code") == ""
    os.chown(tmp_path / "good", 12345, 12345)
    assert read_whole(tmp_path / "good") is None
