"""What of a world can touch what: shapes on links, and what finds their contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class FoundContacts(Protocol):
    """Contacts that a detector has found: the first n rows of its arrays, by key ascending.

    Attributes:
        n: their number.
        key: of ``footfall.world.key``, unique.
        geometry_a, geometry_b: numbers of the shapes; a is the fixed one if one is.
        link_a, link_b: global links, -1 for what is fixed.
        position: shape (n, 3), midpoint of the two nearest points, world, [m].
        normal: shape (n, 3), unit, world, from a to b.
        gap: [m], negative where the shapes penetrate.
    """

    n: int
    key: Ints
    geometry_a: Ints
    geometry_b: Ints
    link_a: Ints
    link_b: Ints
    position: Floats
    normal: Floats
    gap: Floats


class ContactDetector(Protocol):
    """Finds contacts: a function of the links' poses alone."""

    def detect(self, poses: Floats) -> Any:
        """Return the contacts (``FoundContacts``) for poses of shape (links, 12)."""


class Solid(Protocol):
    """What the world needs to know of a shape.

    Attributes:
        name: ``body/link/shape``.
        number: of the geometry in contact keys, unique.
        link: global link, -1 for what is fixed.
        friction: coefficient of the shape's side, NaN: none given.
        restitution: likewise.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def link(self) -> int: ...  # noqa: D102
    @property
    def friction(self) -> float: ...  # noqa: D102
    @property
    def restitution(self) -> float: ...  # noqa: D102


@dataclass(frozen=True)
class Collider:
    """Finds contacts between the bodies of a world, and knows the coefficients of each pair.

    Attributes:
        detector: finds them.
        shapes: what it looks at.
        pairs: friction and restitution of two bodies by their names, in alphabetical order, instead
            of what the sides give; NaN where the sides count.
    """

    detector: ContactDetector
    shapes: Sequence[Solid]
    pairs: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    @property
    def links(self) -> list[int]:
        """Links that have shapes."""
        return sorted({shape.link for shape in self.shapes if shape.link >= 0})

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of the shapes by number."""
        return {shape.number: shape.name for shape in self.shapes}

    @cached_property
    def _sides(self) -> Floats:
        """Friction and restitution by number, shape (2, largest number + 1)."""
        sides = np.full((2, max((s.number for s in self.shapes), default=-1) + 1), np.nan)
        for shape in self.shapes:
            sides[:, shape.number] = shape.friction, shape.restitution
        return sides

    @cached_property
    def _bodies(self) -> npt.NDArray[np.str_]:
        """Name of the body by number of the shape."""
        count = self._sides.shape[1]
        return np.array([self.names.get(k, "").split("/")[0] for k in range(count)], dtype=str)

    def coefficients(self, a: Ints, b: Ints) -> tuple[Floats, Floats]:
        """Return friction and restitution of pairs of shapes, each of shape (n,).

        Given on one side they are the pair's; on both, the harmonic mean; on neither, 0.
        """
        friction, restitution = (_combined(side[a], side[b]) for side in self._sides)
        for (one, other), values in self.pairs.items():
            first, second = self._bodies[a], self._bodies[b]
            these = ((first == one) & (second == other)) | ((first == other) & (second == one))
            for out, value in zip((friction, restitution), values, strict=True):
                if not np.isnan(value):
                    out[these] = value
        return np.nan_to_num(friction), np.nan_to_num(restitution)


def _combined(a: Floats, b: Floats) -> Floats:
    """Return the pair's coefficient, NaN where neither side gives one."""
    total = a + b
    with np.errstate(invalid="ignore", divide="ignore"):
        both = np.where(total > 0.0, 2.0 * a * b / total, 0.0)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, both))
