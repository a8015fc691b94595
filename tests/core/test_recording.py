"""What is written is what is read: values, labels, units, rows."""

import json
import os
import signal

import numpy as np
import pytest
import xarray as xr

import footfall.recording.writer as writer_module
from footfall.errors import RecordingError
from footfall.recording.layout import Layout, Variable
from footfall.recording.reader import open_run
from footfall.recording.variables import (
    Column,
    Labels,
    first_entries,
    standard_coords,
    standard_layout,
)
from footfall.recording.writer import RecordingWriter

LABELS = Labels(
    position=("x", "y", "z", "qx", "qy", "qz", "qw", "knee", "hip"),
    velocity=("vx", "vy", "vz", "wx", "wy", "wz", "knee", "hip"),
    joint=("hip", "knee"),
    contact=("heel", "toe", "café"),
    body=("robot",),
)
LAYOUT = standard_layout(LABELS)
COORDS = standard_coords(LABELS)


def random_rows(n, layout=LAYOUT):
    """Rows with integers where the disk holds integers, every bit of the floats in use."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(n, layout.width)) * 10.0 ** rng.integers(-300, 300, (n, layout.width))
    for variable in layout.variables:
        if variable.dtype != "float64":
            layout.view(rows, variable.name)[:] = rng.integers(0, 2, (n, *variable.shape))
    rows[:, layout.slice_of("time")] = np.arange(n)[:, None] * 1e-3
    return rows


def write(path, data, layout=LAYOUT, coords=COORDS, **options):
    with RecordingWriter(path, layout, coords, {"mass": 3.0}, **options) as writer:
        for row in data:
            writer.buffer[writer.cursor] = row
            writer.advance()


def assert_holds(run, rows, layout=LAYOUT):
    assert run.sizes["time"] == len(rows)
    for variable in layout.variables:
        expected = layout.view(rows, variable.name)
        found = run[variable.name].values
        assert found.dtype == np.dtype(variable.dtype)
        assert found.shape == expected.shape
        assert found.astype(np.float64).tobytes() == expected.tobytes()


@pytest.mark.parametrize("known", [None, 1, 7, 500, 10_000])
def test_every_bit_comes_back_whatever_the_chunks(tmp_path, monkeypatch, known):
    monkeypatch.setattr(writer_module, "CHUNK_ROWS", 64)
    rows = random_rows(130)
    write(tmp_path / "run", rows, rows=known)
    assert_holds(open_run(tmp_path / "run"), rows)


def test_every_bit_comes_back_over_many_small_buffers(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * 3)
    monkeypatch.setattr(writer_module, "COMMIT_INTERVAL", 0.0)
    rows = random_rows(100)
    write(tmp_path / "run", rows, rows=41)
    assert_holds(open_run(tmp_path / "run"), rows)


def test_a_large_array_is_cut_into_chunk_files_below_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("footfall.recording.stored_array.CHUNK_BYTES", 8 * 9 * 10)
    rows = random_rows(35)
    write(tmp_path / "run", rows, rows=35)
    files = sorted((tmp_path / "run" / "q").glob("c.*"))
    assert [file.stat().st_size for file in files] == [8 * 9 * 10] * 4
    assert_holds(open_run(tmp_path / "run"), rows)


def test_special_values_come_back(tmp_path):
    layout = Layout((Variable("time"), Variable("x", ("side",), (3,))))
    rows = np.array([[0.0, np.nan, np.inf, -0.0], [1.0, -np.inf, 5e-324, 1e308]])
    write(tmp_path / "run", rows, layout, {})
    assert open_run(tmp_path / "run").x.values.tobytes() == rows[:, 1:].tobytes()


@pytest.mark.parametrize("interval", [1, 2, 7])
def test_the_interval_keeps_the_first_of_every_n_steps(tmp_path, interval):
    rows = random_rows(50)
    write(tmp_path / "run", rows, interval=interval)
    run = open_run(tmp_path / "run")
    assert_holds(run, rows[::interval])
    assert run.attrs["recording_interval"] == interval


def test_keeps_row_tells_which_steps_are_kept(tmp_path):
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}, interval=3) as writer:
        kept = []
        for _ in range(7):
            kept.append(writer.keeps_row)
            writer.advance()
        assert kept == [True, False, False] * 2 + [True]
        assert writer.rows == 3


def test_the_buffer_never_moves_and_the_cursor_stays_inside(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * 5)
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}) as writer:
        buffer, address = writer.buffer, writer.buffer.ctypes.data
        assert buffer.flags.c_contiguous
        for _ in range(23):
            writer.advance()
            assert 0 <= writer.cursor < len(buffer)
        assert writer.buffer is buffer
        assert buffer.ctypes.data == address


def test_kernels_find_every_column_of_a_layout_and_no_other():
    at, names = first_entries(LAYOUT), [variable.name for variable in LAYOUT.variables]
    assert names == [column.name.lower() for column in Column if at[column] >= 0]
    assert [LAYOUT.starts[name] for name in names] == [first for first in at if first >= 0]


@pytest.mark.parametrize("steps", [0, 1, 20])
def test_a_world_without_contacts_or_joints_is_recorded(tmp_path, steps):
    labels = Labels(position=("slide",), velocity=("slide",))
    layout = standard_layout(labels)
    rows = random_rows(steps, layout)
    write(tmp_path / "run", rows, layout, standard_coords(labels))
    run = open_run(tmp_path / "run")
    assert_holds(run, rows, layout)
    assert run.contact_force.shape == (steps, 0, 3)
    assert run.contact.dtype.kind in "OUT"


def test_labels_select_joints_contacts_and_axes(tmp_path):
    rows = random_rows(20)
    write(tmp_path / "run", rows)
    run = open_run(tmp_path / "run")
    assert run.contact.values.tolist() == ["heel", "toe", "café"]
    force = LAYOUT.view(rows, "contact_force")
    assert (run.contact_force.sel(contact="café", axis="z") == force[:, 2, 2]).all()
    knee = run.sel(joint="knee")
    assert (knee.joint_position == LAYOUT.view(rows, "q")[:, 7]).all()
    assert (knee.joint_velocity == LAYOUT.view(rows, "v")[:, 6]).all()
    assert (knee.joint_torque == LAYOUT.view(rows, "tau")[:, 6]).all()
    assert run.joint_position.dims == ("time", "joint")


def test_times_select_rows(tmp_path):
    rows = random_rows(20)
    write(tmp_path / "run", rows)
    part = open_run(tmp_path / "run").sel(time=slice(0.0045, 0.0095))
    assert_holds(part, rows[5:10])


def test_every_variable_has_units_and_a_long_name(tmp_path):
    write(tmp_path / "run", random_rows(2))
    run = open_run(tmp_path / "run")
    for name in [*run.data_vars, "time"]:
        assert run[name].attrs["units"], name
        assert run[name].attrs["long_name"], name
    assert run.time.attrs["units"] == "s"
    assert run.time.dtype == np.float64
    assert run.contact_status.attrs["flag_values"] == [0, 1, 2]
    assert run.contact_status.attrs["flag_meanings"] == "open stick slip"


def test_attributes_come_back_and_can_be_added_until_the_end(tmp_path):
    scene = json.dumps({"simulation": {"duration": 5.0}})
    given = {"scene": scene, "weight": np.float64(9.81), "counts": np.arange(2), "at": tmp_path}
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, given) as writer:
        assert open_run(tmp_path / "run").attrs["recording_closed"] == 0
        writer.set_attributes({"wall_time": 1.5, "weight": 2.0})
    attributes = open_run(tmp_path / "run").attrs
    assert attributes["scene"] == scene
    assert attributes["weight"] == 2.0
    assert attributes["counts"] == [0, 1]
    assert attributes["at"] == str(tmp_path)
    assert attributes["wall_time"] == 1.5
    assert attributes["footfall_format"] == 2
    assert attributes["recording_closed"] == 1


@pytest.mark.parametrize("value", [float("nan"), np.inf, object(), {"a": {1, 2}}])
def test_an_attribute_without_json_form_is_named(tmp_path, value):
    with pytest.raises(RecordingError, match="'odd'"):
        RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {"odd": value})
    assert not (tmp_path / "run").exists()


def test_a_run_that_goes_on_shows_its_flushed_rows(tmp_path):
    rows = random_rows(30)
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}) as writer:
        for k, row in enumerate(rows):
            writer.buffer[writer.cursor] = row
            writer.advance()
            if k == 11:
                writer.flush()
                assert_holds(open_run(tmp_path / "run"), rows[:12])
    assert_holds(open_run(tmp_path / "run"), rows)


def test_rows_are_committed_by_wall_time_without_flush(tmp_path, monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 0.2))
    monkeypatch.setattr(writer_module, "monotonic", lambda: next(clock))
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})
    seen = []
    for _ in range(8):
        writer.advance()
        writer._wait()  # for the thread that writes
        seen.append(open_run(tmp_path / "run").sizes["time"])
    # The clock moves 0.2 s a call. The first commit is due after 0.05 s, each other after 0.5 s.
    assert seen == [1, 1, 1, 4, 4, 4, 7, 7]
    writer.close()


@pytest.mark.parametrize("buffered", [64, 1000])
def test_no_more_than_a_thousand_rows_are_uncommitted_however_fast_they_come(
    tmp_path, monkeypatch, buffered
):
    monkeypatch.setattr(writer_module, "monotonic", lambda: 0.0)
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * buffered)
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})
    for k in range(1, 3501):
        writer.advance()
        if k % 250 == 0:
            assert 0 <= k - open_run(tmp_path / "run").sizes["time"] <= 1000
    assert open_run(tmp_path / "run").sizes["time"] >= 2501
    writer.close()
    assert open_run(tmp_path / "run").sizes["time"] == 3500


def test_interrupts_while_a_thread_writes_lose_and_double_nothing(tmp_path, monkeypatch):
    """Ctrl-C at any moment: of the wait for the thread, of its start, of a row's own advance."""
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * 4)
    rows, interrupts, k = random_rows(4000), 0, 0
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})

    def interrupt(number, frame):
        if k < len(rows):  # Python may handle the last one after the block that catches it
            raise KeyboardInterrupt

    def write_on():  # a loop in the block itself is left uncaught between two rounds by Python 3.13
        nonlocal k
        while k < len(rows):
            writer.buffer[writer.cursor] = rows[k]
            writer.advance()
            k = writer.rows

    before = signal.signal(signal.SIGALRM, interrupt)
    while k < len(rows):
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-5 * (k % 97))
            write_on()
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        except KeyboardInterrupt:
            interrupts, k = interrupts + 1, writer.rows
    signal.signal(signal.SIGALRM, before)
    writer.close()
    assert interrupts > 10
    assert_holds(open_run(tmp_path / "run"), rows)


