"""Four neighbouring numbers at once, in kernels: one operation of the processor does four.

LLVM combines equal operations on neighbouring numbers by itself, but seldom in a loop. Each of the
four is rounded as it would be alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from footfall.jit.compiling import inner

Four = Any
"""Four numbers; in plain Python a tuple."""


class _Emitted:
    """A function that is emitted inline in kernels; plain Python calls the wrapped function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any) -> Any:
        return self._function(*args)

    def kernel_parts(self) -> Any:
        """Yield all that the compiled code depends on (see ``footfall.jit.caching``)."""
        yield f"four numbers: {self._function.__name__}"


@_Emitted
def no_four() -> Four:
    """Return four zeros."""
    return 0.0, 0.0, 0.0, 0.0


@_Emitted
def get_four(x: Any, i: int) -> Four:
    """Return ``x[i]`` to ``x[i + 3]`` of a flat array of floats."""
    return x[i], x[i + 1], x[i + 2], x[i + 3]


@_Emitted
def set_four(x: Any, i: int, v: Four) -> None:
    """Write ``x[i]`` to ``x[i + 3]``."""
    x[i], x[i + 1], x[i + 2], x[i + 3] = v


@_Emitted
def add_times(v: Four, a: float, w: Four) -> Four:
    """Return ``v + a w``."""
    return tuple(x + a * y for x, y in zip(v, w, strict=True))


@_Emitted
def subtract_times(v: Four, a: float, w: Four) -> Four:
    """Return ``v - a w``."""
    return tuple(x - a * y for x, y in zip(v, w, strict=True))


@_Emitted
def add_products(v: Four, u: Four, w: Four) -> Four:
    """Return v and the products of u and w, each with its own."""
    return tuple(x + y * z for x, y, z in zip(v, u, w, strict=True))


@_Emitted
def sum_of_four(v: Four) -> float:
    """Return the sum of the four, pair by pair."""
    return (v[0] + v[1]) + (v[2] + v[3])  # type: ignore[no-any-return]


@inner
def dot(x: Any, y: Any, first: int, n: int) -> float:
    """Return the scalar product of the entries from ``first`` to n of x and y, four at a time."""
    four, last, s = no_four(), n - (n - first) % 4, 0.0
    for b in range(first, last, 4):
        four = add_products(four, get_four(x, b), get_four(y, b))
    for b in range(last, n):
        s += x[b] * y[b]
    return s + sum_of_four(four)  # type: ignore[no-any-return]


@inner
def subtract_two(row: Any, first: int, n: int, s: float, x: Any, t: float, y: Any) -> None:
    """Subtract ``s x + t y`` from the entries of a row from ``first`` to n, four at a time."""
    for b in range(first, n - 3, 4):
        four = subtract_times(get_four(row, b), s, get_four(x, b))
        set_four(row, b, subtract_times(four, t, get_four(y, b)))
    for b in range(n - (n - first) % 4, n):
        row[b] = row[b] - s * x[b] - t * y[b]
