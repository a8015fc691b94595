"""Kernels as plain Python on NumPy arrays, with indices and kinds of tables checked.

With ``FOOTFALL_CHECKED=1`` in the environment nothing is compiled. Python
runs the kernels, ``breakpoint()`` stops in them, and mistakes that compiled code makes silently (to
read outside an array, to open the wrong table) are errors. It is hundreds of times slower.

Python's numbers differ from those of compiled code: ``1.0 / 0.0`` and ``math.sqrt(-1.0)`` raise. A
kernel's *twin* is therefore the same code with NumPy floats as constants, a ``math`` that returns
NaN and infinity, and the twins of the functions that it calls. Results agree with the compiled ones
to rounding: the compiler's libm and Python's differ in the last digits.

With ``FOOTFALL_CHECKED=compiled`` kernels are compiled as always, but with every index checked.
"""

from __future__ import annotations

import builtins
import math
import os
from collections.abc import Iterator
from enum import IntEnum
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt


def is_on() -> bool:
    """Return True if kernels run as plain Python: ``FOOTFALL_CHECKED`` is set, e.g. to 1."""
    return os.environ.get("FOOTFALL_CHECKED", "0") not in ("", "0", "compiled")


def bounds_are_on() -> bool:
    """Return True if compiled kernels check indices: ``FOOTFALL_CHECKED`` is ``compiled``."""
    return os.environ.get("FOOTFALL_CHECKED") == "compiled"


def place_of(function: FunctionType) -> str:
    """Return what kernels that check indices tell of a function's place; "" of others."""
    code = function.__code__
    where = code.co_filename, code.co_firstlineno, code.co_linetable
    return f" checked {where}" if bounds_are_on() else ""


class CheckedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array that rejects negative indices and names itself in errors.

    Attributes:
        label: name of the array, e.g. ``ProblemArrays.W``.
    """

    label: str

    def __array_finalize__(self, origin: object) -> None:
        self.label = getattr(origin, "label", "array")

    def __getitem__(self, index: Any) -> Any:
        _refuse_negative(self, index)
        try:
            return super().__getitem__(index)
        except IndexError as error:
            _fail(self, error)

    def __setitem__(self, index: Any, value: Any) -> None:
        _refuse_negative(self, index)
        try:
            super().__setitem__(index, value)
        except IndexError as error:
            _fail(self, error)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))  # NumPy prints with indices from the end

    def __str__(self) -> str:
        return str(self.view(np.ndarray))


def _refuse_negative(array: CheckedArray, index: Any) -> None:
    for part in index if type(index) is tuple else (index,):
        if isinstance(part, int | np.integer) and part < 0:
            raise IndexError(
                f"{array.label}: index {part} is negative; kernels do not count from the end"
            )


def _fail(array: CheckedArray, error: IndexError) -> NoReturn:
    raise IndexError(f"{array.label}: {error}") from None


def labelled(array: npt.NDArray[Any], label: str) -> CheckedArray:
    """Return a view of an array that checks its indices."""
    view = array.view(CheckedArray)
    view.label = label
    return view


def run(kernel: Any, *args: Any) -> Any:
    """Call a kernel's twin with Python's arrays and numbers, as compiled code is called."""
    function: FunctionType = kernel.twin
    names = function.__code__.co_varnames
    with np.errstate(all="ignore"):
        result = function(*map(_given, args, names))
    return _plain(result)


def _given(value: Any, name: str) -> Any:
    """Return an argument in the form that kernels get."""
    if type(value) is np.ndarray and value.dtype.names is None:  # a table stays what it is
        return labelled(value, name)
    if type(value) is float:
        return np.float64(value)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", [name] * len(value))
        parts = [_given(part, f"{name}.{label}") for part, label in zip(value, names, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _plain(value: Any) -> Any:
    """Return a kernel's result as compiled code does: Python's numbers."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, IntEnum):
        return int(value)
    return tuple(map(_plain, value)) if type(value) is tuple else value


_TWINS: dict[FunctionType, FunctionType] = {}


def twin(function: FunctionType) -> FunctionType:
    """Return a function's twin; it has the same file and lines."""
    if function in _TWINS:
        return _TWINS[function]
    code, outside = function.__code__, function.__globals__
    names = {"float": np.float64, **outside}
    cells = tuple(CellType(_seen(cell.cell_contents)) for cell in function.__closure__ or ())
    made = FunctionType(
        _with_numpy_floats(code), names, function.__name__, _seen(function.__defaults__), cells
    )
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    _TWINS[function] = made
    for name in outside.keys() & set(names_in(code)):
        names[name] = _seen(outside[name])
    return made


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes in a function's code, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def _with_numpy_floats(code: CodeType) -> CodeType:
    """Return code with NumPy floats as constants."""
    return code.replace(co_consts=tuple(map(_seen, code.co_consts)))


def _seen(value: Any) -> Any:
    """Return the value that a twin reads instead of a given one."""
    if type(value) is float:
        return np.float64(value)
    if type(value) is tuple:
        return tuple(map(_seen, value))
    if isinstance(value, CodeType):
        return _with_numpy_floats(value)
    if hasattr(type(value), "twin"):
        return value.twin
    if isinstance(value, ModuleType) and value not in (np, builtins):
        return _MATH if value is math else _Module(value)
    if isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
        return getattr(_MATH, value.__name__)
    return value


class _Module(ModuleType):
    """A module in the form that twins read."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = _seen(getattr(self._module, name))
        setattr(self, name, value)
        return value


_INSTEAD = {
    name: getattr(np, instead)
    for name, instead in {
        **{name: name for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot")},
        **{name: name for name in ("exp", "expm1", "log", "log1p", "log2", "log10", "fmod")},
        **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
        **{"atan2": "arctan2", "pow": "power", "fabs": "fabs", "copysign": "copysign"},
    }.items()
}
"""NumPy functions that return NaN or infinity if those of ``math`` raise."""


class _Math(_Module):
    """``math`` that returns NumPy floats and never raises."""

    def __getattr__(self, name: str) -> Any:
        exact, instead = getattr(math, name), _INSTEAD.get(name)
        if isinstance(exact, float):
            found: Any = np.float64(exact)
        elif instead is None:
            found = exact
        else:

            def found(*args: float) -> Any:
                try:
                    return np.float64(exact(*args))
                except (ValueError, OverflowError):
                    return instead(*args)

        setattr(self, name, found)
        return found


_MATH = _Math(math)
