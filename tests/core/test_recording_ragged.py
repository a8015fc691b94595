"""Ragged tables: rows come back with the time row that they were given to."""

import numpy as np
import pytest

import footfall.recording.ragged_buffer as ragged_module
import footfall.recording.writer as writer_module
from footfall.errors import RecordingError
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.reader import open_run, table_rows
from footfall.recording.writer import RecordingWriter

CONTACTS = RaggedTable(
    "contacts",
    (
        Variable("key", dtype="int64", long_name="identity of the contact"),
        Variable("force", ("axis",), (3,), "N", "force, world frame"),
        Variable("sliding", dtype="bool"),
    ),
)
EVENTS = RaggedTable("events", (Variable("at", units="s"),))
LAYOUT = Layout((Variable("time", units="s"),), (CONTACTS, EVENTS))
COORDS = {"axis": ("x", "y", "z")}


def contacts(step, count):
    rows = np.zeros(count, CONTACTS.dtype)
    # Keys that a float64 could not hold.
    rows["key"] = 2**62 + 1000 * step + np.arange(count)
    rows["force"] = np.arange(3 * count).reshape(count, 3) + 0.1 * step
    rows["sliding"] = np.arange(count) % 2
    return rows


def counts(steps):
    return np.random.default_rng(5).integers(0, 5, steps) * (np.arange(steps) % 3 > 0)


def write(path, steps, **options):
    with RecordingWriter(path, LAYOUT, COORDS, {}, **options) as writer:
        for k, count in enumerate(counts(steps)):
            if count:
                writer.append_ragged("contacts", contacts(k, count))
            writer.buffer[writer.cursor] = k
            writer.advance()


@pytest.mark.parametrize(("buffer_rows", "table_bytes"), [(1, 1), (3, 60), (1000, 10_000)])
def test_rows_belong_to_their_time_whatever_the_buffers(
    tmp_path, monkeypatch, buffer_rows, table_bytes
):
    monkeypatch.setattr(writer_module, "BUFFER_BYTES", 8 * buffer_rows)
    monkeypatch.setattr(ragged_module, "BUFFER_BYTES", table_bytes)
    monkeypatch.setattr(ragged_module, "CHUNK_ROWS", 7)
    write(tmp_path / "run", 60)
    run = open_run(tmp_path / "run")
    assert run.contacts_key.dtype == np.int64
    for k, count in enumerate(counts(60)):
        expected = contacts(k, count)
        found = table_rows(run, "contacts", k)
        for name in CONTACTS.dtype.names:
            assert found[f"contacts_{name}"].values.tobytes() == expected[name].tobytes()
    assert run.contacts_start.values.tolist() == [0, *np.cumsum(counts(60))[:-1]]
    assert run.sizes["contacts_row"] == counts(60).sum()


def test_the_last_row_is_found_from_the_end(tmp_path):
    write(tmp_path / "run", 12)
    run = open_run(tmp_path / "run")
    for k in (-1, -2, -12):
        assert table_rows(run, "contacts", k).identical(table_rows(run, "contacts", 12 + k))


def test_unused_tables_are_empty(tmp_path):
    write(tmp_path / "run", 10)
    run = open_run(tmp_path / "run")
    assert run.sizes["events_row"] == 0
    assert (run.events_start == 0).all()
    assert table_rows(run, "events", 4).events_at.shape == (0,)


def test_rows_of_steps_that_are_not_kept_go_to_the_next_row_that_is(tmp_path):
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}, interval=4) as writer:
        for k in range(10):
            if k != 8:
                writer.append_ragged("events", np.array([(float(k),)], EVENTS.dtype))
            if k in (6, 7):
                writer.flush()
            writer.advance()
    run = open_run(tmp_path / "run")
    found = [table_rows(run, "events", k).events_at.values.tolist() for k in range(3)]
    assert found == [[0.0], [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]
    assert run.sizes["events_row"] == 8


def test_several_calls_in_a_step_add_up(tmp_path):
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}) as writer:
        for count in (2, 0, 3):
            writer.append_ragged("contacts", contacts(count, count))
        writer.advance()
        writer.advance()
    run = open_run(tmp_path / "run")
    assert run.contacts_start.values.tolist() == [0, 5]
    assert table_rows(run, "contacts", 0).sizes["contacts_row"] == 5
    assert table_rows(run, "contacts", 1).sizes["contacts_row"] == 0


def test_labels_and_units_reach_the_columns(tmp_path):
    write(tmp_path / "run", 5)
    run = open_run(tmp_path / "run")
    assert run.contacts_force.sel(axis="z").dims == ("contacts_row",)
    assert run.contacts_force.attrs["units"] == "N"
    assert run.contacts_key.attrs["long_name"] == "identity of the contact"


def test_wrong_tables_and_types_are_refused(tmp_path):
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}) as writer:
        with pytest.raises(RecordingError, match="did you mean 'contacts'"):
            writer.append_ragged("contact", contacts(0, 1))
        with pytest.raises(RecordingError, match="'contacts'"):
            writer.append_ragged("contacts", np.zeros((1, 5)))
        with pytest.raises(RecordingError, match="'contacts'"):
            writer.append_ragged("contacts", contacts(0, 4).reshape(2, 2))
    with pytest.raises(RecordingError, match="did you mean 'contacts'"):
        table_rows(open_run(tmp_path / "run"), "contakts", 0)
    with pytest.raises(RecordingError, match="contacts_key"):
        Layout((Variable("contacts_key"),), (CONTACTS,))
