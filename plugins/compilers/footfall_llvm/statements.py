"""Functions of kernels, as LLVM's code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import CO_VARARGS
from typing import Any

from footfall.errors import FootfallError, KernelError
from footfall_llvm.emitter import Made, returned_type
from footfall_llvm.expressions import Expressions, Functions
from footfall_llvm.sources import source_of
from footfall_llvm.values import (
    INTEGER,
    NOTHING,
    Kind,
    Value,
    common,
    components,
    items,
    known,
)


@dataclass
class _Loop:
    """Labels to go to from inside a loop, and whether a ``break`` leaves it."""

    again: str
    end: str
    left: bool = False


class Statements(Expressions):
    """Writes a function for kinds of its arguments.

    Attributes:
        result: kind of the result; None before the first ``return``.
    """

    def __init__(self, functions: Functions, called: Any, kinds: Sequence[Kind]) -> None:
        super().__init__(functions, called.function)
        self._called, self._argument_kinds = called, kinds
        self._node = source_of(called.function)
        self._at: ast.AST = self._node
        self.result: Kind | None = None
        self._loops: list[_Loop] = []

    def write(self, name: str) -> tuple[Made, str]:
        """Return the function and its code.

        A variable's kind holds all values that it gets. If a later one changes it, the function is
        written again.
        """
        self.name = name
        try:
            while True:
                self.restart()
                self._loops.clear()
                given = self._arguments()
                self._body()
                if not self.again:
                    break
        except KernelError as error:
            raise self._located(error) from None
        except FootfallError:
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise self._located(KernelError(f"kernels cannot do this ({told})")) from error
        return self._finished(name, given)

    def _located(self, error: KernelError) -> KernelError:
        """Return an error that tells the place."""
        if getattr(error, "located", False):
            return error
        code = self.function.__code__
        line = getattr(self._at, "lineno", code.co_firstlineno)
        told = f"{code.co_filename}:{line}: {self.function.__qualname__}: {error}"
        mixed = [name for name in sorted(self.mixed) if name.isidentifier()]
        if mixed:
            told += f" (with values of different kinds: {', '.join(mixed)})"
        found = KernelError(told)
        found.located = True  # type: ignore[attr-defined]
        return found

    def _arguments(self) -> list[str]:
        """Give the arguments their names; return their declarations."""
        code, count = self.function.__code__, len(self._argument_kinds)
        if count != code.co_argcount + bool(code.co_flags & CO_VARARGS):
            raise KernelError(f"{count} arguments for {code.co_argcount}")
        names = code.co_varnames[:count]
        assigned = {
            node.id
            for node in ast.walk(self._node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        declared: list[str] = []
        self.given.clear()
        for name, kind in zip(names, self._argument_kinds, strict=True):
            parts = tuple(f'%"{name}:{k}"' for k in range(len(components(kind))))
            declared += [f"{t} {p}" for t, p in zip(components(kind), parts, strict=True)]
            if name in assigned:
                self.assign(name, Value(kind, parts))
            else:
                self.given[name] = Value(kind, parts)
        return declared

    def _body(self) -> None:
        if isinstance(self._node, ast.Lambda):
            self._return(self.value(self._node.body))
        else:
            self._all(self._node.body)
        if not self.ended:
            self._return(NOTHING)

    def _finished(self, name: str, given: list[str]) -> tuple[Made, str]:
        made = Made(name, self.result or NOTHING.kind, self.raises)
        slots = [
            f'  %"{variable}.{k}" = alloca {held}'
            for variable, kind in self.kinds.items()
            for k, held in enumerate(components(kind))
        ]
        result = returned_type(self._returned())
        inlined = "alwaysinline " if self._called.inlined else ""
        head = f"define linkonce_odr {result} {name}({', '.join(given)}) {inlined}nounwind {{"
        return made, "\n".join([*self.constants, head, "entry:", *slots, *self.lines, "}"])

    # Statements.

    def _all(self, nodes: Sequence[ast.stmt]) -> None:
        """Write statements, up to one that leaves the block."""
        for node in nodes:
            if self.ended:
                return
            self._at = node
            method: Callable[[Any], None] | None = getattr(self, f"_{type(node).__name__}", None)
            if method is None:
                text = ast.unparse(node).partition("\n")[0]
                raise KernelError(f"kernels have no {type(node).__name__}: {text}")
            method(node)

    def _Pass(self, node: ast.stmt) -> None:
        pass

    def _Delete(self, node: ast.Delete) -> None:
        if not all(isinstance(target, ast.Name) for target in node.targets):
            raise KernelError(f"kernels delete nothing: {ast.unparse(node)}")

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._write(target, value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._write(node.target, self.value(node.value))

    def _write(self, target: ast.expr, value: Value) -> None:
        """Write a value to a variable, an element, or its items to several."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            values = list(items(value))
            if len(values) != len(target.elts):
                raise KernelError(f"{len(values)} values for {len(target.elts)} variables")
            for one, part in zip(target.elts, values, strict=True):
                self._write(one, part)
        elif isinstance(target, ast.Subscript):
            of, address = self._element_of(target)
            self.store(of.kind, address, value)
        else:
            raise KernelError(f"nothing can be assigned to {ast.unparse(target)}")

    def _element_of(self, target: ast.Subscript) -> tuple[Value, str]:
        """Return the array and the address of an element to be written."""
        of, index = self.value(target.value), self.value(target.slice)
        self.access = target
        address, row = self.place(of, index)
        if row is not None:
            raise KernelError(f"a row is written number by number: {ast.unparse(target)}")
        return of, address

    def _AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            of, address = self._element_of(target)
            before = self.load(of.kind, address)
            after = self.calculate(type(node.op), before, self.value(node.value))
            self.store(of.kind, address, after)
            return
        if not isinstance(target, ast.Name):
            raise KernelError(f"nothing can be assigned to {ast.unparse(target)}")
        before = self.value(ast.Name(target.id))
        self.assign(target.id, self.calculate(type(node.op), before, self.value(node.value)))

    def _Return(self, node: ast.Return) -> None:
        self._return(NOTHING if node.value is None else self.value(node.value))

    def _returned(self) -> list[str]:
        """Return LLVM's types of the result's operands."""
        return ["i1"] * self.raises + list(components(self.result or NOTHING.kind))

    def _return(self, value: Value) -> None:
        kind = value.kind if self.result is None else common(self.result, value.kind)
        self.again = self.again or (self.result is not None and kind != self.result)
        self.result = kind
        self._leave_with(["false"] * self.raises + list(self.cast(value, kind).parts))

    def _leave_with(self, parts: list[str]) -> None:
        kinds = self._returned()
        whole = returned_type(kinds)
        result = parts[0] if parts else ""
        if len(parts) > 1:
            result = "undef"
            for k, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
                result = self.emit(f"insertvalue {whole} {result}, {kind} {part}, {k}")
        self.do(f"ret {whole} {result}")
        self.ended = True

    def leave(self) -> None:
        """Leave the function with an exception."""
        self.again = self.again or not self.raises
        self.raises = True
        zeros = {"double": "0.0", "ptr": "null", "<4 x double>": "zeroinitializer"}
        self._leave_with(["true", *(zeros.get(kind, "0") for kind in self._returned()[1:])])

    def _Raise(self, node: ast.Raise) -> None:
        self.leave()

    def _Assert(self, node: ast.Assert) -> None:
        self._If(ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Raise()], []))

    def _If(self, node: ast.If) -> None:
        yes, no, end = self.label("then"), self.label("else"), self.label("end")
        found = self.condition(node.test, yes, no if node.orelse else end)
        if found is not None:
            self._all(node.body if found else node.orelse)
            return
        open_end = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.begin(label)
                self._all(body)
                open_end = open_end or not self.ended
                self.go(end)
        if open_end:
            self.begin(end)

    def _While(self, node: ast.While) -> None:
        self._no_else(node)
        again, body, end = self.label("while"), self.label("body"), self.label("end")
        self.go(again)
        self.begin(again)
        found = self.condition(node.test, body, end)
        if found is not None:
            self.go(body if found else end)
        self.begin(body)
        left = self._repeat(node.body, self.label("again"), end)
        self.go(again)
        self.begin(end)
        if found and not left:
            self.do("unreachable")
            self.ended = True

    def _repeat(self, body: list[ast.stmt], again: str, end: str) -> bool:
        """Write a loop's body, and begin the block that follows each time.

        Returns:
            True if a ``break`` leaves the loop.
        """
        self._loops.append(_Loop(again, end))
        self._all(body)
        self.go(again)
        self.begin(again)
        return self._loops.pop().left

    def _no_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise KernelError("loops in kernels have no else")

    def _Continue(self, node: ast.Continue) -> None:
        self.go(self._loops[-1].again)

    def _Break(self, node: ast.Break) -> None:
        self._loops[-1].left = True
        self.go(self._loops[-1].end)

    def _For(self, node: ast.For) -> None:
        self._no_else(node)
        over = node.iter
        called = self.value(over.func) if isinstance(over, ast.Call) else NOTHING
        if isinstance(over, ast.Call) and called == known(range):
            self._over_integers(node, self.values(over.args))
            return
        end = self.label("end")
        for value in items(self.value(over)):
            again = self.label("next")
            self._write(node.target, value)
            self._repeat(node.body, again, end)
        self.go(end)
        self.begin(end)

    def _over_integers(self, node: ast.For, given: list[Value]) -> None:
        """Write a loop over integers."""
        if any(value.kind != INTEGER for value in given):
            raise KernelError(f"a range of what are no integers: {ast.unparse(node.iter)}")
        parts = [value.parts[0] for value in given]
        first, stop, step = {1: ("0", *parts, "1"), 2: (*parts, "1"), 3: parts}.get(
            len(parts), "000"
        )
        if step == "0":
            raise KernelError(f"no such range: {ast.unparse(node.iter)}")
        if step.startswith("%"):
            self.leave_if(self.emit(f"icmp eq i64 {step}, 0"))
        head, body, again, end = map(self.label, ("for", "body", "next", "end"))
        counter = f"count of {head}"
        self.assign(counter, Value(INTEGER, (first,)))
        self.go(head)
        self.begin(head)
        at = self.read(counter)
        (count,) = at.parts
        if step.startswith("%"):
            up = self.emit(f"icmp sgt i64 {step}, 0")
            below, above = (
                self.emit(f"icmp {sign} i64 {count}, {stop}") for sign in ("slt", "sgt")
            )
            goes_on = self.select(up, "i1", below, above)
        else:
            sign = "sgt" if step.startswith("-") else "slt"
            goes_on = self.emit(f"icmp {sign} i64 {count}, {stop}")
        self.branch(goes_on, body, end)
        self.begin(body)
        self._write(node.target, at)
        self._repeat(node.body, again, end)
        following = self.emit(f"add nsw i64 {count}, {step}")
        self.assign(counter, Value(INTEGER, (following,)))
        self.go(head)
        self.begin(end)
