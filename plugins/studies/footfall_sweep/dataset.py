"""The results of a sweep as one xarray Dataset on Zarr, written from its store."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.command import write_whole
from footfall.api.plugin import RecordingError, error_line
from footfall_sweep.grid import Grid, value_text
from footfall_sweep.store import FAILURES, NEW, OLD, RESULTS, Store, unwritable
from footfall_sweep.task import FIGURES, UNITS, Brief, recording_name

if TYPE_CHECKING:
    import xarray as xr

ENDINGS = ("missing", "complete", "refused", "failed")
"""Meanings of ``ending``, by its number."""


AT_ONCE = 64 * 2**20
"""Size of the values that are written together, [byte]."""


def open_results(folder: Path) -> xr.Dataset:
    """Open the results of a sweep; values are loaded and checked on use.

    Raises:
        RecordingError: if the folder holds no results, or they are damaged.
    """
    import xarray as xr

    path = folder / RESULTS
    if not path.is_dir():
        raise RecordingError(f"{folder} holds no results of a sweep")
    odd = next((file for file in path.rglob("*") if not (file.is_file() or file.is_dir())), None)
    if odd is not None:
        raise RecordingError(f"{odd} is not a file")
    try:
        found: xr.Dataset = xr.open_zarr(path, chunks=None, consolidated=True, decode_times=False)
    except Exception as error:  # a damaged header can raise any exception
        raise RecordingError(f"{path} is damaged: {error_line(error)}") from error
    return found


def write_results(grid: Grid, brief: Brief, store: Store) -> Path:
    """Write the results of all stored runs, and replace older results when that is done.

    Footfall synchronizes the new results with the disk before it renames them. A kill between the
    two renames leaves only the old results, under another name; start the same sweep again to write
    them anew. Memory holds about one variable at a time.

    Returns:
        The path of the Zarr group.

    Raises:
        RecordingError: if the results cannot be written.
    """
    path, new, old = (store.folder / name for name in (RESULTS, NEW, OLD))
    try:
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)
        _write(new, grid, brief, store)
        _synchronize(new)
        if path.exists():
            os.rename(path, old)
        os.rename(new, path)
        _write_failures(store.folder / FAILURES, grid, store)
        store.note_results()
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise unwritable(store.folder, error) from error
    return path


def _synchronize(folder: Path) -> None:
    """Synchronize a folder and all its files with the disk.

    Raises:
        OSError: if that fails.
    """
    for entry in (*folder.rglob("*"), folder, folder.parent):
        handle = os.open(entry, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write(path: Path, grid: Grid, brief: Brief, store: Store) -> None:
    names, runs, group = _dimensions(grid), grid.runs, _Group(path)
    first = _coordinates(grid, names).assign_attrs(
        scene=brief.scene,
        keys=[axis.key for axis in grid.axes],
        overrides=json.dumps(brief.overrides, default=str),
        keep=brief.keep,
        versions=json.dumps(brief.versions),
    )
    group.add(first)

    def put(name: str, values: Any, **attributes: Any) -> None:
        group.add(_variable(grid, names, name, values, attributes))

    endings, errors = np.zeros(runs, dtype=np.int8), np.full(runs, "", dtype=object)
    for number, ending in store.endings():
        endings[number] = ENDINGS.index(ending)
    for number, _, error in store.failures():
        errors[number] = error
    flags = {"flag_values": list(range(len(ENDINGS))), "flag_meanings": " ".join(ENDINGS)}
    put("ending", endings, long_name="outcome of the run", **flags)
    put("error", errors, long_name="reason why the run is not complete")
    for name in FIGURES:
        long_name = f"{name} of the run's report"
        put(name, store.figure(name, runs), units=UNITS.get(name, "1"), long_name=long_name)
    if brief.keep != "summary":
        _put_states(group, grid, names, store)
    if brief.keep == "recordings":
        paths = np.array([recording_name(number) for number in range(runs)], dtype=object)
        put("recording", paths, long_name="path of the recording in the folder of the sweep")
    group.close()


def _dimensions(grid: Grid) -> tuple[str, ...]:
    """Return the names of the dimensions: the whole key if a variable has the short name."""
    taken = {*FIGURES, "ending", "error", "recording", "time", "q", "v", "position", "velocity"}
    return tuple(
        axis.key if name in taken else name
        for name, axis in zip(grid.names, grid.axes, strict=True)
    )


def _coordinates(grid: Grid, names: tuple[str, ...]) -> xr.Dataset:
    import xarray as xr

    coords = {}
    for name, axis in zip(names, grid.axes, strict=True):
        values = list(axis.values)
        is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        is_bool = all(isinstance(v, bool) for v in values)
        listed = np.array(
            values if is_number or is_bool else [value_text(value) for value in values],
            dtype=None if is_number or is_bool else object,
        )
        coords[name] = (name, listed, {"key": axis.key})
    return xr.Dataset(coords=coords)


def _variable(
    grid: Grid, names: tuple[str, ...], name: str, values: Any, attributes: Mapping[str, Any]
) -> xr.Dataset:
    import xarray as xr

    return xr.Dataset({name: (names, values.reshape(grid.shape), dict(attributes))})


def _put_states(group: _Group, grid: Grid, names: tuple[str, ...], store: Store) -> None:
    """Write the last states by label; NaN for labels that a run does not have."""
    import xarray as xr

    runs = grid.runs
    time = {"units": "s", "long_name": "simulated time at the end of the run"}
    group.add(_variable(grid, names, "time", store.figure("time", runs), time))
    of_labels = store.labels()
    for which, (column, dimension, units) in enumerate(
        (("q", "position", "m, 1 or rad"), ("v", "velocity", "m/s or rad/s"))
    ):
        every = list(dict.fromkeys(name for labels in of_labels.values() for name in labels[which]))
        place = {name: i for i, name in enumerate(every)}
        columns = {
            number: np.array([place[name] for name in labels[which]], dtype=np.intp)
            for number, labels in of_labels.items()
        }
        table = np.full((runs, len(every)), np.nan)
        for number, labels, values in store.states(column):
            table[number, columns[labels]] = values
        attributes = {"units": units, "long_name": f"{column} at the end of the run"}
        shaped = table.reshape(*grid.shape, len(every))
        coords = {dimension: (dimension, np.array(every, dtype=object))}
        data = {column: ((*names, dimension), shaped, attributes)}
        group.add(xr.Dataset(data, coords))


class _Group:
    """A Zarr group that takes variables in few writes; chunks have checksums."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts: list[xr.Dataset] = []

    def add(self, part: xr.Dataset) -> None:
        """Add variables; write the collected ones if they are large."""
        self._parts.append(part)
        if sum(held.nbytes for held in self._parts) > AT_ONCE:
            self._flush()

    def close(self) -> None:
        """Write the rest, and all metadata in one place, for xarray."""
        import zarr

        self._flush()
        with _unwarned():
            zarr.consolidate_metadata(str(self._path))

    def _flush(self) -> None:
        import xarray as xr
        from zarr.codecs import Crc32cCodec, ZstdCodec

        with _unwarned():
            whole = xr.merge(self._parts, combine_attrs="no_conflicts", join="exact")
            checked = {"compressors": (ZstdCodec(level=0), Crc32cCodec())}
            encoding = dict.fromkeys(whole.variables, checked)
            whole.to_zarr(self._path, mode="a", consolidated=False, encoding=encoding)
        self._parts.clear()


@contextmanager
def _unwarned() -> Iterator[None]:
    """Ignore Zarr's warnings about features that its version 3 standard does not have yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(specification|Consolidated).*")
        yield


def _write_failures(path: Path, grid: Grid, store: Store) -> None:
    """Write a table with one line for each run that is not complete."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(["run", *(axis.key for axis in grid.axes), "ending", "error"])
    for number, ending, error in store.failures():
        values = [value_text(value) for value in grid.values(number).values()]
        table.writerow([number, *values, ending, error])
    write_whole(path, text.getvalue())
