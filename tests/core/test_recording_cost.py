"""Memory does not grow with the run, and recording costs microseconds a step."""

import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest

import footfall.recording.writer as writer_module
from footfall.recording.layout import Layout, Variable
from footfall.recording.reader import open_run
from footfall.recording.variables import Labels, standard_coords, standard_layout
from footfall.recording.writer import RecordingWriter


def numbered(prefix, n):
    return tuple(f"{prefix}{i}" for i in range(n))


def humanoid():
    """The layout of a robot with 23 joints and 8 contact points: 239 numbers a row."""
    return Labels(numbered("q", 30), numbered("v", 29), (), numbered("c", 8), ("robot",))


@pytest.fixture
def traced():
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
def test_a_thousand_bodies_with_eight_contacts_each_need_bounded_memory(tmp_path):
    labels = Labels(
        numbered("q", 7000), numbered("v", 6000), (), numbered("c", 8000), numbered("b", 1000)
    )
    layout = standard_layout(labels)
    coords = standard_coords(labels)
    rows, size = 60, 8 * layout.width
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    with RecordingWriter(tmp_path / "run", layout, coords, {}) as writer:
        for k in range(rows):
            writer.buffer[writer.cursor] = k + np.arange(layout.width) / 2**20
            writer.advance()
    peak = tracemalloc.get_traced_memory()[1] - before
    # The buffer and its spare row, the new row, columns being packed (the widest is 3/13 of a
    # row), and labels and their checks.
    assert peak < writer_module.BUFFER_BYTES + 3 * size + 4 * 2**20
    assert peak < rows * size / 4
    run = open_run(tmp_path / "run")
    assert run.sizes["time"] == rows
    where = layout.slice_of("contact_force")
    expected = 59 + np.arange(layout.width)[where] / 2**20
    assert (run.contact_force[59].values.ravel() == expected).all()
    files = list((tmp_path / "run").rglob("c.*"))
    assert max(f.stat().st_size for f in files) <= 64 * 2**20


@pytest.mark.usefixtures("traced")
def test_memory_does_not_grow_with_the_length_of_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 2**18)
    labels = humanoid()
    held = []
    with RecordingWriter(
        tmp_path / "run", standard_layout(labels), standard_coords(labels), {}
    ) as writer:
        for k in range(20_001):
            writer.advance()
            if k in (2000, 20_000):
                held.append(tracemalloc.get_traced_memory()[0])
    # Ten times the rows, 35 MB of them; counters and interpreter caches are a few kilobytes.
    assert held[1] - held[0] < 50_000


def seconds_per_step(step, steps=20_000, repeats=5):
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(steps):
            step()
        best = min(best, (time.process_time() - start) / steps)
    return best


def test_a_step_costs_microseconds_with_all_its_flushes(tmp_path):
    """Measured: 1.4 to 2.9 us; of processor time; the bound allows for slower machines."""
    labels = humanoid()
    layout = standard_layout(labels)
    row = np.random.default_rng(0).normal(size=layout.width)
    with RecordingWriter(tmp_path / "run", layout, standard_coords(labels), {}) as writer:
        buffer = writer.buffer

        def step():
            buffer[writer.cursor] = row
            writer.advance()

        assert seconds_per_step(step) < 12e-6


def test_advance_alone_costs_a_fraction_of_a_microsecond(tmp_path):
    """Measured: 0.13 us; rows of one number make flushes rare."""
    layout = Layout((Variable("time"),))
    with RecordingWriter(tmp_path / "run", layout, {}, {}, rows=10**6) as writer:
        assert seconds_per_step(writer.advance) < 1.5e-6


def test_writing_imports_neither_zarr_nor_xarray(tmp_path):
    script = """
import sys
from footfall.recording.reader import open_run
from footfall.recording.variables import Labels, standard_coords, standard_layout
from footfall.recording.writer import RecordingWriter
labels = Labels(("slide",), ("slide",))
with RecordingWriter(sys.argv[1], standard_layout(labels), standard_coords(labels), {}) as writer:
    writer.advance()
print(sorted({"zarr", "xarray", "pandas"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
