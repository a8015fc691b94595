"""Kernels with all that they call, translated and optimised by LLVM.

Imported only to compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from footfall.errors import KernelError
from footfall.jit.frames import LENGTHS, RAISED, STRIDES
from footfall.jit.making import Code
from footfall_llvm.arithmetic import Arithmetic
from footfall_llvm.builtin import EXTERNALS
from footfall_llvm.emitter import Made
from footfall_llvm.statements import Statements
from footfall_llvm.values import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    UNSIGNED,
    Array,
    Kind,
    Known,
    Number,
    TableKind,
    Tuple,
    Value,
    components,
    items,
    kind_of_argument,
)

WORKER = Path(__file__).with_name("optimiser.py")
"""Program of a worker (see ``footfall.jit.making``)."""
_LETTERS = {FLOAT: "f", BOOLEAN: "b", INTEGER: "i", UNSIGNED: "u"}


class Optimised(NamedTuple):
    """A kernel with all that it calls, ready to be turned into machine code.

    Attributes:
        module: LLVM's, with two functions that can be called from outside.
        result: see ``footfall.jit.native.Entry``.
        machine: LLVM's target machine, which emits its machine code.
    """

    module: Any
    result: str
    machine: Any


class _Program:
    """The functions of a kernel."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, tuple[Kind, ...]], Made | None] = {}
        self.code: list[str] = []

    def made(self, called: Any, kinds: tuple[Kind, ...]) -> Made:
        """Return a function for kinds of arguments; write it if it is new."""
        key = called, kinds
        if key not in self._made:
            self._made[key] = None
            function = called.function
            name = f'@"{function.__module__}.{function.__qualname__} {len(self._made)}"'
            self._made[key], code = Statements(self, called, kinds).write(name)
            self.code.append(code)
        made = self._made[key]
        if made is None:
            raise KernelError(f"{called} calls itself, which kernels cannot")
        return made


def translated(kernel: Any, arguments: tuple[Any, ...], name: str) -> Code:
    """Translate a kernel and its callees for kinds of arguments, with C functions to call it.

    Args:
        kernel: marked ``kernel``.
        arguments: examples.
        name: of its C function.

    Raises:
        KernelError: if its source has what kernels cannot do; it tells the line.
    """
    kinds = tuple(map(kind_of_argument, arguments))
    program = _Program()
    made = program.made(kernel, kinds)
    result = _result_letters(kernel, made.result)
    entries = [_Entry().write(made, kinds, name, python=python) for python in (False, True)]
    text = "\n".join([*program.code, *entries, *_declarations(), "!0 = !{}\n"])
    return Code(text, result, (name, f"{name}_"), kernel.slp)


def optimised(code: Code) -> Optimised:
    """Optimise a translated kernel."""
    from footfall_llvm import optimiser  # LLVM itself, which a listing of plugins does not need

    module = optimiser.optimised(code.text, code.names, slp=code.slp)
    return Optimised(module, code.result, optimiser.machine())


def object_of(code: Code) -> bytes:
    """Return a kernel's object."""
    made = optimised(code)
    emitted: bytes = made.machine.emit_object(made.module)
    return emitted


def _declarations() -> list[str]:
    given = {1: "double", 2: "double, double"}
    intrinsics = {**dict.fromkeys(_ONE, 1), **dict.fromkeys(_TWO, 2)}
    own = ["declare void @footfall_outside(ptr, i64, i64) cold"]
    own += [f"declare double @llvm.{name}.f64({given[n]})" for name, n in intrinsics.items()]
    return own + [f"declare double @{name}({given[n]}) nounwind" for name, n in EXTERNALS.items()]


_ONE = (
    *("sqrt", "sin", "cos", "exp", "exp2", "log", "log2", "log10"),
    *("fabs", "floor", "ceil", "trunc"),
)
_TWO = "copysign", "pow"


