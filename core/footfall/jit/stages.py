"""Stages: bound kernels that compiled code calls by address.

A kernel that gets the address of another kernel calls it without being compiled for it. A stage is
the C function ``int f(int64_t *frame)`` of a bound kernel, with its frame: the addresses of its
arguments. Values that change from call to call are in *cells*. Many frames may point at one cell:
one store reaches them all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from footfall.jit import checked
from footfall.jit.announcement import compilations
from footfall.jit.compiling import Binding, BoundKernel, bind, binding_of
from footfall.jit.frames import frame_of
from footfall.jit.native import LATE, Cell, cell_of
from footfall.jit.tables import held_by, table_of

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class Stage(NamedTuple):
    """A call by address, with the objects that must live as long as it may be made.

    Attributes:
        own: address of the C function of a callback; 0 of a kernel's.
        frame: address of the frame.
        called: the bound kernel's parts, or the callback.
        cells: of the arguments, which the frame points at.
        words: the frame itself.
    """

    own: int
    frame: int
    called: Binding | Callback
    cells: tuple[Cell, ...] = ()
    words: npt.NDArray[np.int64] | None = None

    @property
    def function(self) -> int:
        """Address of the C function; waits for kernels being compiled, also those it calls."""
        for stage in self.stages:
            _ = stage.function  # until then its caller holds the address 0
        return self.own or getattr(self.called, "address", 0)

    @property
    def late(self) -> LateStage | None:
        """The late stage that it calls; None if it calls something else."""
        return self.called if isinstance(self.called, LateStage) else None

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that its kernel calls."""
        return self.called.stages if isinstance(self.called, CallingBinding) else ()

    def callbacks(self) -> Iterator[Callback]:
        """Yield the Python functions that it calls, directly or through stages."""
        if isinstance(self.called, Callback):
            yield self.called
        for stage in self.stages:
            yield from stage.callbacks()

    @property
    def is_python(self) -> bool:
        """True if it is, or calls, a callback that stays one."""
        return any(type(found) is Callback for found in self.callbacks())

    def data(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the arguments of the call: arrays, arrays of tables, cells of numbers."""
        for stage in self.stages:
            yield from stage.data()
        fixed = self.called.fixed if isinstance(self.called, Binding) else ()
        for value, cell in zip(fixed, self.cells, strict=False):
            if not isinstance(value, np.ndarray):
                yield cell
            elif value.dtype.names:
                yield from (held for held in held_by(value) if not isinstance(held, Addresses))
            elif not isinstance(value, Addresses):
                yield value


@dataclass(frozen=True)
class CallingBinding(Binding):
    """The parts of a bound kernel that calls stages.

    Attributes:
        stages: the stages that it calls.
    """

    stages: tuple[Stage, ...] = ()


def stage_of(bound: Callable[..., Any], *cells: Cell) -> Stage | None:
    """Return the stage of a bound kernel; None for any other function.

    Args:
        bound: a bound kernel, or any function.
        cells: of the arguments that are not bound.
    """
    binding = binding_of(bound)
    if binding is None or binding.entry is None or len(cells) != len(binding.like):
        return None
    held = (*map(cell_of, binding.fixed), *cells)
    words = frame_of(held)
    return Stage(0, words.ctypes.data, binding, held, words)


class Addresses(np.ndarray[Any, np.dtype[Any]]):
    """Addresses of stages that a kernel calls: not data of a world."""


def bind_calling(
    kernel: Callable[..., Any],
    arrays: Any,
    *stages: Stage,
    fixed: tuple[Any, ...] = (),
    like: tuple[Any, ...],
) -> BoundKernel:
    """Return a bound kernel that calls stages and keeps them alive.

    Args:
        kernel: its first argument is the table of the arrays.
        arrays: a named tuple, whose ``call`` becomes functions and frames, shape (stages, 2).
        stages: the stages to call.
        fixed: its next arguments.
        like: see ``bind``.
    """
    call = np.array([(s.own, s.frame) for s in stages], np.int64).view(Addresses)
    for k, stage in enumerate(stages):
        if isinstance(stage.called, Binding) and stage.called.entry:
            stage.called.entry.tell(partial(call.__setitem__, (k, 0)))
    bound = bind(kernel, table_of(arrays._replace(call=call)), *fixed, like=like)
    parts = bound.binding
    bound.binding = CallingBinding(
        *(parts.kernel, parts.entry, parts.fixed, parts.like, parts.kept), stages
    )
    return bound


class Stages(Protocol):
    """Makes the stages of a program, see ``footfall_stepper.stepping.program``."""

    time: Cell
    length: Cell
    now: Cell
    row: Cell

    def stage(self, bound: Callable[..., Any], *cells: Cell) -> Stage:
        """Return the stage of a bound kernel, or of Python called with the cells' values."""


class Callback:
    """A Python function that compiled code calls by address, with or without Python's lock.

    Args:
        function: returns an integer or nothing.

    Attributes:
        cell: shape (2,), addresses of function and frame: ``call(cell[0], cell[1])`` in kernels.
            It returns the function's result, or -1 after an exception: then call ``check``.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        answers = self._answers()
        next(answers)
        self._entry = _ENTRY(answers.send)
        self._failure: BaseException | None = None
        self.cell = np.array([ctypes.cast(self._entry, ctypes.c_void_p).value, 0], np.int64)

    @property
    def stage(self) -> Stage:
        """The callback as a stage, which returns -1 after an exception: then call ``check``."""
        return Stage(int(self.cell[0]), int(self.cell[1]), self)

    def check(self) -> None:
        """Raise the exception of a call since the last check."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _answers(self) -> Generator[int, int | None]:
        """Answer call after call; it waits inside ``try``, so that Ctrl-C is always caught."""
        answer = 0
        while True:
            try:
                while True:
                    yield answer
                    answer = int(self._function() or 0)
            except GeneratorExit:
                return
            except BaseException as failure:  # compiled code cannot pass it on
                self._failure, answer = failure, -1


class LateStage(Callback):
    """A stage whose kernel is compiled at its first call.

    Until then its address is that of a callback, in which Python compiles the kernel, writes its
    address down and calls it. Any thread may be the first.
    """

    def __init__(self) -> None:
        super().__init__(self._first)
        self.cell = self.cell.view(Addresses)
        self._cells: tuple[Cell, ...] = ()

    def bind(self, caller: BoundKernel, kernel: Callable[..., Any], *fixed: Any) -> None:
        """Set the kernel and all of its arguments; its caller keeps it alive.

        Args:
            caller: the bound kernel that will call it.
            kernel: marked ``kernel``; it returns an integer or nothing.
            fixed: its arguments.
        """
        caller.binding.kept.append(self)
        self.make(partial(bind, kernel, *fixed))

    def make(self, make: Callable[[], Callable[..., Any]], *cells: Cell) -> None:
        """Set the maker of the bound kernel, and the cells of arguments that are not bound.

        It may make another function than a kernel, which is then called in Python.
        """
        self._bound, self._cells = cache(make), cells
        if compilations.ahead:
            self.load()

    def load(self) -> None:
        """Compile the kernel now: its first call is near."""
        if not checked.is_on():
            self.compiled()

    def _first(self) -> int:
        if not checked.is_on():
            stage = self.compiled()
            if stage is not None:
                return int(_ENTRY(stage.function)(stage.frame))
        return int(self._bound()(*(cell.item() for cell in self._cells)) or 0)

    def compiled(self) -> Stage | None:
        """Compile its kernel and return its stage; None if it is a function of Python."""
        with LATE:
            stage = stage_of(self._bound(), *self._cells)
        if stage is not None:
            self._stage, self.cell[1] = stage, stage.frame
            self.cell[0] = stage.function
        return stage


class _Call:
    """Calls a C function by its address: ``call(function, frame)`` in kernels, see ``Stage``."""

    def __call__(self, function: int, frame: int) -> int:
        """Call a late stage from a kernel in plain Python."""
        return int(_ENTRY(int(function))(int(frame)))

    def late(self) -> LateStage:
        """Return a stage that is compiled at its first call."""
        return LateStage()

    def kernel_parts(self) -> Any:
        """Yield all that the compiled code depends on (see ``footfall.jit.caching``)."""
        yield "call by address"


call = _Call()
"""Calls a C function by its address in a kernel: ``call(function, frame)``, see ``stage_of``."""
