"""The package qpsolvers, and the names of the solvers that it finds.

The package imports every installed solver. One of them, proxsuite, chooses its build at import:
Footfall loads the portable build first, so that answers are the same in every process.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def _import() -> Any:
    if find_spec("proxsuite") is not None:
        from footfall.api.advanced import load_proxqp

        load_proxqp()
    import qpsolvers

    return qpsolvers


qpsolvers: Any = _import()
AVAILABLE: tuple[str, ...] = tuple(sorted(qpsolvers.available_solvers))
"""Installed solvers that qpsolvers knows."""
SPARSE_ONLY: frozenset[str] = frozenset(qpsolvers.sparse_solvers) - frozenset(
    qpsolvers.dense_solvers
)
"""Installed solvers that accept only sparse matrices."""
