"""A layer of a comparison: one quantity in two simulators."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.plugin import Floats


@dataclass(frozen=True, slots=True)
class Layer:
    """A quantity in both simulators.

    Attributes:
        name: name of the quantity.
        units: units of the difference.
        difference: largest difference of all entries; inf if only one simulator has an entry.
        allowed: tolerance up to which both count as equal.
        where: the entry with the largest difference, and its values.
    """

    name: str
    units: str
    difference: float
    allowed: float
    where: str = ""

    @property
    def agrees(self) -> bool:
        """True if the difference is within the tolerance."""
        return bool(self.difference <= self.allowed)


def layer(
    name: str,
    units: str,
    labels: Sequence[str],
    ours: Floats,
    theirs: Floats,
    *,
    relative: float = 1e-8,
    absolute: float = 1e-10,
) -> Layer:
    """Compare two arrays with a labelled first axis.

    The tolerance of a row is ``relative * max(a, 1e-3 b) + absolute``, where a is Footfall's
    largest entry in the row and b the largest in all rows.
    """
    if not labels:
        return Layer(name, units, 0.0, absolute)
    ours, theirs = (np.asarray(a, float).reshape(len(labels), -1) for a in (ours, theirs))
    both_far = ~np.isfinite(ours) & ~np.isfinite(theirs)
    with np.errstate(invalid="ignore"):
        away = np.where(both_far, 0.0, abs(ours - theirs))
    away[np.isnan(away)] = np.inf
    size = np.where(np.isfinite(ours), abs(ours), 0.0)
    allowed = np.maximum(size.max(axis=1), 1e-3 * size.max(initial=0.0)) * relative + absolute
    excess = away.max(axis=1) / allowed
    row = int(np.argmax(excess))
    column = int(np.argmax(away[row]))
    where = f"{labels[row]}: {ours[row, column]:.6g} here, {theirs[row, column]:.6g} there"
    return Layer(name, units, float(away[row, column]), float(allowed[row]), where)


def sets(name: str, ours: Collection[str], theirs: Collection[str]) -> Layer:
    """Compare two sets of names; the difference is the number of names in only one of them."""
    here, there = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
    sides = ("only here", here), ("only there", there)
    told = [f"{what}: {', '.join(found[:3])}" for what, found in sides if found]
    return Layer(name, "names", float(len(here) + len(there)), 0.0, "; ".join(told))


Table = Mapping[Any, Any]


def entries(name: str, ours: Table, theirs: Table, shared: bool = False) -> Layer:
    """Compare two tables of numbers, arrays or words; the difference is the number of entries.

    Numbers are the same to 1e-6 of their size, or 1e-9. With ``shared`` only the entries of both
    tables are compared.
    """
    keys = [k for k in {**ours, **theirs} if not shared or (k in ours and k in theirs)]
    found = [k for k in keys if not _same(ours.get(k), theirs.get(k))]
    if not found:
        return Layer(name, "entries", 0.0, 0.0)
    one: Any = ours.get(found[0])
    two: Any = theirs.get(found[0])
    at = ""
    if np.shape(one) == np.shape(two) and np.size(one) > 4:
        one, two = np.ravel(one), np.ravel(two)
        k = next(k for k in range(len(one)) if not _same(one[k], two[k]))
        one, two, at = one[k], two[k], f"[{k}]"
    more = f" ({len(found)} entries differ)" if len(found) > 1 else ""
    told = f"{found[0]}{at}: {_words(one)} here, {_words(two)} there{more}"
    return Layer(name, "entries", float(len(found)), 0.0, told)


def _same(one: Any, two: Any) -> bool:
    try:
        alike = np.shape(one) == np.shape(two)
        return alike and np.allclose(one, two, rtol=1e-6, atol=1e-9, equal_nan=True)
    except TypeError:
        return bool(one == two)


def _words(value: Any) -> str:
    flat = np.ravel(value).tolist()
    if len(flat) > 6:
        return f"{len(flat)} values"
    return " ".join(f"{x:.6g}" if isinstance(x, float) else str(x).lower() for x in flat)
