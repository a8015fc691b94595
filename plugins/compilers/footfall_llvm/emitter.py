"""Instructions of LLVM's: results, blocks, branches and calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from footfall_llvm.values import Kind, Value, components


class Made(NamedTuple):
    """A function of LLVM's.

    Attributes:
        name: LLVM's.
        result: kind of its result.
        raises: true if it may raise: then its result begins with a condition that says so.
    """

    name: str
    result: Kind
    raises: bool

    @property
    def returned(self) -> list[str]:
        """LLVM's types of the result's operands."""
        return ["i1"] * self.raises + list(components(self.result))


def returned_type(components: list[str]) -> str:
    """Return LLVM's type of a result that consists of such operands."""
    if len(components) > 1:
        return f"{{{', '.join(components)}}}"
    return components[0] if components else "void"


class Emitter:
    """Writes the instructions of a function.

    Attributes:
        lines: LLVM's code.
        constants: texts that it points to.
        ended: true after an instruction that leaves the block.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: list[str] = []
        self._count, self.ended = 0, False

    def restart(self) -> None:
        """Forget what has been written."""
        self.lines.clear()
        self.constants.clear()
        self._count, self.ended = 0, False

    def emit(self, operation: str) -> str:
        """Write an operation; return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {operation}")
        return name

    def do(self, operation: str) -> None:
        """Write an operation without a result."""
        self.lines.append(f"  {operation}")

    def label(self, of: str) -> str:
        """Return a new label."""
        self._count += 1
        return f"{of}{self._count}"

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.ended = False

    def go(self, label: str) -> None:
        """Leave the block for another."""
        if not self.ended:
            self.do(f"br label %{label}")
            self.ended = True

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Leave the block for one of two."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.ended = True

    def leave(self) -> None:
        """Leave the function with an exception."""
        raise NotImplementedError

    def leave_if(self, condition: str, *before: str) -> None:
        """Leave the function with an exception on a condition, after some operations."""
        fails, goes_on = self.label("fails"), self.label("more")
        self.branch(condition, fails, goes_on)
        self.begin(fails)
        for operation in before:
            self.do(operation)
        self.leave()
        self.begin(goes_on)

    def select(self, condition: str, kind: str, yes: str, no: str) -> str:
        """Write a choice between two operands of a type."""
        return self.emit(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def called(self, made: Made, given: Iterable[Value], how: str = "") -> list[str]:
        """Write a call of a function; return the operands of its result.

        Args:
            made: the function.
            given: its arguments.
            how: LLVM's attributes of the call.
        """
        typed = [
            f"{t} {p}" for v in given for t, p in zip(components(v.kind), v.parts, strict=True)
        ]
        returned = made.returned
        whole = returned_type(returned)
        call = f"call {whole} {made.name}({', '.join(typed)}) {how}"
        if not returned:
            self.do(call)
            return []
        result = self.emit(call)
        if len(returned) == 1:
            return [result]
        return [self.emit(f"extractvalue {whole} {result}, {k}") for k in range(len(returned))]
