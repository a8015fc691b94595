"""Each part of a recording's root document, forged with a right checksum, is refused or taken."""

import json
import os
import random
import shutil
from zlib import crc32

import pytest
from tests.fuzz.outcome import SEED, answered

import footfall
from footfall.errors import RecordingError
from footfall.recording.root_document import ROOT

VALUES = [None, 3, -1, 0, 2**62, 1e300, "x", "", [], {}, [[]], [-1], [10**12], {"a": 1}, True]
ARRAYS = ("q", "time", "body", "contact_status", "base_velocity")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "good.zarr"
    footfall.load("cube/drop").record(0.02, output=path)
    return path


@pytest.fixture
def bad(good, tmp_path):
    return shutil.copytree(good, tmp_path / "bad.zarr")


def seal(path, document):
    """Write a root document with a right checksum."""
    attributes = document.pop("attributes", None)
    if isinstance(attributes, dict):
        attributes.pop("checksum", None)
    document["attributes"] = attributes
    text = json.dumps(document, ensure_ascii=False)
    if isinstance(attributes, dict):
        text = text[:-2] + ", " * bool(attributes) + '"checksum": "'
        text += f'{crc32(text.encode()):08x}"}}}}'
    (path / ROOT).write_text(text)


def places(value, at=()):
    """Yield the path of each part that is forged: of some arrays, and little of the scene."""
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            of_array = len(at) == 2 and at[1] in ("metadata", "checksums")
            if (not of_array or key in ARRAYS) and not (len(at) > 2 and at[1] == "resolved_scene"):
                yield from places(value[key], (*at, key))


def use(path):
    """Open a recording in each way, and load all of it."""
    for run in footfall.open_segments(path):
        run.load()


def forged(good, bad, path, value):
    document = json.loads((good / ROOT).read_text())
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    seal(bad, document)
    return answered(lambda: use(bad))


def cases(good, seed):
    every = [p for p in places(json.loads((good / ROOT).read_text())) if p]
    drawn = [(path, value) for path in every for value in [*VALUES, KeyError]]
    random.Random(seed).shuffle(drawn)
    return drawn


def test_forged_root_documents_are_refused_in_a_line_or_taken(good, bad):
    told = [forged(good, bad, *case) for case in cases(good, 5)[:60]]
    assert 10 < sum(message is not None for message in told) < 60


@pytest.mark.long
@pytest.mark.parametrize("part", range(3))
def test_more_forged_root_documents(good, bad, part):
    told = [forged(good, bad, *case) for case in cases(good, f"{SEED} {part}")[:300]]
    assert 50 < sum(message is not None for message in told) < 300


@pytest.mark.parametrize("value", [None, KeyError, ["x", "y"], [1], [1120, 3], [-1, ""], [0, ""]])
def test_a_table_of_checksums_that_covers_not_all_rows_is_refused(good, bad, value):
    told = forged(good, bad, ("attributes", "checksums", "q"), value)
    assert "zarr.json holds no checksums of all rows of q" in told


@pytest.mark.parametrize("name", [ROOT, "body/c.0", "q/c.0.0", "time/c.0"])
@pytest.mark.parametrize("kind", ["pipe", "device", "ring", "folder", "short"])
def test_what_is_no_regular_file_is_refused_at_once(bad, name, kind):
    file = bad / name
    content = file.read_bytes()
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "ring":
        file.symlink_to(file.name)
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_bytes(content[:-1])
    with pytest.raises(RecordingError) as told:
        use(bad)
    assert str(told.value).isprintable()
