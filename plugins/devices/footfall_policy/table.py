"""The table of a trial: one row for each law and simulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from footfall_policy.trial import APART, Row


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Return heads and cells without empty columns; a mean over the starts has its deviation."""
    success, first, off = next((row for row in rows if not row.reason), rows[0]).judge.heads
    heads = ["", success, first, "distance [m]", "x [m]", "y [m]", off, "apart [s]"]
    lines = [heads, *(cells(row) for row in rows)]
    kept = [k for k in range(len(heads)) if any(line[k] for line in lines[1:])]
    return [[line[k] for k in kept] for line in lines]


def cells(row: Row) -> list[str]:
    """Return the cells of a row."""
    if row.reason:
        return [row.title, "-", *([""] * 6)]
    falls = [sample.fall for sample in row.samples if sample.fall is not None]
    ends = np.array([sample.end for sample in row.samples])
    apart = row.parting
    return [
        row.title,
        f"{len(row.samples) - len(falls)} of {len(row.samples)}",
        f"{min(falls):.2f}" if falls else "",
        _spread([sample.distance for sample in row.samples]),
        _spread(ends[:, 0]),
        _spread(ends[:, 1]),
        _spread([sample.error for sample in row.samples]),
        "" if apart is None else "never" if apart.time is None else f"{apart.time:.2f}",
    ]


def _spread(numbers: Sequence[float] | np.ndarray) -> str:
    found = np.array(numbers, float)
    found = found[np.isfinite(found)]
    if not len(found):
        return ""
    return f"{found.mean():.2f}" + (f" ± {found.std(ddof=1):.2f}" if len(found) > 1 else "")


def notes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield reasons of rows that did not run, layers that part the others, and the judgement."""
    for row in rows:
        if row.reason:
            yield f"{row.title}: {row.reason}"
        elif row.parting is not None:
            where = f" ({row.parting.where})" if row.parting.where else ""
            yield f"{row.title}: first layer that differs: {row.parting.layer}{where}"
            if row.parting.start:
                yield f"{row.title}: differs at the start as well ({row.parting.start})"
    if any(row.parting for row in rows):
        yield f"apart: first time with {APART:g} m or rad from a base or joint to the first row's"
    yield from dict.fromkeys(row.judge.told for row in rows if not row.reason)


def text(rows: Sequence[Row]) -> str:
    """Return the table and its notes."""
    lines = table(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    first, *rest = widths
    told = [
        "  ".join([x[0].ljust(first), *(c.rjust(w) for c, w in zip(x[1:], rest, strict=True))])
        for x in lines
    ]
    return "\n".join([*told, *notes(rows)])
