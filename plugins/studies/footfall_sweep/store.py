"""The store of a sweep: a finished run counts once it is on the disk."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np

from footfall.api.plugin import Floats1, RecordingError
from footfall_sweep.task import FIGURES, STORE, LastState, Outcome, differing

RESULTS, FAILURES, RECORDINGS = "results.zarr", "failures.csv", "recordings"
NEW, OLD = f"{RESULTS}.new", f"{RESULTS}.old"
"""Names of results being written, and of the results that they replace."""
ENTRIES = (STORE, f"{STORE}-journal", RESULTS, NEW, OLD, FAILURES, RECORDINGS)
"""Names of all entries that a sweep writes in its folder."""
WRITTEN = "results"
"""Name of the mark that results hold all stored runs; storing another run removes it."""
_COLUMNS = ", ".join(f'"{name}" REAL' for name in FIGURES)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS plan (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS labels (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, ending TEXT NOT NULL, error TEXT NOT NULL, {_COLUMNS},
    labels INTEGER, time REAL, q BLOB, v BLOB
);
"""
_NUMBERS = " AND ".join(f"typeof(\"{name}\") IN ('real', 'null')" for name in FIGURES)
_DAMAGED = f"""
SELECT number FROM runs LEFT JOIN labels ON id = labels WHERE (
    number BETWEEN 0 AND ? AND ending IN ('complete', 'refused', 'failed')
    AND typeof(error) = 'text' AND {_NUMBERS} AND typeof(time) IN ('real', 'null')
    AND (labels IS NULL OR typeof(q) = 'blob' AND typeof(v) = 'blob' AND json_valid(names)
        AND json_type(names, '$[0]') = 'array' AND json_type(names, '$[1]') = 'array'
        AND length(q) = 8 * json_array_length(names, '$[0]')
        AND length(v) = 8 * json_array_length(names, '$[1]'))
) IS NOT TRUE LIMIT 1
"""
"""Rows that no sweep of so many runs less one writes."""


