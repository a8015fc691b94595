"""A recording never harms what is there, and refuses clearly what it cannot open."""

import json
import os
import subprocess
import sys
import tempfile

import pytest

from footfall.errors import RecordingError
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.reader import open_run
from footfall.recording.writer import RecordingWriter

LAYOUT = Layout((Variable("time"), Variable("x", ("side",), (2,))))
OTHER = Layout((Variable("time"), Variable("y")), (RaggedTable("hits", (Variable("key"),)),))


def write(path, rows=3, layout=LAYOUT, **options):
    with RecordingWriter(path, layout, {}, {}, **options) as writer:
        for k in range(rows):
            writer.buffer[writer.cursor] = k
            writer.advance()


def test_an_existing_path_is_refused_without_overwrite(tmp_path):
    write(tmp_path / "run")
    with pytest.raises(RecordingError, match=r"--overwrite .*overwrite=True"):
        write(tmp_path / "run", rows=1)
    assert open_run(tmp_path / "run").sizes["time"] == 3


def test_a_recording_is_overwritten_and_nothing_of_it_stays(tmp_path):
    write(tmp_path / "run", rows=30)
    write(tmp_path / "run", rows=2, layout=OTHER, overwrite=True)
    run = open_run(tmp_path / "run")
    assert run.sizes["time"] == 2
    assert "x" not in run
    assert not (tmp_path / "run" / "x").exists()


def test_overwrite_makes_a_recording_where_nothing_or_an_empty_directory_is(tmp_path):
    write(tmp_path / "new", overwrite=True)
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", overwrite=True)
    assert open_run(tmp_path / "new").sizes["time"] == 3
    assert open_run(tmp_path / "empty").sizes["time"] == 3


def content(directory):
    return {p: p.read_bytes() if p.is_file() else None for p in directory.rglob("*")}


@pytest.mark.parametrize("foreign", ["notes.txt", "x/notes.txt", "q/c.0.txt", "deep/er/c.0"])
def test_overwrite_never_deletes_a_file_that_footfall_did_not_write(tmp_path, foreign):
    write(tmp_path / "run")
    file = tmp_path / "run" / foreign
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    before = content(tmp_path / "run")
    with pytest.raises(RecordingError, match="Footfall did not write"):
        write(tmp_path / "run", overwrite=True)
    assert content(tmp_path / "run") == before


def test_overwrite_refuses_a_document_of_endless_depth(tmp_path):
    (tmp_path / "zarr.json").write_text("[" * 100_000)
    with pytest.raises(RecordingError, match="is not a Footfall recording"):
        write(tmp_path, overwrite=True)


def test_overwrite_does_not_follow_links_out_of_the_recording(tmp_path):
    write(tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "c.0").write_text("mine")
    (tmp_path / "run" / "z").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecordingError, match="'z'"):
        write(tmp_path / "run", overwrite=True)
    assert (tmp_path / "elsewhere" / "c.0").read_text() == "mine"


@pytest.mark.parametrize("document", [None, "{}", "not json", '{"attributes": {"a": 1}}', "[1]"])
def test_overwrite_refuses_a_directory_that_is_no_recording(tmp_path, document):
    path = tmp_path / "data"
    (path / "q").mkdir(parents=True)
    (path / "q" / "c.0").write_text("mine")
    if document is not None:
        (path / "zarr.json").write_text(document)
    before = content(path)
    with pytest.raises(RecordingError, match="not a Footfall recording"):
        write(path, overwrite=True)
    assert content(path) == before
    with pytest.raises(RecordingError, match="not a Footfall recording"):
        open_run(path)


def test_overwrite_refuses_a_file(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordingError, match="not a Footfall recording"):
        write(tmp_path / "file", overwrite=True)
    assert (tmp_path / "file").read_text() == "mine"


def test_missing_parents_are_made(tmp_path):
    write(tmp_path / "a" / "b" / "run")
    assert open_run(tmp_path / "a" / "b" / "run").sizes["time"] == 3


def test_a_place_that_takes_no_directory_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordingError, match="cannot write the recording: Not a directory"):
        write(tmp_path / "file" / "run")
    with pytest.raises(RecordingError, match="cannot write the recording"):
        write("/proc/footfall")


READ_ONLY = """
import os, sys
from footfall.errors import RecordingError
from footfall.recording.layout import Layout, Variable
from footfall.recording.writer import RecordingWriter
layout = Layout((Variable("time"),))
if os.geteuid() == 0:
    os.setuid(65534)  # the superuser may write everywhere
try:
    RecordingWriter(sys.argv[1] + "/run", layout, {}, {})
except RecordingError as error:
    print(error)
"""


def test_a_read_only_parent_is_one_clear_error():
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o555)
        command = [sys.executable, "-c", READ_ONLY, parent]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{parent}/run: cannot write the recording: Permission denied")
    assert done.stdout.count("\n") == 1


def test_a_relative_path_stays_the_same_place_when_the_directory_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writer = RecordingWriter("run", LAYOUT, {}, {})
    writer.advance()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    writer.close()
    assert open_run(tmp_path / "run").sizes["time"] == 1


def test_no_such_recording_offers_the_nearest_name(tmp_path):
    write(tmp_path / "standing.zarr")
    with pytest.raises(RecordingError, match=r"no such recording, did you mean 'standing.zarr'"):
        open_run(tmp_path / "standin.zarr")
    with pytest.raises(RecordingError, match="no such recording"):
        open_run(tmp_path / "no" / "where")


def test_a_file_is_not_a_recording(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordingError, match="not a Footfall recording"):
        open_run(tmp_path / "file")


@pytest.mark.parametrize("version", [3, 0, -1])
def test_another_format_is_refused_with_its_version(tmp_path, version):
    write(tmp_path / "run")
    root = tmp_path / "run" / "zarr.json"
    document = json.loads(root.read_text())
    document["attributes"]["footfall_format"] = version
    root.write_text(json.dumps(document))
    with pytest.raises(RecordingError, match=f"format {version}; this Footfall reads 1 to 2"):
        open_run(tmp_path / "run")


def test_a_damaged_recording_is_one_clear_error(tmp_path):
    write(tmp_path / "run")
    root = tmp_path / "run" / "zarr.json"
    document = json.loads(root.read_text())
    document["consolidated_metadata"]["metadata"]["x"]["shape"][0] = 7
    root.write_text(json.dumps(document))
    with pytest.raises(RecordingError, match="damaged"):
        open_run(tmp_path / "run")
