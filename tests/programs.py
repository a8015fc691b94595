"""Python programs in processes of their own, forked from one that has imported what all need.

A new interpreter takes two seconds of processor time to import what a run needs.
A program here finds modules imported, as if its first lines had imported them, and nothing else
done: its ``__main__``, arguments, folder, path and environment are its own.
"""

import json
import os
import runpy
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

PREPARE = ("cube/sliding", "humanoid/standing")
"""Scenes whose kernels are there."""


def interrupt(process, seconds=120.0):
    """Press Ctrl-C and return what a process wrote until it ended, which it must in this time.

    Raises:
        TimeoutExpired: if it goes on; it is killed, so that nothing waits for it for ever.
    """
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


class Programs:
    """Runs programs, one after the other.

    Args:
        process: of this module.
    """

    def __init__(self, process):
        self._process = process

    def run(self, folder, *arguments, path=(), environment=None):
        """Run what ``python ARGUMENTS`` runs in a folder; return its code, output and errors.

        Args:
            folder: where it runs.
            arguments: a script, or -m and a module, or -c and code; then the program's own.
            path: folders where it finds modules first.
            environment: variables that it has besides.
        """
        said = [Path(folder) / name for name in (".stdout", ".stderr")]
        job = {
            "folder": str(folder),
            "arguments": list(map(str, arguments)),
            "path": list(map(str, path)),
            "environment": environment or {},
            "said": list(map(str, said)),
        }
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        texts = [one.read_text(encoding="utf-8") for one in said]
        for one in said:
            one.unlink()
        return code, *texts


@contextmanager
def programs():
    """Yield what runs programs."""
    here = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-m", "tests.programs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=here,
    ) as process:
        yield Programs(process)
        process.stdin.close()


def serve():
    """Fork for every line on standard input; return the job in the child, None at the end."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return json.loads(line)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def become(job):
    """Run the program of a job as this process's own."""
    os.chdir(job["folder"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, said in zip((1, 2), job["said"], strict=True):
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.update(job["environment"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*job["path"], *filter(None, [before])])
    first, *rest = job["arguments"]
    sys.path[:1] = [
        job["folder"] if first in ("-c", "-m") else os.path.dirname(first),
        *job["path"],
    ]
    if first == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    import xarray  # noqa: F401
    import zarr  # noqa: F401

    import footfall

    for scene in PREPARE:
        footfall.load(scene).step()
    if found := serve():
        become(found)
