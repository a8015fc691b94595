"""States and recordings are checked before they are believed; older files are read or refused."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each, first

import footfall
from footfall.errors import FootfallError, RecordingError, SceneError, SimulationError
from footfall_stepper.world.state import FORMAT, load_state, own_parts, save_state

KEPT = Path(__file__).parent / "kept"
VALUES = [3, None, "x", [], {}, [[]], float("nan"), -1, 10**30, "x" * 10_000]


@pytest.fixture(scope="module")
def sim():
    sim = footfall.load("cube/drop")
    for _ in range(5):
        sim.step()
    return sim


@pytest.fixture(scope="module")
def saved(sim, tmp_path_factory):
    path = tmp_path_factory.mktemp("states") / "good.state"
    sim.save(path)
    return path


@pytest.fixture
def altered(saved, tmp_path):
    """Return a function that writes another header or other arrays, as of a file without digest."""

    def altered(change=lambda header: None, **arrays):
        with np.load(saved) as data:
            held = dict(data) | arrays
        header = json.loads(str(held["header"]))
        header["footfall_state"] = 2
        change(header)
        del held["digest"]
        with (tmp_path / "bad.state").open("wb") as file:
            np.savez(file, **(held | {"header": np.array(json.dumps(header))}))
        return tmp_path / "bad.state"

    return altered


def refusals(sim, path):
    """Return what is said by each way to use a state; None where it was taken."""
    told = []
    for use in (sim.resume, footfall.restore):
        try:
            use(path)
            told.append(None)
        except FootfallError as error:
            told.append(str(error))
    return told


def test_a_bit_that_has_changed_is_refused(sim, saved, tmp_path):
    content, rng = saved.read_bytes(), random.Random(5)
    path, taken = tmp_path / "bit.state", 0
    before = sim.state.copy()
    for _ in range(24):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        said = refusals(sim, path)
        taken += said == [None, None]
        assert all(line is None or "\n" not in line for line in said)
        # What ZIP does not read (times, attributes) may differ; no number may.
        assert np.array_equal(sim.state.vector, before.vector)
    assert taken < 12


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_ends_too_soon_is_refused(sim, saved, tmp_path, share):
    path = tmp_path / "short.state"
    content = saved.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    for line in refusals(sim, path):
        assert line.startswith(f"{path} is not a saved Footfall state, or damaged: ")


def test_content_that_is_not_what_was_written_is_refused(saved, tmp_path):
    with np.load(saved) as data:
        held = dict(data)
    held["vector"] = held["vector"] + 1e-9
    with (tmp_path / "a.state").open("wb") as file:
        np.savez(file, **held)
    with pytest.raises(
        SimulationError, match=r"has changed since it was saved \(SHA-256 differs\)"
    ):
        load_state(tmp_path / "a.state")


@each("key", ["footfall_state", "parts", "room", "resolved", "origin", "tuned"])
@pytest.mark.parametrize("values", first(VALUES[::4], VALUES))
def test_a_header_of_another_shape_is_refused_in_a_line(sim, altered, key, values):
    for value in values:
        refuse_header(sim, altered, key, value)


def refuse_header(sim, altered, key, value):
    meant = (key, value) in [
        ("room", 3),
        ("origin", None),
        ("origin", {}),
        ("tuned", []),
        ("resolved", {}),
    ]
    for line in refusals(sim, altered(lambda header: header.update({key: value}))):
        assert meant or line is not None
        assert line is None or ("\n" not in line and len(line) < 500)


@each("key", ["footfall", "name", "scene", "plugins", "robots", "given", "file"])
@pytest.mark.parametrize(
    "values",
    first(
        [("resolved", "x"), ("resolved", {}), ("origin", 3)],
        [("resolved", value) for value in VALUES] + [("origin", value) for value in (3, None, {})],
    ),
)
def test_a_stored_scene_of_another_shape_is_refused_in_a_line(sim, altered, key, values):
    for where, value in values:
        refuse_stored_scene(sim, altered, where, key, value)


def refuse_stored_scene(sim, altered, where, key, value):
    def change(header):
        header.setdefault(where, dict(header["resolved"]))[key] = value

    for line in refusals(sim, altered(change)):
        assert line is None or ("\n" not in line and len(line) < 700)
        # An origin counts only where a scene is given that it is to be compared with.
        assert line is not None or where == "origin" or key in ("name", "given", "file", "robots")


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"vector": np.zeros(3)}, r"vector holds float64 of shape \(3,\), its parts are \d+"),
        ({"vector": np.zeros(66, int)}, "vector holds int64"),
        ({"grown": np.zeros((2, 2))}, "grown holds"),
        ({"vector": np.full(66, np.nan)}, r"tick\[0\] is nan, allowed are whole numbers"),
        ({"vector": np.full(66, 1e300)}, r"tick\[0\] is 1e\+300"),
        ({"vector": np.full(66, 0.5)}, r"tick\[0\] is 0.5"),
    ],
)
def test_numbers_that_make_no_sense_are_named(sim, saved, altered, arrays, told):
    assert load_state(saved)[0].vector.shape == (66,)
    with pytest.raises(SimulationError, match=told):
        sim.resume(altered(**arrays))


def test_positions_that_are_not_finite_are_named(sim, saved, altered):
    state, _ = load_state(saved)
    state["q"][2] = np.inf
    with pytest.raises(
        SimulationError, match=r"q\[2\] is inf, allowed are numbers from -1e\+15 to 1e\+15"
    ):
        footfall.restore(altered(vector=state.vector))


def forged(path, state, header):
    """Write a state with a right digest."""
    save_state(
        path, state, {k: v for k, v in header.items() if k not in ("parts", "room")}, overwrite=True
    )
    return path


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        *[("detected", n, f"it has {n} detected contacts") for n in (100, 10**7, 2**62)],
        ("detected", -1, "detected[0] is -1, allowed are"),
        ("detected_key", 2**62, "keys of its detected contacts are not unique and ascending"),
    ],
)
def test_contacts_that_kernels_could_not_hold_are_refused(tmp_path, part, value, told):
    stack = footfall.load("cube/stack")
    stack.step()
    stack.save(tmp_path / "good.state")
    state, header = load_state(tmp_path / "good.state")
    assert state["detected"].view(np.int64)[0] > 1
    own_parts(state)[part].view(np.int64)[0] = value
    for line in refusals(stack, forged(tmp_path / "forged.state", state, header)):
        assert told in line


@pytest.mark.parametrize("part", ["detected_impulse", "detected_touching", "foot_wrench"])
def test_contacts_with_numbers_that_are_not_finite_are_refused(tmp_path, part):
    stack = footfall.load("cube/stack")
    stack.step()
    stack.save(tmp_path / "good.state")
    state, header = load_state(tmp_path / "good.state")
    own_parts(state)[part][:] = np.nan
    for line in refusals(stack, forged(tmp_path / "forged.state", state, header)):
        assert f"{part}[0" in line
        assert "is nan, allowed are" in line


def test_parts_that_would_fill_the_memory_are_refused(sim, altered):
    def change(header):
        header["parts"][0][1] = [10**9, 10**9]

    with pytest.raises(SimulationError, match="its parts are 1000000000000000"):
        sim.resume(altered(change))


def test_a_state_of_before_a_setting_came_is_of_another_version(sim, altered):
    def change(header):
        del header["resolved"]["scene"]["simulation"]["substeps"]

    for line in refusals(sim, altered(change)):
        assert "simulation.substeps is not given there and 1 here" in line


@pytest.mark.parametrize("version", [1, FORMAT + 1, 0, "2", 2.5])
def test_other_formats_are_refused_by_name(sim, altered, version):
    path = altered(lambda header: header.update(footfall_state=version))
    for line in refusals(sim, path):
        assert f"has state format {json.dumps(version)}, this version reads 2 to {FORMAT}" in line


def test_states_of_format_2_are_read():
    state, header = load_state(KEPT / "state_format_2.npz")
    assert (state.tick, header["resolved"]["name"]) == (350, "cube/drop")
    assert state["q"][2] == pytest.approx(0.0525, abs=1e-3)


def test_recordings_of_format_1_are_read(tmp_path):
    shutil.unpack_archive(KEPT / "recording_format_1.zip", tmp_path)
    run = footfall.open_run(tmp_path / "run_format_1.zarr")
    assert run.attrs["footfall_format"] == 1
    assert (run.sizes["time"], float(run.time[0])) == (5, pytest.approx(0.35))
    assert np.isfinite(run.q.values).all()


@pytest.fixture
def recording(tmp_path):
    shutil.unpack_archive(KEPT / "recording_format_1.zip", tmp_path)
    return tmp_path / "run_format_1.zarr"


@pytest.mark.parametrize("key", ["shape", "chunk_grid", "codecs", "fill_value", "data_type"])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:8])
def test_a_damaged_description_of_an_array_is_refused_in_a_line(recording, key, value):
    document = json.loads((recording / "zarr.json").read_text())
    document["consolidated_metadata"]["metadata"]["q"][key] = value
    (recording / "zarr.json").write_text(json.dumps(document))
    told = None
    try:
        footfall.open_run(recording)
    except RecordingError as error:
        told = str(error)
    assert "\n" not in told if told else key == "fill_value"


@pytest.mark.parametrize("content", [b"", b"xx", None])
def test_a_recording_without_all_of_its_rows_is_refused(recording, content):
    file = recording / "q" / "c.0.0"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(RecordingError, match=r"damaged: ValueError: q/c\.0\.0 has \d bytes of \d+"):
        footfall.open_run(recording)


def test_what_is_no_stored_scene_is_said(tmp_path):
    from footfall.scene.resolved import stored_scene

    for wrong in (3, None, [], {"scene": 3}):
        with pytest.raises(SceneError, match="the stored scene: "):
            stored_scene(wrong, footfall.discover())