def test_what_the_disk_refuses_to_the_thread_is_told_by_the_next_flush(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * LAYOUT.width * 4)
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})
    for _ in range(8):
        writer.advance()
    writer.flush()
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: 0)
    for _ in range(4):
        writer.advance()
    with pytest.raises(RecordingError, match="No space left"):
        writer.flush()
    with pytest.raises(RecordingError, match="is closed"):
        writer.advance()
    assert open_run(tmp_path / "run").sizes["time"] == 8


def test_attributes_that_change_are_in_the_next_commit(tmp_path):
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {"a": 1}) as writer:
        for value in (2, 2, 3):
            writer.set_attributes({"a": value})
            writer.advance()
            writer.flush()
            run = open_run(tmp_path / "run")
            assert (run.attrs["a"], run.sizes["time"]) == (value, writer.rows)


def test_plain_zarr_and_xarray_read_a_closed_recording(tmp_path):
    import zarr

    rows = random_rows(30)
    write(tmp_path / "run", rows)
    assert_holds(xr.open_zarr(tmp_path / "run"), rows)
    q = zarr.open_array(tmp_path / "run" / "q", mode="r")
    assert (q[:] == LAYOUT.view(rows, "q")).all()


def test_descriptions_are_those_that_zarr_itself_writes(tmp_path):
    import zarr

    write(tmp_path / "run", random_rows(3), rows=3)
    group = zarr.create_group(tmp_path / "other", zarr_format=3)
    for name in ("q", "in_contact", "contact_status", "impacts", "contact"):
        ours = json.loads((tmp_path / "run" / name / "zarr.json").read_text())
        kind = str if ours["data_type"] == "string" else ours["data_type"]
        group.create_array(
            name,
            shape=ours["shape"],
            chunks=ours["chunk_grid"]["configuration"]["chunk_shape"],
            dtype=kind,
            compressors=None,
            fill_value=np.nan if kind == "float64" else None,
            dimension_names=ours["dimension_names"],
            attributes=ours["attributes"],
            chunk_key_encoding={"name": "default", "separator": "."},
        )
        assert ours == json.loads((tmp_path / "other" / name / "zarr.json").read_text())


