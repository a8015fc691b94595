"""Programs that record numbers which say where they belong, and die while they do.

Run as ``python -m tests.core.recording_child PROGRAM PATH ...`` from the top of the repository.
"""

import builtins
import os
import resource
import signal
import sys

import numpy as np

import footfall.recording.ragged_buffer as ragged_module
import footfall.recording.writer as writer_module
from footfall.errors import RecordingError
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.reader import open_run
from footfall.recording.writer import RecordingWriter

LAYOUT = Layout(
    (
        Variable("time", units="s"),
        Variable("x", ("side",), (40,)),
        Variable("n", dtype="int64"),
        Variable("no", ("none",), (0,)),
    ),
    (RaggedTable("hits", (Variable("key", dtype="int64"), Variable("at", ("side",), (40,)))),),
)
COORDS = {"side": [f"s{i}" for i in range(40)], "none": []}


def write_row(writer, k, given):
    """Write row k, which holds k, and k % 3 rows of the table, which hold their own numbers."""
    hits = np.zeros(k % 3, LAYOUT.tables[0].dtype)
    hits["key"] = np.arange(given, given + len(hits))
    hits["at"] = hits["key"][:, None] + np.arange(40)
    writer.append_ragged("hits", hits)
    writer.buffer[writer.cursor] = k
    writer.buffer[writer.cursor, LAYOUT.slice_of("x")] += np.arange(40) / 64
    writer.advance()
    return given + len(hits)


def assert_prefix(path):
    """Check every number, and return how many rows there are."""
    run = open_run(path)
    n = run.sizes["time"]
    assert (run.time.values == np.arange(n)).all()
    assert (run.n.values == np.arange(n)).all()
    assert (run.x.values == np.arange(n)[:, None] + np.arange(40) / 64).all()
    assert run.no.shape == (n, 0)
    assert run.side.values.tolist() == COORDS["side"]
    hits = np.concatenate([[0], np.cumsum(np.arange(n) % 3)])
    assert run.hits_start.values.tolist() == hits[:-1].tolist()
    assert run.hits_key.values.tolist() == list(range(hits[-1]))
    assert (run.hits_at.values == np.arange(hits[-1])[:, None] + np.arange(40)).all()
    return n


def endless(path):
    """Record until killed; say so after the first 200 rows are committed."""
    writer_module.BUFFER_BYTES = 40_000
    writer_module.CHUNK_ROWS = 300
    writer_module.COMMIT_INTERVAL = 0.002
    writer = RecordingWriter(path, LAYOUT, COORDS, {})
    k = given = 0
    while True:
        given = write_row(writer, k, given)
        k += 1
        if k == 200:
            writer.flush()
            print("go", flush=True)


def killed_at_each_call(directory):
    """Die before the first file operation of a run, after it, before the second, ...

    Each run has its own recording; one that exists already is overwritten. Prints how many runs
    died.
    """
    writer_module.BUFFER_BYTES = 8 * LAYOUT.width * 4
    writer_module.COMMIT_INTERVAL = 0.0
    ragged_module.BUFFER_BYTES = 1000
    ragged_module.CHUNK_ROWS = 10
    last = 0
    while True:
        path = f"{directory}/{last:03}"
        child = os.fork()
        if child == 0:
            _run_until_call(path, last + 1)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            break
        last += 1
    print(last)


def _run_until_call(path, last):
    calls = 0

    def make_deadly(module, name):
        true = getattr(module, name)

        def count():
            nonlocal calls
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

        def call(*arguments, **options):
            count()
            result = true(*arguments, **options)
            count()
            return result

        setattr(module, name, call)

    overwrite = os.path.exists(path)
    for name in ("mkdir", "open", "ftruncate", "pwrite", "close", "replace", "unlink", "rmdir"):
        make_deadly(os, name)
    make_deadly(builtins, "open")
    given = 0
    with RecordingWriter(path, LAYOUT, COORDS, {}, rows=3, overwrite=overwrite) as writer:
        for k in range(5):
            given = write_row(writer, k, given)


def full_disk(path, before, size):
    """Let files grow to ``size`` bytes at most once ``before`` rows are committed."""
    before, given = int(before), 0
    try:
        with RecordingWriter(path, LAYOUT, COORDS, {}, rows=10_000) as writer:
            for k in range(before):
                given = write_row(writer, k, given)
            writer.flush()
            _limit(size)
            for k in range(before, 100_000):
                given = write_row(writer, k, given)
    except RecordingError as error:
        print(error)
        assert writer.cursor == 0
        writer.close()


def full_disk_at_once(path, size):
    """Let files grow to ``size`` bytes at most from before the recording begins."""
    _limit(size)
    try:
        RecordingWriter(path, LAYOUT, COORDS, {})
    except RecordingError as error:
        print(error)


def _limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