def _result_letters(kernel: Any, kind: Kind) -> str:
    """Return the letters of a result (``frames.LETTERS``)."""
    if isinstance(kind, Known) and kind.value is None:
        return ""
    numbers = kind.items if isinstance(kind, Tuple) else (kind,)
    if not all(isinstance(number, Number) and number in _LETTERS for number in numbers):
        code = kernel.function.__code__
        where = f"{code.co_filename}:{code.co_firstlineno}: {kernel.function.__qualname__}"
        raise KernelError(f"{where}: returns {kind}: a kernel returns numbers, or nothing")
    letters = "".join(_LETTERS[number] for number in numbers)  # type: ignore[index]
    return f"({letters})" if isinstance(kind, Tuple) else letters


class _Entry(Arithmetic):
    """Writes a C function that calls a kernel with arguments from the addresses in a frame.

    It returns the kernel's result if that is an integer, else 0.
    """

    def write(self, made: Made, kinds: Sequence[Kind], name: str, *, python: bool) -> str:
        """Return the code.

        Args:
            made: the kernel.
            kinds: of its arguments.
            name: of the C function; with ``python`` that follows "_".
            python: true if the frame holds numbers, addresses of array objects instead of cells,
                and the address of the result.
        """
        given = [self._argument(kind, k, python=python) for k, kind in enumerate(kinds)]
        parts, code = self.called(made, given, "noinline"), "0"
        if made.raises:
            self.branch(parts.pop(0), "fails", "done")
            self.begin("fails")
            self.do(f"ret i32 {RAISED}")
            self.begin("done")
        value = Value(made.result, tuple(parts))
        if python and parts:
            self._store(value, self._word("%frame", len(kinds)))
        elif made.result in (INTEGER, BOOLEAN):
            whole = self.cast(value, INTEGER).parts[0]
            code = self.emit(f"trunc i64 {whole} to i32")
        self.do(f"ret i32 {code}")
        head = f"define i32 @{name}{'_' if python else ''}(ptr %frame) nounwind {{\nentry:"
        return "\n".join([head, *self.lines, "}"])

    def _word(self, words: str, k: int) -> str:
        """Write a read of the k-th word, as an address."""
        place = self.emit(f"getelementptr i64, ptr {words}, i64 {k}")
        return self.emit(f"load ptr, ptr {place}")

    def _number(self, words: str, k: int) -> str:
        place = self.emit(f"getelementptr i64, ptr {words}, i64 {k}")
        return self.emit(f"load i64, ptr {place}")

    def _store(self, result: Value, to: str) -> None:
        """Write a result's numbers one after another."""
        several = isinstance(result.kind, Tuple)
        for k, number in enumerate(items(result) if several else [result]):
            place = self.emit(f"getelementptr i64, ptr {to}, i64 {k}")
            held = number if number.kind == FLOAT else self.cast(number, INTEGER)
            self.do(f"store {components(held.kind)[0]} {held.parts[0]}, ptr {place}")

    def _argument(self, kind: Kind, k: int, *, python: bool) -> Value:
        """Write the k-th argument: a number, or address and lengths of an array.

        A table is its own address: no kernel needs its length. NumPy's array objects hold the
        address, the dimensions, and pointers to lengths and strides.
        """
        if isinstance(kind, Number):
            place = self.emit(f"getelementptr i64, ptr %frame, i64 {k}")
            if not python:
                place = self.emit(f"load ptr, ptr {place}")
            stored = FLOAT if kind == FLOAT else INTEGER
            value = self.emit(f"load {stored.llvm}, ptr {place}")
            return self.cast(Value(stored, (value,)), kind)
        told = self._word("%frame", k)
        if isinstance(kind, TableKind):
            return Value(kind, (self._word(told, 0) if python else told,))
        assert isinstance(kind, Array)
        parts = [self._word(told, 0)]
        if python:
            for field in (LENGTHS, STRIDES)[: 1 + kind.strided]:
                numbers = self._word(told, field)
                parts += [self._number(numbers, axis) for axis in range(kind.ndim)]
        else:
            parts += [self._number(told, 1 + n) for n in range((1 + kind.strided) * kind.ndim)]
        return Value(kind, tuple(parts))
