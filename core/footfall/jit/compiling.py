"""Functions for kernels: compiled when first bound or called, or run as plain Python.

A decorated function keeps its Python source. When Python first binds or calls it, its code is
loaded (see ``footfall.jit.native``), or it is compiled with the functions that it calls.
With ``FOOTFALL_CHECKED=1`` nothing is compiled, with ``compiled`` indices are checked: see
``footfall.jit.checked``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, update_wrapper
from inspect import signature
from types import FunctionType
from typing import Any, Protocol, TypeVar

from footfall.jit import checked, native

F = TypeVar("F", bound=Callable[..., Any])
_TURN = native.lock_of_threads()
"""Lock for calls of kernels that are not bound, which threads may share."""


class Kernel:
    """A function for kernels, with its compiled code and its checked twin.

    Attributes:
        function: the Python function.
        slp: see ``kernel``.
        inlined: true if its callers always inline it.
        entries: its C functions, by kinds of arguments.
    """

    def __init__(
        self,
        function: Any,
        *,
        callable_from_python: bool = False,
        slp: bool = False,
        inlined: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self.function: FunctionType = function
        self.slp, self.inlined, self._from_python = slp, inlined, callable_from_python
        self.entries: dict[native.Kinds, native.Entry] = {}
        self._callers: dict[native.Kinds, Callable[..., Any]] = {}
        self._calls: list[native.Call] = []

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function for the first time, from Python.

        Raises:
            TypeError: if it is for kernels only.
        """
        if not self._from_python:
            raise TypeError(f"{self} is for kernels only; Python calls what is marked @kernel")
        call = partial(checked.run, self) if checked.is_on() else self._call
        # From now on the class itself has the call: to forward each one would cost 0.1 us.
        self.__class__ = type("Kernel", (Kernel,), {"__call__": staticmethod(call)})
        return call(*args, **named)

    def _call(self, *args: Any, **named: Any) -> Any:
        """Call the code that is compiled for arguments of these kinds."""
        if named or len(args) != self.function.__code__.co_argcount:
            given = signature(self.function).bind(*args, **named)
            given.apply_defaults()
            args = given.args
        kinds = tuple(map(native.kind_of, args))
        call = self._callers.get(kinds)
        if call is None:
            self._calls.append(native.caller(str(self), self.entry(args), (), args, trusts=True))
            call = self._callers[kinds] = self._calls[-1].function
        with _TURN:
            return call(*args)

    def entry(self, arguments: tuple[Any, ...]) -> native.Entry:
        """Load or compile it for arguments of these kinds."""
        kinds = tuple(map(native.kind_of, arguments))
        if kinds not in self.entries:
            self.entries[kinds] = native.entry_of(self, kinds, arguments)
        return self.entries[kinds]

    @cached_property
    def twin(self) -> FunctionType:
        """The function as plain Python that rounds, divides and overflows like compiled code."""
        return checked.twin(self.function)

    def kernel_parts(self) -> Iterator[object]:
        """Yield all that the compiled code depends on (see ``footfall.jit.caching``)."""
        yield self.function
        yield f"inlined {self.inlined}, slp {self.slp}"

    def __reduce__(self) -> str:
        """Pickle as the name in its module."""
        return self.function.__qualname__

    def __str__(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


class Choice:
    """Several functions for kernels, one of which is chosen by the type of an argument.

    Attributes:
        functions: by type of the first argument, which they do not get.
    """

    def __init__(self, functions: Mapping[type[Any], Any]) -> None:
        self.functions = dict(functions)

    @cached_property
    def twin(self) -> Callable[..., Any]:
        """The same in plain Python (see ``Kernel.twin``)."""
        twins = {kind: function.twin for kind, function in self.functions.items()}

        def choose(way: object, *args: Any) -> Any:
            return twins[type(way)](*args)

        return choose

    def kernel_parts(self) -> Iterator[object]:
        """Yield all that the compiled code depends on (see ``footfall.jit.caching``)."""
        for kind, function in self.functions.items():
            yield f"{kind.__module__}.{kind.__qualname__}"
            yield function


def kernel(function: F, *, slp: bool = False) -> F:
    """Mark a function that Python calls: compiled at the first call, and cached on disk.

    It may call functions of ``math``, functions marked ``inner``, ``routine`` or ``kernel``, and
    openers of tables. It allocates nothing. Its arguments are tables, arrays and numbers.

    Args:
        function: the Python function.
        slp: true to unroll loops and combine operations on neighbouring numbers (LLVM; results are
            the same bits): ``@partial(kernel, slp=True)``. Some kernels are slower with it.
    """
    return Kernel(function, callable_from_python=True, slp=slp)  # type: ignore


def inner(function: F) -> F:
    """Mark a function that only kernels call: always inlined.

    A call would pass every array of its named tuples, which costs more than most bodies. It is
    cached as a part of the kernels that call it.
    """
    return Kernel(function, inlined=True)  # type: ignore


def routine(function: F) -> F:
    """Mark a large function that kernels call from several places: the compiler may inline it.

    Inlining it everywhere would multiply the compile time.
    """
    return Kernel(function)  # type: ignore


def by_type(functions: Mapping[type[Any], Any]) -> Any:
    """Return a function for kernels that calls one of several, by the type of its first argument.

    A function cannot be handed to a kernel that is cached on disk: its address would be. A value
    whose *type* stands for the function can. The choice is made when the kernel is compiled::

        solve_contact = by_type({Newton: solve_newton, Projected: solve_projected})
        ...
        solve_contact(way, W, r)  # solve_newton(W, r) if way is Newton()

    Args:
        functions: by type, each an empty named tuple; the functions are marked ``inner`` or
            ``routine`` and get the other arguments.
    """
    return Choice(functions)


@dataclass(frozen=True)
class Binding:
    """The parts of a bound kernel.

    Attributes:
        kernel: the function.
        entry: its C functions, None in plain Python.
        fixed: its first arguments.
        like: examples of the others.
        kept: objects that must live as long as the kernel may be called.
    """

    kernel: Any
    entry: native.Entry | None
    fixed: tuple[Any, ...]
    like: tuple[Any, ...]
    kept: list[object] = field(default_factory=list)

    @property
    def address(self) -> int | None:
        """Address of its C function, None if it has none; waits for kernels being compiled."""
        return self.entry.address if self.entry else None


class BoundKernel(Protocol):
    """A kernel whose first arguments are bound: a function that has its parts."""

    binding: Binding

    def __call__(self, *args: Any) -> Any:
        """Call the kernel with the arguments that are not bound."""


def bind(function: Callable[..., Any], *fixed: Any, like: tuple[Any, ...] = ()) -> BoundKernel:
    """Load or compile a kernel for its arguments and bind those that never move.

    The result checks only the arguments that are not bound, and has a known address.

    Args:
        function: marked ``kernel``.
        fixed: its first arguments.
        like: examples of the remaining arguments, whose types must not change from call to call.

    Raises:
        LayoutError: if the kernel opens from a table what the table does not hold.
    """
    kernel: Any = function
    entry = None if checked.is_on() else kernel.entry((*fixed, *like))
    call = entry and native.caller(str(kernel), entry, fixed, like, trusts=False)
    bound: Any = call.function if call else partial(checked.run, kernel, *fixed)
    bound.binding = Binding(kernel, entry, fixed, like, [call])
    found: BoundKernel = bound
    return found


def binding_of(function: Callable[..., Any]) -> Binding | None:
    """Return the parts of a bound kernel; None for other functions and in plain Python."""
    found = getattr(function, "binding", None)
    return found if isinstance(found, Binding) and not checked.is_on() else None
