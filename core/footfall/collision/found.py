"""Detected contacts as arrays of equal length."""

from __future__ import annotations

import numpy as np

from footfall.collision.kernels.arrays import FoundArrays
from footfall.typing import Floats, Ints


class Found:
    """The contacts of the last detection, ascending by key; keys are unique.

    The arrays are longer than there are contacts: rows from ``n`` on mean nothing. They are
    replaced when they have to grow.

    Attributes:
        arrays: the whole arrays, for kernels.
        n: number of contacts.
        version: goes up by one whenever the arrays are replaced.
    """

    __slots__ = ("arrays", "n", "version")

    def __init__(self, capacity: int) -> None:
        self.arrays = allocate(capacity)
        self.n = 0
        self.version = 0

    def grow(self, capacity: int) -> None:
        """Replace the arrays by longer ones; contacts so far are kept."""
        old, self.arrays = self.arrays, allocate(capacity)
        for before, after in zip(old, self.arrays, strict=True):
            after[: len(before)] = before
        self.version += 1

    @property
    def capacity(self) -> int:
        """Number of contacts that there is room for."""
        return len(self.arrays.key)

    @property
    def key(self) -> Ints:
        """Identity of each contact, shape (n,), see ``footfall.world.keys``."""
        return self.arrays.key[: self.n]

    @property
    def geometry_a(self) -> Ints:
        """Number of the first shape, shape (n,): the environment's if one is."""
        return self.arrays.geometry_a[: self.n]

    @property
    def geometry_b(self) -> Ints:
        """Number of the second shape, shape (n,)."""
        return self.arrays.geometry_b[: self.n]

    @property
    def link_a(self) -> Ints:
        """Link of the first shape, shape (n,), -1: the environment."""
        return self.arrays.link_a[: self.n]

    @property
    def link_b(self) -> Ints:
        """Link of the second shape, shape (n,)."""
        return self.arrays.link_b[: self.n]

    @property
    def shape_a(self) -> Ints:
        """Index of the first shape in ``Detector.shapes``, shape (n,)."""
        return self.arrays.shape_a[: self.n]

    @property
    def shape_b(self) -> Ints:
        """Index of the second shape in ``Detector.shapes``, shape (n,)."""
        return self.arrays.shape_b[: self.n]

    @property
    def position(self) -> Floats:
        """Middle between the two surfaces, shape (n, 3), world, [m]."""
        return self.arrays.position[: self.n]

    @property
    def normal(self) -> Floats:
        """Unit normals from the first shape to the second, shape (n, 3), world."""
        return self.arrays.normal[: self.n]

    @property
    def gap(self) -> Floats:
        """Distance along the normal, shape (n,), [m]; negative where they penetrate."""
        return self.arrays.gap[: self.n]


def allocate(capacity: int) -> FoundArrays:
    """Make arrays for so many contacts."""
    return FoundArrays(
        key=np.zeros(capacity, np.int64),
        geometry_a=np.zeros(capacity, np.int64),
        geometry_b=np.zeros(capacity, np.int64),
        link_a=np.zeros(capacity, np.int64),
        link_b=np.zeros(capacity, np.int64),
        shape_a=np.zeros(capacity, np.int64),
        shape_b=np.zeros(capacity, np.int64),
        position=np.zeros((capacity, 3)),
        normal=np.zeros((capacity, 3)),
        gap=np.zeros(capacity),
    )