def test_close_is_idempotent_and_a_closed_recording_takes_no_rows(tmp_path):
    writer = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {})
    writer.advance()
    writer.close()
    writer.close()
    with pytest.raises(RecordingError, match="closed"):
        writer.advance()
    with pytest.raises(RecordingError, match="closed"):
        writer.flush()
    assert writer.cursor == 0
    assert open_run(tmp_path / "run").sizes["time"] == 1


def one_step_then(error, path):
    with RecordingWriter(path, LAYOUT, COORDS, {}) as writer:
        writer.advance()
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt()])
def test_an_error_in_the_run_still_closes_the_recording(tmp_path, error):
    with pytest.raises(type(error)):
        one_step_then(error, tmp_path / "run")
    assert open_run(tmp_path / "run").sizes["time"] == 1
    assert open_run(tmp_path / "run").attrs["recording_closed"] == 1


def test_wrong_layouts_are_refused():
    with pytest.raises(RecordingError, match="'a b'"):
        Variable("a b")
    with pytest.raises(RecordingError, match="'x'"):
        Variable("x", ("side",), ())
    with pytest.raises(RecordingError, match="float32"):
        Variable("x", dtype="float32")
    with pytest.raises(RecordingError, match="several variables are named x"):
        Layout((Variable("x"), Variable("x")))
    with pytest.raises(RecordingError, match="dimension 'side' of size 3"):
        Layout((Variable("x", ("side",), (2,)), Variable("y", ("side",), (3,))))
    with pytest.raises(RecordingError, match="did you mean 'gap'"):
        LAYOUT.slice_of("gab")
    with pytest.raises(RecordingError, match="'ankle'"):
        Labels(("knee",), ("knee",), ("ankle",))


def test_wrong_labels_and_intervals_are_refused_and_touch_nothing(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(RecordingError, match="'contact': 1 labels for a size of 3"):
        RecordingWriter(path, LAYOUT, COORDS | {"contact": ("heel",)}, {})
    with pytest.raises(RecordingError, match="several labels are a"):
        RecordingWriter(path, LAYOUT, COORDS | {"contact": ("a", "a", "b")}, {})
    with pytest.raises(RecordingError, match="interval 0"):
        RecordingWriter(path, LAYOUT, COORDS, {}, interval=0)
    assert not path.exists()


def test_views_share_the_row():
    rows = np.zeros((4, LAYOUT.width))
    LAYOUT.view(rows[2], "contact_force")[1, 2] = 5.0
    assert LAYOUT.view(rows, "contact_force")[2, 1, 2] == 5.0
    assert rows[2, LAYOUT.slice_of("contact_force")].tolist() == [0, 0, 0, 0, 0, 5, 0, 0, 0]
    widths = [variable.width for variable in LAYOUT.variables]
    assert LAYOUT.width == sum(widths)
