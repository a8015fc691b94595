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

from footfall.jit.objects import Loaded, caller
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
    fixed = getattr(bound, "fixed", None)
    if fixed is None or len(cells) != bound.free:  # type: ignore[attr-defined]
        return None
    held = [*map(_cell_of, fixed), *cells]
    frame = np.array([cell.ctypes.data for cell in held], np.int64)
    return Stage(bound.entry, frame.ctypes.data, (held, frame, fixed))  # type: ignore[attr-defined]


def bound_to(
    loaded: Loaded, name: str, fixed: tuple[Any, ...], like: tuple[Any, ...]
) -> Callable[..., Any]:
    """Return a kernel's function for Python with its first arguments bound.

    Args:
        loaded: the kernel's object.
        name: of the kernel.
        fixed: first arguments.
        like: examples of the others.
    """
    held = [*map(_cell_of, fixed), *(np.zeros(1 + np.ndim(value), np.int64) for value in like)]
    frame = np.array([*(c.ctypes.data for c in held), id(np.ndarray), id(TypeError)], np.int64)
    call = caller(loaded, frame.ctypes.data, name, (held, frame, fixed))
    vars(call).update(fixed=fixed, free=len(like), entry=loaded.entry)
    return call


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
