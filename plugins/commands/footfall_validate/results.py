"""Results on measurements and problems of others: files of data, means, tables beside others."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import read_arrays
from footfall.api.plugin import Floats, FootfallError
from footfall_validate.circumstances import table
from footfall_validate.options import print_columns


class DataError(FootfallError):
    """Reference data is missing or invalid."""


@dataclass(frozen=True, slots=True)
class Table:
    """Results beside those of others.

    Attributes:
        title: what was measured.
        told: how, in a few sentences.
        header: names of the columns.
        rows: cells of each row.
        notes: lines below the table: values that were fitted, reasons of rows without figures.
    """

    title: str
    told: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def print(self) -> None:
        """Print the table and its notes."""
        print_columns(self.header, self.rows)
        for note in self.notes:
            print(note)

    def markdown(self) -> str:
        """Return the table and its notes as Markdown."""
        return table(self.header, self.rows) + "".join(f"\n- {note}" for note in self.notes)


def read_data(path: Path, what: str) -> dict[str, npt.NDArray[Any]]:
    """Read a file of arrays.

    Args:
        path: the file.
        what: content of its folder, for the message.

    Raises:
        DataError: if the file is missing or damaged.
    """
    if not path.is_file():
        raise DataError(f"{path.parent} has no {path.name}: give the folder that holds {what}")
    try:
        return dict(read_arrays(path))
    except (OSError, EOFError, ValueError, TypeError, BadZipFile) as error:
        raise DataError(f"{path} is not a whole file of arrays (.npz)") from error


def notes_of(notes: dict[str, str]) -> list[str]:
    """Return a line for each score with a note, e.g. the reason why it is missing, by name."""
    return [f"{who}: {note}" for who, note in notes.items() if note]


def standard_error(values: Floats) -> Floats:
    """Return the standard errors of the means over independent rows; NaN of one row."""
    n = len(values)
    found: Floats = values.std(axis=0, ddof=min(1, n - 1)) / np.sqrt(n if n > 1 else np.nan)
    return found


def mean_cells(values: Floats) -> list[str]:
    """Return the mean of each column and its standard error as text, in turn."""
    pairs = np.column_stack([values.mean(axis=0), standard_error(values)]).ravel()
    return [f"{round(x, 6):.3g}" if x == x else "" for x in pairs]
