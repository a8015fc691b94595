"""Recordings in the formats of other tools, read back by those tools' own libraries."""

import csv
import importlib.util
import json
import os

import numpy as np
import pytest

import footfall
from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.interfaces.visualizer import Shape
from footfall.recording.reader import open_run
from footfall_recordings.foxglove import turn_from_x
from footfall_recordings.tessellation import triangles_of

needs_rerun = pytest.mark.skipif(
    importlib.util.find_spec("rerun") is None, reason='needs the extra "rerun"'
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A cube that falls and lands."""
    path = tmp_path_factory.mktemp("recordings") / "cube.zarr"
    footfall.load("cube/drop").run(0.6, path)
    return path


def exported(recording, output, *options):
    with pytest.raises(SystemExit) as done:
        main(["export", str(recording), "-o", str(output), *options])
    return done.value.code in (0, None)


def test_a_table_holds_every_number_exactly(recording, tmp_path, capsys):
    file = tmp_path / "cube.csv"
    assert exported(recording, file)
    with file.open() as text:
        names, *rows = csv.reader(text)
    run = open_run(recording)
    table = dict(zip(names, np.array(rows, float).T, strict=True))
    assert np.array_equal(table["time [s]"], run["time"].values)
    assert np.array_equal(table["com[z] [m]"], run["com"].values[:, 2])
    corner = str(run["contact"].values[0])
    force = run["contact_force"].sel(contact=corner, axis="z").values
    assert np.array_equal(table[f"contact_force[{corner},z] [N]"], force)
    assert np.array_equal(table["kinetic_energy [J]"], run["kinetic_energy"].values)
    assert not exported(recording, file)
    assert "exists: choose another name" in capsys.readouterr().err
    assert exported(recording, file, "--overwrite")
    assert [one.name for one in tmp_path.iterdir()] == ["cube.csv"]
    os.mkfifo(tmp_path / "pipe.csv")
    assert not exported(recording, tmp_path / "pipe.csv", "--overwrite")
    assert "it is not a file" in capsys.readouterr().err


def test_an_mcap_file_holds_frames_shapes_and_signals(recording, tmp_path):
    try:
        from mcap.reader import make_reader
    except ImportError:
        pytest.skip("mcap is an extra of its own")
    file = tmp_path / "cube.mcap"
    assert exported(recording, file)
    run, messages = open_run(recording), {}
    with file.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            said = schema.name, message.log_time, json.loads(message.data)
            messages.setdefault(channel.topic, []).append(said)
    assert {schema for schema, _, _ in messages["/tf"]} == {"foxglove.FrameTransforms"}
    graph, motion = footfall.recorded_motion(recording)
    assert len(messages["/tf"]) == len(motion.time)
    _, stamp, last = messages["/tf"][-1]
    assert stamp == pytest.approx(1e9 * motion.time[-1], abs=1)
    moved = {one["child_frame_id"]: one for one in last["transforms"]}
    at = moved["cube/cube"]["translation"]
    assert [at[axis] for axis in "xyz"] == run["com"].values[-1].tolist()
    ((schema, _, scene),) = messages["/scene"]
    assert schema == "foxglove.SceneUpdate"
    (entity,) = scene["entities"]
    assert entity["frame_id"] in moved
    points = [[p[axis] for axis in "xyz"] for p in entity["triangles"][0]["points"]]
    assert np.ptp(points, axis=0) == pytest.approx(graph.nodes[0].shape.size)
    energy = [said["value"] for _, _, said in messages["/kinetic_energy"]]
    assert energy == run["kinetic_energy"].values.tolist()
    arrows = [said["entities"][0]["arrows"] for _, _, said in messages["/contacts"]]
    assert (len(arrows[0]), len(arrows[-1])) == (0, 4)


def read_back(file):
    """Return what Rerun's own library finds in a file: columns by entity and name."""
    from rerun.chunk import RrdReader

    found = {}
    for chunk in RrdReader(str(file)).stream():
        batch = chunk.to_record_batch()
        for name in batch.schema.names:
            column = batch.column(name).to_pylist()
            found.setdefault((chunk.entity_path, name), []).extend(column)
    return found


@needs_rerun
def test_an_rrd_file_holds_transforms_meshes_and_scalars(recording, tmp_path):
    file = tmp_path / "cube.rrd"
    assert exported(recording, file)
    run, found = open_run(recording), read_back(file)
    z = np.ravel(found["/signals/com/z", "Scalars:scalars"])
    assert np.array_equal(z, run["com"].values[:, 2])
    assert found["/signals/com/z", "SeriesLines:names"] == [["com z [m]"]]
    times = [stamp.total_seconds() for stamp in found["/signals/com/z", "time"]]
    assert times == pytest.approx(run["time"].values, abs=1e-6)
    moved = np.squeeze(found["/world/cube/cube", "Transform3D:translation"])
    assert moved[-1] == pytest.approx(run["com"].values[-1], abs=1e-6)  # of float32
    meshes = [key for key in found if key[1] == "Mesh3D:vertex_positions"]
    parents = sorted(path.rpartition("/")[0] for path, _ in meshes)
    assert parents == ["/world", "/world/cube/cube"]  # the ground, and the cube
    forces = found["/world/contact_forces", "Arrows3D:vectors"]
    counts = [len(row or []) for row in forces if row != [[240, 82, 10]]]
    assert (min(counts), max(counts)) == (0, 4)


@pytest.mark.parametrize(
    ("kind", "size", "volume"),
    [
        ("box", (1.0, 2.0, 3.0), 6.0),
        ("sphere", (2.0,), 4.0 / 3.0 * np.pi * 8.0),
        ("cylinder", (2.0, 3.0), np.pi * 12.0),
        ("capsule", (1.0, 3.0), np.pi * (3.0 + 4.0 / 3.0)),
    ],
)
def test_shapes_are_closed_surfaces_that_look_outwards(kind, size, volume):
    corners = triangles_of(Shape(kind, size))
    inside = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    # A polygon of 32 sides lacks 0.6 % of its circle, 12 parts of a quarter 0.7 % more.
    assert inside == pytest.approx(volume, rel=1e-12 if kind == "box" else 0.015)
    assert inside <= volume * (1.0 + 1e-12)


def test_an_arrow_points_along_its_force():
    rng = np.random.default_rng(1)
    directions = [*np.eye(3), *-np.eye(3), *rng.normal(size=(20, 3))]
    for direction in directions:
        unit = direction / np.linalg.norm(direction)
        x, y, z, w = turn_from_x(unit)
        assert x * x + y * y + z * z + w * w == pytest.approx(1.0)
        turned = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        assert turned == pytest.approx(unit.tolist(), abs=1e-6)


@needs_rerun
def test_the_visualizer_rerun_writes_the_run_as_it_goes(tmp_path):
    file, run = tmp_path / "live.rrd", tmp_path / "live.zarr"
    settings = {
        "visualizer.plugin": "rerun",
        "visualizer.file": str(file),
    }
    sim = footfall.load("cube/drop", settings)
    sim.record(0.6, run)
    sim.participants.visualizer.close()
    found, rows = read_back(file), open_run(run)
    times = np.array(
        [t.total_seconds() for t in found["/world/cube/cube", "time"] if t is not None]
    )
    shown = rows.isel(time=np.searchsorted(rows["time"].values, times - 1e-6))
    height = shown["com"].values[:, 2]
    assert len(times) == 30  # 50 a second
    assert times == pytest.approx(shown["time"].values, abs=1e-6)
    moved = [at[0] for at in found["/world/cube/cube", "Transform3D:translation"] if at]
    assert np.array(moved) == pytest.approx(shown["com"].values, abs=1e-6)  # of float32
    assert found["/signals/com/z", "SeriesLines:names"][0] == ["com z [m]"]
    assert np.ravel(found["/signals/com/z", "Scalars:scalars"]).tolist() == height.tolist()
    sizes = np.linalg.norm(shown["contact_force"].values, axis=2).sum(axis=1)
    total = np.ravel(found["/signals/contact_force", "Scalars:scalars"])
    assert total == pytest.approx(sizes, rel=1e-12)
    assert total[-1] > 1.0
    meshes = {path for path, name in found if name == "Mesh3D:vertex_positions"}
    assert {path.rpartition("/")[0] for path in meshes} == {"/world", "/world/cube/cube"}
    forces = [row for row in found["/world/contact_forces", "Arrows3D:vectors"] if row]
    assert max(len(row) for row in forces) == 4


@needs_rerun
def test_the_visualizer_rerun_tells_what_it_cannot_do(tmp_path, capsys):
    file = tmp_path / "there.rrd"
    file.write_bytes(b"mine")
    base = {"visualizer.plugin": "rerun"}
    sim = footfall.load("cube/drop", {**base, "visualizer.file": str(file)})
    with pytest.raises(FootfallError, match=r"there\.rrd exists: .*overwrite = true"):
        sim.record(0.01)
    assert file.read_bytes() == b"mine"
    sim = footfall.load("cube/drop", {**base, "visualizer.file": str(tmp_path / "no" / "a.rrd")})
    with pytest.raises(FootfallError, match="cannot be written: No such file"):
        sim.record(0.01)
    for key, value, says in (
        ("file", "run.txt", "must end in .rrd"),
        ("address", "127.0.0.1:9876", "must be like rerun"),
    ):
        with pytest.raises(FootfallError, match=says):
            footfall.load("cube/drop", {**base, f"visualizer.{key}": value})
    sim = footfall.load(
        "cube/drop", {**base, "visualizer.address": "rerun+http://127.0.0.1:9/proxy"}
    )
    sim.record(0.01)
    sim.participants.visualizer.close()
    assert "no viewer listens at rerun+http://127.0.0.1:9/proxy" in capsys.readouterr().err


def test_what_is_no_recording_is_told(tmp_path, capsys):
    for name in ("csv", "mcap", "rrd"):
        assert not exported(tmp_path / "no.zarr", tmp_path / f"run.{name}")
        assert "error:" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
