"""Stages: bound kernels that compiled code calls by address.

A kernel that is given another kernel's address calls any of its kind, whoever wrote it, without
being compiled for it. A stage is the C function ``int f(int64_t *frame)`` of a bound kernel, and
its frame: where each argument lies. What changes from call to call lies in *cells*, which many
frames may point at: one store reaches them all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterator
from functools import cache, cached_property, partial
from threading import RLock
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from footfall.jit import checked
from footfall.jit.announcement import compilations
from footfall.jit.compiling import bind
from footfall.jit.native import Cell, cell_of, frame_of
from footfall.jit.tables import held_by, table_of

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_COMPILES = RLock()
"""Held while a late stage is compiled: threads may need theirs at the same time."""


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

    def callbacks(self) -> Iterator[Callback]:
        """Yield what it calls of Python, itself or by the stages that its kernel calls."""
        last = self.kept[-1]
        if isinstance(last, Callback):
            yield last
        for stage in getattr(last, "calls", ()):
            yield from stage.callbacks()

    @property
    def is_python(self) -> bool:
        """Whether it is a callback for good, or calls one."""
        return any(type(found) is Callback for found in self.callbacks())

    def data(self) -> Iterator[npt.NDArray[Any]]:
        """Yield what is bound to the call: arrays, those of tables, cells of numbers."""
        held, _, fixed, last = self.kept
        for stage in getattr(last, "calls", ()):
            yield from stage.data()
        for value, cell in zip(fixed, held, strict=False):
            if not isinstance(value, np.ndarray):
                yield cell
            elif value.dtype.names:
                yield from (held for held in held_by(value) if not isinstance(held, Addresses))
            elif not isinstance(value, Addresses):
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
    fixed, like, address = bound.fixed, bound.like, bound.address  # type: ignore[attr-defined]
    if address is None or len(cells) != len(like):
        return None
    held = [*map(cell_of, fixed), *cells]
    frame = frame_of(held)
    return Stage(address, frame.ctypes.data, (held, frame, fixed, bound))


class Addresses(np.ndarray[Any, np.dtype[Any]]):
    """Addresses of stages that a kernel calls, which are no data of a world's."""


def bind_calling(
    kernel: Callable[..., Any],
    arrays: Any,
    *stages: Stage,
    fixed: tuple[Any, ...] = (),
    like: tuple[Any, ...],
) -> Callable[..., Any]:
    """Return a bound kernel that calls stages, which it keeps.

    Args:
        kernel: its first argument is the table of the arrays.
        arrays: a named tuple, whose ``call`` becomes functions and frames, shape (stages, 2).
        stages: what is called.
        fixed: its next arguments.
        like: as of ``bind``.
    """
    call = np.array([(s.function, s.frame) for s in stages], np.int64).view(Addresses)
    bound = bind(kernel, table_of(arrays._replace(call=call)), *fixed, like=like)
    vars(bound)["calls"] = stages
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
    """Python that compiled code calls by address, whether it holds the interpreter's lock or not.

    Args:
        function: returns an integer or nothing.

    Attributes:
        cell: shape (2,), addresses of function and frame: ``call(cell[0], cell[1])`` in kernels.
            It returns what the function does, or -1 if something has been raised: then ``check``.
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
        """It as a stage, which answers -1 if something has been raised: then ``check``."""
        return Stage(int(self.cell[0]), int(self.cell[1]), ((), None, (), self))

    def check(self) -> None:
        """Raise what has been raised in a call since the last look."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _answers(self) -> Generator[int, int | None]:
        """Answer call after call; between two it waits within ``try``: no Ctrl-C falls outside."""
        answer = 0
        while True:
            try:
                while True:
                    yield answer
                    answer = int(self._function() or 0)
            except GeneratorExit:
                return
            except BaseException as failure:  # compiled code could not pass it on
                self._failure, answer = failure, -1


class LateStage(Callback):
    """A stage whose kernel is compiled when something calls it for the first time.

    Until then its address is that of a callback, in which Python compiles the kernel, writes its
    address down and calls it. Any thread may be the first.

    Args:
        announced: whether its compilation is, also if another one has been before.
    """

    def __init__(self, *, announced: bool = True) -> None:
        super().__init__(self._first)
        self._announced = announced
        self.cell = self.cell.view(Addresses)
        self._cells: tuple[Cell, ...] = ()

    def bind(self, caller: Callable[..., Any], kernel: Callable[..., Any], *fixed: Any) -> None:
        """Set the kernel and all of its arguments; what ``bind`` returned for its caller keeps it.

        Args:
            caller: what will call it.
            kernel: marked ``kernel``; it returns an integer or nothing.
            fixed: its arguments.
        """
        vars(caller).setdefault("late", []).append(self)
        self.make(partial(bind, kernel, *fixed))

    def make(self, make: Callable[[], Callable[..., Any]], *cells: Cell) -> None:
        """Set what makes the bound kernel, and the cells of arguments that are not bound.

        What it makes may be another function than a kernel: it is then called in Python.
        """
        self._bound, self._cells = cache(make), cells
        if compilations.ahead:
            self.load()

    def load(self) -> None:
        """Compile the kernel now: what is to call it is known to be near."""
        if not checked.is_on():
            self._compile()

    def _first(self) -> int:
        if not checked.is_on():
            # Whoever waits in the middle of a run is told, too.
            compilations.told = compilations.told and not self._announced
            stage = self._compile()
            if stage is not None:
                return int(_ENTRY(stage.function)(stage.frame))
        return int(self._bound()(*(cell.item() for cell in self._cells)) or 0)

    def _compile(self) -> Stage | None:
        with _COMPILES:
            stage = stage_of(self._bound(), *self._cells)
        if stage is not None:
            self._stage, self.cell[1] = stage, stage.frame
            self.cell[0] = stage.function
        return stage


class _Call:
    """Calls a C function by its address: ``call(function, frame)`` in kernels, see ``Stage``."""

    def __call__(self, function: int, frame: int) -> int:
        """Call it from a kernel in plain Python, which late stages are called by."""
        return int(_ENTRY(int(function))(int(frame)))

    @cached_property
    def _numba_type_(self) -> Any:
        from footfall.jit.lowering import call_type

        return call_type

    def late(self) -> LateStage:
        """Return a stage that is compiled when it is first called."""
        return LateStage()

    def kernel_parts(self) -> Any:
        """Yield what the compiled code depends on (see ``footfall.jit.caching``)."""
        yield "call by address"


call = _Call()
"""Calls a C function by its address in a kernel: ``call(function, frame)``, see ``stage_of``."""
