"""What a recording's files hold is what was written, or is refused with array and chunk."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.core.recording_child import COORDS, LAYOUT, assert_prefix, write_row

import footfall.recording.ragged_buffer as ragged_module
import footfall.recording.writer as writer_module
from footfall.errors import RecordingError
from footfall.recording.reader import open_run, open_segments
from footfall.recording.writer import RecordingWriter

KEPT = Path(__file__).parent / "kept"
ROWS, CHUNK = 50, 16


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Several chunks an array, several writes a chunk."""
    monkeypatch.setattr(writer_module, "CHUNK_ROWS", CHUNK)
    monkeypatch.setattr(writer_module, "COMMIT_ROWS", 7)
    monkeypatch.setattr(ragged_module, "CHUNK_ROWS", 9)


@pytest.fixture
def path(tmp_path):
    given = 0
    with RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {"made_by": "a test"}) as writer:
        for k in range(ROWS):
            given = write_row(writer, k, given)
    return tmp_path / "run"


def flip(file, at, bit=0):
    content = bytearray(file.read_bytes())
    content[at] ^= 1 << bit
    file.write_bytes(content)


def refusal(path):
    """Return what reading all of a recording says, or None."""
    try:
        open_run(path).load()
    except RecordingError as error:
        return str(error)
    return None


def committed(path):
    """Yield each chunk file of a recording with how many of its bytes count."""
    attributes = json.loads((path / "zarr.json").read_bytes())["attributes"]
    for name, (size, _) in attributes["checksums"].items():
        files = sorted((path / name).glob("c.*"), key=lambda file: int(file.name.split(".")[1]))
        for file in files:
            length = file.stat().st_size
            yield file, min(size, length)
            size = max(0, size - length)


def test_a_flipped_bit_in_any_chunk_of_any_array_is_refused_by_its_name(path):
    assert_prefix(path)
    rng, tried = np.random.default_rng(11), set()
    for file, counts in committed(path):
        for at in {0, counts - 1, int(rng.integers(counts))} if counts else ():
            flip(file, at, bit := int(rng.integers(8)))
            said = refusal(path)
            name = f"{file.parent.name}/{file.name}"
            assert said is not None, name
            assert said.startswith(f"{path}: the recording is damaged: ")
            assert name in said
            assert "\n" not in said
            flip(file, at, bit)
            tried.add(name)
    arrays = {name.split("/")[0] for name in tried}
    assert arrays == {"time", "x", "n", "side", "none", "hits_start", "hits_key", "hits_at"}
    assert {f"x/c.{k}.0" for k in range(4)} | {f"hits_at/c.{k}.0" for k in range(5)} <= tried
    assert_prefix(path)


def test_arrays_that_are_not_damaged_can_be_read(path):
    flip(path / "x" / "c.1.0", 5)
    run = open_run(path)
    assert (run.n.values == np.arange(ROWS)).all()
    with pytest.raises(RecordingError, match=re.escape("x/c.1.0 is not what was written")):
        run.x[0].values.sum() + run.x[CHUNK].values.sum()


def test_what_lies_behind_the_committed_rows_does_not_count(path):
    behind = [(file, counts) for file, counts in committed(path) if counts < file.stat().st_size]
    assert {file.parent.name for file, _ in behind} >= {"time", "x", "n", "hits_start"}
    for file, counts in behind:
        flip(file, counts)
    assert assert_prefix(path) == ROWS


def test_chunks_that_have_changed_places_are_refused(path):
    one, other = path / "x" / "c.0.0", path / "x" / "c.1.0"
    one.rename(path / "spare")
    other.rename(one)
    (path / "spare").rename(other)
    # Chunks are read side by side: either may be the first that is seen.
    assert re.search(r"x/c\.[01]\.0 is not what was written", refusal(path))


def test_every_flipped_bit_of_the_root_document_is_refused(path):
    root, rng = path / "zarr.json", np.random.default_rng(3)
    for at in rng.integers(root.stat().st_size, size=100).tolist():
        flip(root, at, bit := int(rng.integers(8)))
        said = refusal(path)
        assert said is not None, at
        assert "\n" not in said
        flip(root, at, bit)
    assert_prefix(path)


def test_a_recording_that_goes_on_or_broke_off_is_checked_as_far_as_it_is_committed(tmp_path):
    writer, given = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}), 0
    for k in range(30):
        given = write_row(writer, k, given)
        if k % 4 == 0:
            writer.flush()
            assert assert_prefix(tmp_path / "run") == k + 1
    # The run breaks off here: what was written since the last commit does not count.
    n = assert_prefix(tmp_path / "run")
    assert 28 <= n < 30
    flip(tmp_path / "run" / "x" / "c.1.0", 0)
    assert "x/c.1.0 is not what was written" in refusal(tmp_path / "run")
    writer.close()


def test_a_write_that_was_interrupted_and_is_done_again_has_the_right_checksums(
    tmp_path, monkeypatch
):
    import footfall.recording.stored_array as stored

    true, calls = stored.write_at, []

    def broken(file, data, position):
        calls.append(position)
        true(file, data, position)
        if len(calls) % 17 == 0:
            raise KeyboardInterrupt

    writer, given, k, broke = RecordingWriter(tmp_path / "run", LAYOUT, COORDS, {}), 0, 0, 0
    with monkeypatch.context() as patch:
        patch.setattr(stored, "write_at", broken)
        while k < 40:
            given = write_row(writer, k, given)
            k += 1
            try:
                writer.flush()
            except KeyboardInterrupt:
                broke += 1
    writer.close()
    assert broke > 5
    assert assert_prefix(tmp_path / "run") == 40


def test_a_segment_that_is_damaged_is_not_left_out(path):
    shutil.copytree(path, path / "segments" / "1")
    assert len(open_segments(path)) == 2
    (path / "segments" / "1" / "zarr.json").write_text("{")
    with pytest.raises(RecordingError, match="is not a Footfall recording"):
        open_segments(path)


def test_checksums_are_no_attributes_of_what_is_opened(path):
    run = open_run(path)
    assert run.attrs["made_by"] == "a test"
    assert not {"checksum", "checksums"} & set(run.attrs)
    assert (xr.open_zarr(path).x.values == run.x.values).all()


def test_recordings_of_format_2_are_read(tmp_path):
    shutil.unpack_archive(KEPT / "recording_format_2.zip", tmp_path)
    run = open_run(tmp_path / "run_format_2.zarr").load()
    assert run.attrs["footfall_format"] == 2
    assert (run.sizes["time"], float(run.time[0])) == (5, pytest.approx(0.35))
    assert np.isfinite(run.q.values).all()
