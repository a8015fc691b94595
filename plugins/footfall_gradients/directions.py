"""Directions in which a step is differentiated, carried from part to part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from footfall.api.plugin import Floats


@dataclass(frozen=True)
class Directions:
    """Derivatives of what a part of a step begins with; columns are directions.

    Attributes:
        dq, dv: shape (nv, n), of the state; dforce: shape (nv, n), of the generalized force.
        dt: shape (n,), of the part's length.
        arrays: of numbers of the world by name, their last axis the directions: ``gravity``,
            ``friction`` and ``restitution`` of contacts, and of joints ``stiffness``, ``damping``,
            ``rate_gain``, ``target``, ``target_rate``, ``armature``.
    """

    dq: Floats
    dv: Floats
    dforce: Floats
    dt: Floats
    arrays: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of_state(cls, nv: int, arrays: Mapping[str, Floats], more: int) -> Directions:
        """Return those of q, v, generalized forces, and of so many parameters."""
        columns = np.zeros((3, nv, 3 * nv + more))
        for k in range(3):
            columns[k, :, k * nv : (k + 1) * nv] = np.eye(nv)
        wide = {
            name: np.concatenate([np.zeros((*a.shape[:-1], 3 * nv)), a], axis=-1)
            for name, a in arrays.items()
        }
        return cls(columns[0], columns[1], columns[2], np.zeros(3 * nv + more), wide)
