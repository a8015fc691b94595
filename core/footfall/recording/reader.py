"""The reader of recordings, finished or not, with one segment or several.

A recording has several segments if an object was added or removed, or the run was restarted. The
first is at the path of the recording, and is a whole recording for readers that do not know
segments. The others are recordings in its folder ``segments``.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import RecordingError, error_line, nearest
from footfall.recording.destination import SEGMENTS
from footfall.recording.root_document import FORMAT, ROOT, recorded_attributes
from footfall.recording.stored_array import TEXT, array_bytes
from footfall.recording.variables import OF_JOINTS
from footfall.whole_file import open_file, path_of, read_file

if TYPE_CHECKING:
    import xarray as xr


def open_run(path: str | os.PathLike[str]) -> xr.Dataset:
    """Open a recording with its committed rows; values are loaded at first use.

    Row k is the state at ``time[k]``; accelerations, forces and impulses act from then to
    ``time[k + 1]``. ``joint_position``, ``joint_velocity`` and ``joint_torque`` are the joints'
    entries of ``q``, ``v`` and ``tau``, so that ``run.sel(joint="knee")`` works. The attribute
    ``recording_closed`` is 0 if the run was killed or is still running.

    Values are compared with their checksums when they are loaded; a wrong checksum raises a
    ``RecordingError`` that names array and chunk.

    Raises:
        RecordingError: if there is no recording at the path, a newer Footfall wrote it, or it is
            damaged.
    """
    where = path_of(path)
    check_recording(where)
    import xarray as xr

    from footfall.recording.checked_files import CheckedFiles

    try:
        content = read_file(where / ROOT)
        files = CheckedFiles(where, content)
        _check_files(where, json.loads(content)["consolidated_metadata"]["metadata"])
        run = xr.open_zarr(files, chunks=None, consolidated=True, decode_times=False)
        for name in ("checksum", "checksums"):
            run.attrs.pop(name, None)
        run.encoding["source"] = str(where)  # as xarray does when it opens a path itself
        return _with_joints(run)
    except RecordingError:
        raise
    except Exception as error:  # a damaged header can raise any exception
        raise RecordingError(f"{where}: the recording is damaged: {error_line(error)}") from error


def _check_files(where: Path, arrays: Mapping[str, Any]) -> None:
    """Check that regular files hold all committed rows, before they are read.

    The count at the start of each list of names is checked, since memory is allocated for it.

    Args:
        where: path of the recording.
        arrays: descriptions of its arrays, checked.

    Raises:
        ValueError: names the first file that is missing or has another size or count.
    """
    for name, array in arrays.items():
        shape, chunk = array["shape"], array["chunk_grid"]["configuration"]["chunk_shape"]
        if array["data_type"] == TEXT:
            with open_file(where / name / "c.0") as file:
                count = int.from_bytes(file.read(4), "little")
            if count != shape[0]:
                raise ValueError(f"{name}/c.0 says {count} names, expected {shape[0]}")
            continue
        size = array_bytes(chunk, array["data_type"])
        for k in range(-(-shape[0] // chunk[0]) if math.prod(shape) else 0):
            chunk_file = where / name / ".".join(["c", str(k), *("0" for _ in chunk[1:])])
            found = chunk_file.stat().st_size if chunk_file.is_file() else 0
            if found != size:
                raise ValueError(f"{chunk_file.relative_to(where)} has {found} bytes of {size}")


def table_rows(run: xr.Dataset, table: str, index: int) -> xr.Dataset:
    """Return the rows of a ragged table that belong to time row ``index``.

    Raises:
        RecordingError: if there is no such table.
    """
    if f"{table}_start" not in run:
        tables = [str(name)[:-6] for name in run if str(name).endswith("_start")]
        raise RecordingError(f"no ragged table {table!r} in the recording{nearest(table, tables)}")
    dim = f"{table}_row"
    bounds = [*run[f"{table}_start"][index:][:2].values.tolist(), run.sizes[dim]]
    if index == -1:
        bounds = [bounds[0], run.sizes[dim]]
    columns = [name for name in run.data_vars if dim in run[name].dims]
    return run[columns].isel({dim: slice(bounds[0], bounds[1])})


def check_recording(path: Path) -> None:
    """Check that this Footfall can read the recording at a path.

    Raises:
        RecordingError: if it cannot; gives the reason.
    """
    if not path.exists():
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise RecordingError(f"{path}: no such recording{nearest(path.name, siblings)}")
    attributes = recorded_attributes(path)
    if attributes is None:
        raise RecordingError(f"{path}: is not a Footfall recording")
    if not 1 <= attributes["footfall_format"] <= FORMAT:
        raise RecordingError(
            f"{path}: has recording format {attributes['footfall_format']}; this Footfall reads "
            f"1 to {FORMAT}: upgrade Footfall to open it"
        )
    if "recording_closed" not in attributes:
        raise RecordingError(f"{path}: the run ended before its recording began")


def _with_joints(run: xr.Dataset) -> xr.Dataset:
    """Add the joints' part of q, v and tau, if they were recorded."""
    if "joint" not in run.coords:
        return run
    joints, parts = run.indexes["joint"], {}
    for name, (source, dim, long_name, units) in OF_JOINTS.items():
        if source in run and dim in run.indexes:
            where = run.indexes[dim].get_indexer(joints)
            if (where >= 0).all():
                parts[name] = part = run.variables[source].isel({dim: where})
                part.dims = tuple("joint" if one == dim else one for one in part.dims)
                part.attrs = {"units": units, "long_name": long_name}
    return run.assign(parts)


def next_segment(root: Path, number: int) -> Path:
    """Return the path of segment ``number`` of a recording; 0 is the recording itself."""
    return root / SEGMENTS / str(number) if number else root


def segment_paths(path: str | os.PathLike[str]) -> list[Path]:
    """Return the paths of a recording's segments in the order of time; each can be opened alone.

    Raises:
        RecordingError: if there is no recording at the path.
    """
    root = path_of(path)
    check_recording(root)
    folder = root / SEGMENTS
    entries = folder.iterdir() if folder.is_dir() else iter(())
    numbers = sorted(int(entry.name) for entry in entries if entry.name.isdecimal())
    return [root, *(p for p in (next_segment(root, n) for n in numbers) if _has_begun(p))]


def _has_begun(segment: Path) -> bool:
    """Return whether a segment has begun; true if it cannot be read, so that opening it raises."""
    attributes = recorded_attributes(segment)
    return (segment / ROOT).exists() if attributes is None else "recording_closed" in attributes


def open_segments(path: str | os.PathLike[str]) -> list[xr.Dataset]:
    """Open all segments of a recording by ``open_run``, in the order of time.

    A run has one segment unless an object was added or removed, or the run was restarted. The
    attributes ``began_by`` and ``ended_by`` name the event between two segments. Bodies, joints
    and contacts differ from one segment to the next, and so do the sizes of arrays.

    Raises:
        RecordingError: if there is no recording at the path, or a newer Footfall wrote it.
    """
    return [open_run(segment) for segment in segment_paths(path)]