class Store:
    """The runs of a sweep in one SQLite database in its folder.

    A run counts once ``add`` has returned: it is then written and synchronized with the disk, and a
    later kill does not lose it. Only one process at a time can use the folder.
    """

    def __init__(self, folder: Path, plan: Mapping[str, Any], runs: int = 2**62) -> None:
        """Claim a folder: a new one, or one of the same sweep.

        Args:
            folder: created if missing.
            plan: identity of the sweep by name: anything with a JSON form.
            runs: number of its runs.

        Raises:
            RecordingError: if the folder holds something else, another sweep or damaged runs, is
                used by another process, or cannot be written.
        """
        self.folder = folder
        path = folder / STORE
        holds_other = not folder.is_dir() or (not path.is_file() and any(folder.iterdir()))
        if folder.exists() and holds_other:
            raise RecordingError(f"{folder} exists and holds no sweep: choose another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=0.5, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise RecordingError(f"{folder} cannot be used: {_words(error)}") from error
        try:
            self._claim(plan, runs)
        except BaseException:
            self._base.close()
            raise

    def _claim(self, plan: Mapping[str, Any], runs: int) -> None:
        with self._one_error():
            self._base.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.execute("BEGIN EXCLUSIVE")
            for statement in _TABLES.split(";"):
                self._base.execute(statement)
            there = dict(self._base.execute("SELECT name, value FROM plan"))
            if there:
                self._refuse_other({name: _decoded(value) for name, value in there.items()}, plan)
            else:
                rows = [(name, json.dumps(value, default=str)) for name, value in plan.items()]
                self._base.executemany("INSERT INTO plan VALUES (?, ?)", rows)
            damaged = self._base.execute(_DAMAGED, (runs - 1,)).fetchone()
            if damaged:
                told = f"{self.folder} is damaged: run {damaged[0]} is not what was stored"
                raise RecordingError(f"{told}: replace it (--overwrite)")
            self._base.execute("COMMIT")

    def _refuse_other(self, there: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
        for name, value in plan.items():
            here = json.loads(json.dumps(value, default=str))
            if there.get(name) == here:
                continue
            if name == "versions" and isinstance(there.get(name), dict):
                why = f"was started with {differing(there[name], here)}"
            elif name in ("digest", "robots"):
                why = "was started before the files of the scene or its robots changed"
            else:
                old, new = _short(there.get(name)), _short(here)
                why = f"holds another sweep: its {name} is {old}, not {new}"
            raise RecordingError(
                f"{self.folder} {why}: choose another folder, or replace it (--overwrite)"
            )

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Store runs; they are on the disk when this returns.

        Raises:
            RecordingError: if they cannot be written; runs stored before stay.
        """
        marks = ", ".join("?" * (len(FIGURES) + 7))
        with self._one_error():
            self._base.execute("BEGIN")
            self._base.execute("DELETE FROM plan WHERE name = ?", (WRITTEN,))
            for outcome in outcomes:
                row = self._row(outcome)
                self._base.execute(f"INSERT OR REPLACE INTO runs VALUES ({marks})", row)
            self._base.execute("COMMIT")

    def _row(self, outcome: Outcome) -> tuple[Any, ...]:
        numbers = [outcome.figures.get(name) for name in FIGURES]
        state: tuple[Any, ...] = (None, None, None, None)
        if outcome.state is not None:
            last = outcome.state
            state = (self._labels(last), last.time, last.q.tobytes(), last.v.tobytes())
        return (outcome.number, outcome.ending, outcome.error, *numbers, *state)

    def _labels(self, state: LastState) -> int:
        """Return the number of the labels of a state; most runs share them."""
        names = json.dumps([state.positions, state.velocities])
        self._base.execute("INSERT OR IGNORE INTO labels (names) VALUES (?)", (names,))
        found = self._base.execute("SELECT id FROM labels WHERE names = ?", (names,)).fetchone()
        return int(found[0])

    def forget_failures(self) -> None:
        """Delete every run that is not complete, so that it is repeated."""
        with self._one_error():
            self._base.execute("BEGIN")
            self._base.execute("DELETE FROM plan WHERE name = ?", (WRITTEN,))
            self._base.execute("DELETE FROM runs WHERE ending != 'complete'")
            self._base.execute("COMMIT")

    def note_results(self) -> None:
        """Mark the results on the disk as complete for all stored runs."""
        with self._one_error():
            self._base.execute("INSERT OR REPLACE INTO plan VALUES (?, 'true')", (WRITTEN,))

    def has_results(self) -> bool:
        """Return whether the results on the disk hold all stored runs."""
        noted = self._base.execute("SELECT 1 FROM plan WHERE name = ?", (WRITTEN,)).fetchone()
        return noted is not None and (self.folder / RESULTS).is_dir()

    def missing(self, runs: int) -> Iterator[int]:
        """Yield the numbers of the runs that are not stored.

        Args:
            runs: total number of runs.
        """
        done = np.zeros(runs, dtype=bool)
        for (number,) in self._base.execute("SELECT number FROM runs"):
            done[number] = True
        yield from (int(number) for number in np.flatnonzero(~done))

    def counts(self) -> dict[str, int]:
        """Return the number of runs by ending."""
        return dict(self._base.execute("SELECT ending, COUNT(*) FROM runs GROUP BY ending"))

    def failures(self, most: int = -1) -> Iterator[tuple[int, str, str]]:
        """Yield number, ending and error of the runs that are not complete, by number.

        Args:
            most: most runs to yield; negative: all.
        """
        chosen = "SELECT number, ending, error FROM runs WHERE ending != 'complete'"
        yield from self._base.execute(f"{chosen} ORDER BY number LIMIT ?", (most,))

    def figure(self, name: str, runs: int) -> Floats1:
        """Return a figure of every run, shape (runs,), NaN if unknown."""
        column: Floats1 = np.full(runs, np.nan)
        for number, value in self._base.execute(f'SELECT number, "{name}" FROM runs'):
            column[number] = np.nan if value is None else value
        return column

    def endings(self) -> Iterator[tuple[int, str]]:
        """Yield number and ending of every stored run."""
        yield from self._base.execute("SELECT number, ending FROM runs")

    def labels(self) -> dict[int, tuple[list[str], list[str]]]:
        """Return labels of positions and velocities, by number of the labels."""
        rows = self._base.execute("SELECT id, names FROM labels ORDER BY id")
        found = {number: json.loads(names) for number, names in rows}
        return {n: ([*map(str, q)], [*map(str, v)]) for n, (q, v, *_) in found.items()}

    def states(self, column: str) -> Iterator[tuple[int, int, Floats1]]:
        """Yield run number, number of labels, and ``q`` or ``v`` of each run with a last state."""
        chosen = f"SELECT number, labels, {column} FROM runs WHERE labels IS NOT NULL"
        for number, labels, blob in self._base.execute(chosen):
            yield number, labels, np.frombuffer(blob)

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if "locked" in str(error):
                raise RecordingError(f"another process uses the sweep in {self.folder}") from error
            raise unwritable(self.folder, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._base.close()


def unwritable(folder: Path, error: Exception) -> RecordingError:
    """Return the error for a folder that cannot be written, e.g. because the disk is full."""
    return RecordingError(
        f"{folder}: cannot write: {_words(error)}; stored runs are kept: start the same sweep "
        "again to continue"
    )


def replaceable(folder: Path) -> bool:
    """Return whether a folder exists that a sweep may replace.

    Raises:
        RecordingError: if the folder holds anything but a sweep.
    """
    if not folder.exists():
        return False
    unfinished = {path.name for path in folder.glob(".footfall-*.new")}
    names = {path.name for path in folder.iterdir()}
    others = sorted(names - {*ENTRIES} - unfinished)
    if others or not (folder / STORE).is_file():
        what = f"{others[0]!r}, which is not part of a sweep" if others else "no sweep"
        raise RecordingError(f"{folder} holds {what}, so it is not overwritten")
    return True


def remove_sweep(folder: Path) -> None:
    """Delete the sweep in a folder, and nothing else.

    Raises:
        RecordingError: if the folder holds anything else, or cannot be deleted.
    """
    if not replaceable(folder):
        return
    try:
        for entry in (*folder.glob(".footfall-*.new"), *(folder / n for n in reversed(ENTRIES))):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
    except OSError as error:
        raise RecordingError(f"{folder} cannot be used: {_words(error)}") from error


def _decoded(value: Any) -> Any:
    """Return an entry of a stored plan; None if it is damaged."""
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
