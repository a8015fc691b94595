"""Programs that write over and over and are killed while they do: what is there stays whole.

Run as ``python -m tests.core.killed_writers WRITER FOLDER KILLS SEED`` from the top of the
repository; it prints the kills, how many of them left something unfinished, and what is left of
that after the next process has written.
"""

import os
import random
import signal
import sys
import time
from importlib import import_module
from pathlib import Path


class Files:
    """Pages, reports, states: one file that is replaced.

    Attributes:
        LONGEST: the latest kill after the first writing, [s].
        MODULES: what is imported before writers are forked.
    """

    LONGEST = 0.05
    MODULES = ("footfall.whole_file",)

    def write(self, folder, k):
        from footfall.whole_file import write_whole

        write_whole(folder / "page.html", f"{k:06} " * 50_000)

    def check(self, folder):
        assert len(set((folder / "page.html").read_text().split())) == 1


class Kernels(Files):
    """Objects of the cache of kernels."""

    MODULES = ("footfall.jit.cache_folder",)

    def write(self, folder, k):
        from footfall.jit.cache_folder import write_whole

        assert write_whole(folder / "a.obj", b"%d " % k * 20_000) == ""

    def check(self, folder):
        from footfall.jit.cache_folder import read_whole

        assert len(set(read_whole(folder / "a.obj").split())) == 1


class Packages(Files):
    """Plugins of ``footfall new``."""

    MODULES = ("footfall_check.new.package",)

    def write(self, folder, k):
        from footfall_check.new.package import write_package

        write_package("contact", f"law_{k}", folder)

    def check(self, folder):
        for package in folder.iterdir():
            assert package.name.startswith(".") or len(list(package.rglob("*.*"))) == 5


class Robots(Files):
    """Folders of ``footfall import``, new ones and one that is replaced."""

    MODULES = ("footfall_import.write",)

    def write(self, folder, k):
        from footfall_import.write import SPEC, _put

        draft = folder / "draft"
        draft.mkdir(exist_ok=True)
        for name in ("model.urdf", "standing.toml", SPEC):
            (draft / name).write_text("x" * 5000)
        _put(draft, folder / f"robot_{k}")
        _put(draft, folder / "robot")

    def check(self, folder):
        for place in folder.glob("robot*"):
            whole = [path for path in place.glob("*.*") if not path.name.startswith(".")]
            assert [path.stat().st_size for path in whole] == [5000, 5000, 5000]


class Exports(Files):
    """Pages and tables of a recording."""

    LONGEST = 0.5
    MODULES = (
        "footfall",
        "footfall_stepper.plugin",
        "footfall_stepper.api",
        "xarray",
        "zarr",
        "scipy.spatial",
    )

    def write(self, folder, k):
        import footfall

        run = folder / "run.zarr"
        if not run.exists():
            footfall.load("cube/drop").record(0.05, run)
        for name in ("html", "csv"):
            write = footfall.discover().find("exporter", name).load()
            write(run, folder / f"run.{name}", overwrite=True)

    def check(self, folder):
        assert (folder / "run.html").read_text().rstrip().endswith("</html>")
        assert len((folder / "run.csv").read_text().splitlines()) == 51


WRITERS = {one.__name__.lower(): one for one in (Files, Kernels, Packages, Robots, Exports)}


def in_a_child(action):
    """Fork a process that does something and ends; return its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return child


def endless(writer, folder, begun, k):
    """Write until killed; say when it has begun."""
    writer.write(folder, k)
    begun.touch()
    while True:
        k += 1
        writer.write(folder, k)


def left(folder):
    """Return the folders that a killed process has left."""
    return list(folder.rglob(".footfall-*.new"))


def killed(writer, folder, kills, seed):
    """Kill as many writers, and check what each leaves; return how many left something behind."""
    rng, begun, hit = random.Random(seed), folder.parent / "begun", 0
    for i in range(kills):
        begun.unlink(missing_ok=True)
        child = in_a_child(lambda i=i: endless(writer, folder, begun, 1000 * (i + 1)))
        while not begun.exists():
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, writer.LONGEST))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        hit += len(left(folder)) > 0
        writer.check(folder)
    return hit


def main(name, folder, kills, seed):
    """Kill writers, then write in a new process, and print what was found."""
    folder.mkdir()
    writer = WRITERS[name]()
    for module in writer.MODULES:
        import_module(module)
    hit = killed(writer, folder, kills, seed)
    for unfinished in left(folder):  # as if they were from a second ago: younger ones stay
        os.utime(unfinished, 2 * (time.time() - 1.1,))
    assert os.waitpid(in_a_child(lambda: writer.write(folder, 1)), 0)[1] == 0
    writer.check(folder)
    print(kills, hit, len(left(folder)))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
