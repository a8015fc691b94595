"""Stages: bound kernels that compiled code calls by address.

A kernel that is given another kernel's address calls any of its kind, whoever wrote it, without
being compiled for it. A stage is the C function ``int f(int64_t *frame)`` of a bound kernel, and
its frame: where each argument lies. What changes from call to call lies in *cells*, which many
frames may point at: one store reaches them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from footfall.jit import checked
from footfall.jit.tables import held_by

Cell = npt.NDArray[Any]
"""One number, shape (1,), float64 or int64; of a one-dimensional array: address and length."""


class Stage(NamedTuple):
    """A call by address.

    Attributes:
        function: address of the C function.
        frame: address of the frame.
        kept: what must live as long.
    """

    function: int
    frame: int
    kept: tuple[Any, ...]

    def data(self) -> Iterator[npt.NDArray[Any]]:
        """Yield what is bound to the call: arrays, those of tables, cells of numbers."""
        held, _, fixed = self.kept
        for value, cell in zip(fixed, held, strict=False):
            if not isinstance(value, np.ndarray):
                yield cell
            elif value.dtype.names:
                yield from held_by(value)
            else:
                yield value


def stage_of(bound: Callable[..., Any], *cells: Cell) -> Stage | None:
    """Return the stage of what ``bind`` returned; None if it is something else.

    Args:
        bound: a bound kernel, or any function.
        cells: of the arguments that are not bound.
    """
    kernel = getattr(bound, "kernel", None)
    if kernel is None or checked.is_on():
        return None
    from footfall.jit.lowering import entry_address

    fixed = bound.args  # type: ignore[attr-defined]
    address = entry_address(kernel.compiled, (*fixed, *bound.like))  # type: ignore[attr-defined]
    if address is None or len(cells) != len(bound.like):  # type: ignore[attr-defined]
        return None
    held = [*map(_cell_of, fixed), *cells]
    frame = np.array([cell.ctypes.data for cell in held], np.int64)
    return Stage(address, frame.ctypes.data, (held, frame, fixed))


def _cell_of(value: Any) -> Cell:
    """Return the cell of an argument that never changes."""
    if isinstance(value, np.ndarray) and value.dtype.names is None:
        return cell_of(value)
    if isinstance(value, np.ndarray):
        return value  # a table lies where it lies
    return np.array([value], np.float64 if isinstance(value, float) else np.int64)


def cell_of(array: npt.NDArray[Any]) -> Cell:
    """Return the cell of an array that stays where it is: its address and lengths."""
    return np.array([array.ctypes.data, *array.shape], np.int64)


class _Call:
    """Calls a C function by its address: ``call(function, frame)`` in kernels, see ``Stage``."""

    @cached_property
    def _numba_type_(self) -> Any:
        from footfall.jit.lowering import call_type

        return call_type

    def kernel_parts(self) -> Any:
        """Yield what the compiled code depends on (see ``footfall.jit.caching``)."""
        yield "call by address"


call = _Call()
"""Calls a C function by its address in a kernel: ``call(function, frame)``, see ``stage_of``."""
