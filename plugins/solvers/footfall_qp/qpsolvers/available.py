"""The package qpsolvers, and the names of the solvers that it finds.

The package imports every solver that is installed, proxsuite among them, whose build is chosen at
import: the portable one comes first, so that answers are the same in every process.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def _import() -> Any:
    if find_spec("proxsuite") is not None:
        from footfall.api.qp import load_proxqp

        load_proxqp()
    import qpsolvers

    return qpsolvers


qpsolvers: Any = _import()
AVAILABLE: tuple[str, ...] = tuple(sorted(qpsolvers.available_solvers))
"""Solvers that are installed and that qpsolvers knows."""
SPARSE_ONLY: frozenset[str] = frozenset(qpsolvers.sparse_solvers) - frozenset(
    qpsolvers.dense_solvers
)
"""Those among them that take sparse matrices only."""
