"""Expressions of kernels, as LLVM's code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, Protocol

from footfall.errors import KernelError
from footfall.jit.compiling import Choice, Kernel
from footfall.jit.tables import COLUMNS, Opener, kinds_of
from footfall_llvm.arrays import Arrays
from footfall_llvm.builtin import FUNCTIONS
from footfall_llvm.emitter import Made
from footfall_llvm.sources import outside
from footfall_llvm.values import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    Array,
    Kind,
    Known,
    Opened,
    TableKind,
    Tuple,
    Value,
    common,
    components,
    items,
    joined,
    known,
)


class Functions(Protocol):
    """The functions that the code of a kernel consists of."""

    def made(self, called: Any, kinds: tuple[Kind, ...]) -> Made:
        """Return a function for kinds of arguments."""


class Expressions(Arrays):
    """Writes expressions of a function."""

    def __init__(self, functions: Functions, function: FunctionType) -> None:
        super().__init__(function)
        self._functions = functions
        self.kinds: dict[str, Kind] = {}
        self.given: dict[str, Value] = {}
        self.mixed: set[str] = set()
        self.again = self.raises = False
        self._values = 0

    def value(self, node: ast.expr) -> Value:
        """Write an expression."""
        method: Callable[[Any], Value] | None = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise KernelError(f"kernels have no {type(node).__name__}: {ast.unparse(node)}")
        return method(node)

    def restart(self) -> None:
        """Forget what has been written, but not the kinds of variables."""
        super().restart()
        self.again, self._values = False, 0

    # Variables.

    def assign(self, name: str, value: Value) -> None:
        """Write a value into a variable, which gets a kind that holds all that it is given."""
        before = self.kinds.get(name)
        kind = value.kind if before is None else common(before, value.kind)
        if kind != before:
            self.kinds[name] = kind
            if before is not None:
                self.again = True
                self.mixed.add(name)
        for k, (held, part) in enumerate(
            zip(components(kind), self.cast(value, kind).parts, strict=True)
        ):
            self.do(f'store {held} {part}, ptr %"{name}.{k}"')

    def read(self, name: str) -> Value:
        """Read a variable."""
        kind = self.kinds[name]
        return Value(
            kind,
            tuple(
                self.emit(f'load {held}, ptr %"{name}.{k}"')
                for k, held in enumerate(components(kind))
            ),
        )

    def _Name(self, node: ast.Name) -> Value:
        if node.id in self.given:
            return self.given[node.id]
        if node.id in self.kinds:
            return self.read(node.id)
        if node.id in self.function.__code__.co_varnames:
            raise KernelError(f"{node.id} is read before anything is assigned to it")
        return known(outside(self.function, node.id))

    def _Constant(self, node: ast.Constant) -> Value:
        return known(node.value)

    # Parts of values.

    def _Attribute(self, node: ast.Attribute) -> Value:
        of, name = self.value(node.value), node.attr
        kind = of.kind
        if isinstance(kind, Known):
            root = ast.unparse(node).partition(".")[0]
            if root in self.given or root in self.kinds or not root.isidentifier():
                raise KernelError(f"{ast.unparse(node)} is read by its name in the module")
            if not hasattr(kind.value, name):
                raise KernelError(f"{kind} has no {name}")
            return known(getattr(kind.value, name))
        if isinstance(kind, Tuple) and name in kind.names:
            return list(items(of))[kind.names.index(name)]
        if isinstance(kind, Opened):
            return self.field(kind, of.parts[0], name)
        if isinstance(kind, Array) and name in ("shape", "ndim"):
            lengths = [Value(INTEGER, (part,)) for part in of.parts[1 : 1 + kind.ndim]]
            return joined(lengths) if name == "shape" else known(kind.ndim)
        if kind == INTEGER and name == "value":
            return of  # of an enumeration's member
        raise KernelError(f"{kind} has no {name}")

    def _Subscript(self, node: ast.Subscript) -> Value:
        of = self.value(node.value)
        if isinstance(of.kind, Tuple):
            return self._item(of, self.value(node.slice))
        if not isinstance(of.kind, Array):
            raise KernelError(f"{of.kind} has no elements")
        if isinstance(node.slice, ast.Slice):
            if node.slice.step is not None:
                raise KernelError(f"slices in kernels have no step: {ast.unparse(node)}")
            ends = node.slice.lower, node.slice.upper
            low, high = (self.value(end) if end else None for end in ends)
            self.access = node
            return self.part(of, low, high)
        index, self.access = self.value(node.slice), node
        address, rest = self.place(of, index)
        return rest or self.load(of.kind, address)

    def _item(self, of: Value, index: Value) -> Value:
        """Return an item of a tuple; if the index is not known, of one whose items are alike."""
        found, at = list(items(of)), index.literal
        if at is not None:
            if not -len(found) <= at < len(found):
                raise KernelError(f"{of.kind} has no item {at}")
            return found[at]
        if index.kind != INTEGER or not found:
            raise KernelError(f"{of.kind} has no item {index.kind}")
        kind = found[0].kind
        for one in found[1:]:
            kind = common(kind, one.kind)
        chosen = self.cast(found[0], kind).parts
        for k, one in enumerate(found[1:], 1):
            here = self.emit(f"icmp eq i64 {index.parts[0]}, {k}")
            parts = zip(components(kind), self.cast(one, kind).parts, chosen, strict=True)
            chosen = tuple(self.select(here, held, yes, no) for held, yes, no in parts)
        return Value(kind, chosen)

    # Choices.

    def _Tuple(self, node: ast.Tuple) -> Value:
        return joined(self.values(node.elts))

    def values(self, nodes: list[ast.expr]) -> list[Value]:
        """Write expressions, with the items of those that have a star."""
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += items(self.value(node.value))
            else:
                found.append(self.value(node))
        return found

    def _BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if (
            isinstance(left.kind, Tuple)
            and isinstance(right.kind, Tuple)
            and isinstance(node.op, ast.Add)
        ):
            return joined((*items(left), *items(right)))
        return self.calculate(type(node.op), left, right)

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            if isinstance(truth, bool):
                return known(not truth)
            return Value(BOOLEAN, (self.emit(f"xor i1 {truth}, true"),))
        if value.kind == FLOAT and isinstance(node.op, ast.USub):
            return Value(FLOAT, (self.emit(f"fneg double {value.parts[0]}"),))
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            return self.calculate(ast.BitXor, value, known(-1))
        return self.calculate(ast.Sub, known(0), value)

    def _Compare(self, node: ast.Compare) -> Value:
        left = self.value(node.left)
        parts = list(zip(node.ops, node.comparators, strict=True))
        return self._chain(left, parts)

    def _chain(self, left: Value, parts: list[tuple[ast.cmpop, ast.expr]]) -> Value:
        (how, node), *rest = parts
        right = self.value(node)
        if isinstance(how, ast.In | ast.NotIn):
            found = known(False)
            for one in items(right):
                equal = self.compare(ast.Eq, left, one)
                found = self.calculate(ast.BitOr, found, equal)
            here = (
                found if isinstance(how, ast.In) else self.calculate(ast.BitXor, found, known(True))
            )
        elif isinstance(left.kind, Tuple) and isinstance(right.kind, Tuple):
            here = self._equal_items(how, left, right)
        else:
            here = self.compare(type(how), left, right)
        if not rest:
            return here
        return self._both(here, lambda: self._chain(right, rest), until=False)

    def _equal_items(self, how: ast.cmpop, left: Value, right: Value) -> Value:
        pairs = list(zip(items(left), items(right), strict=False))
        if not isinstance(how, ast.Eq | ast.NotEq):
            raise KernelError("tuples have no order in kernels")
        same = known(len(list(items(left))) == len(list(items(right))))
        for a, b in pairs:
            same = self.calculate(ast.BitAnd, same, self.compare(ast.Eq, a, b))
        return same if isinstance(how, ast.Eq) else self.calculate(ast.BitXor, same, known(True))

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        until, (first, *rest) = isinstance(node.op, ast.Or), node.values
        value = self.value(first)
        for one in rest:
            value = self._both(value, lambda one=one: self.value(one), until=until)  # type: ignore[misc]
        return value

    def _both(self, first: Value, second: Callable[[], Value], *, until: bool) -> Value:
        """Return the first value if its truth is ``until``, else the second."""
        truth = self.truth(first)
        if isinstance(truth, bool):
            return first if truth == until else second()
        more, end, name = self.label("more"), self.label("end"), self._unnamed()
        self.assign(name, first)
        self.branch(truth, *((end, more) if until else (more, end)))
        self.begin(more)
        self.assign(name, second())
        self.go(end)
        self.begin(end)
        return self.read(name)

    def condition(self, node: ast.expr, yes: str, no: str) -> bool | None:
        """Leave the block for one of two by a condition; return it, and stay, if it is known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = self.condition(node.operand, no, yes)
            return None if found is None else not found
        if not isinstance(node, ast.BoolOp):
            truth = self.truth(self.value(node))
            if isinstance(truth, bool):
                return truth
            self.branch(truth, yes, no)
            return None
        until, left = isinstance(node.op, ast.Or), False
        for one in node.values:
            more = self.label("more")
            found = self.condition(one, *((yes, more) if until else (more, no)))
            if found is None:
                self.begin(more)
                left = True
            elif found is until:
                break
        else:
            found = not until
        if not left:
            return found
        self.go(yes if found else no)
        return None

    def _IfExp(self, node: ast.IfExp) -> Value:
        yes, no, end = self.label("yes"), self.label("no"), self.label("end")
        found = self.condition(node.test, yes, no)
        if found is not None:
            return self.value(node.body if found else node.orelse)
        name = self._unnamed()
        for label, one in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            self.assign(name, self.value(one))
            self.go(end)
        self.begin(end)
        return self.read(name)

    def _unnamed(self) -> str:
        """Return the name of a value that has none, which is the same when it is written again."""
        self._values += 1
        return f"value {self._values}"

    # Calls.

    def _Call(self, node: ast.Call) -> Value:
        called = self.value(node.func)
        if not isinstance(called.kind, Known):
            raise KernelError(f"{called.kind} cannot be called")
        given = self.values(node.args)
        if any(one.arg is None for one in node.keywords):
            raise KernelError(f"kernels have no **: {ast.unparse(node)}")
        named = {one.arg: self.value(one.value) for one in node.keywords if one.arg}
        self.access = node
        return self.call(called.kind.value, given, named)

    def call(self, called: Any, given: list[Value], named: dict[str, Value]) -> Value:
        """Write a call of a function."""
        if isinstance(called, Kernel):
            return self.call_function(called, given, named)
        if isinstance(called, Choice):
            way = given[0].kind.of if given and isinstance(given[0].kind, Tuple) else None
            if way not in called.functions:
                raise KernelError(f"no function for {given[0].kind if given else 'no argument'}")
            return self.call(called.functions[way], given[1:], named)
        if isinstance(called, Opener):
            return self._open(called, *given)
        name = getattr(called, "__qualname__", called)
        write = FUNCTIONS.get(called) if isinstance(called, Hashable) else None
        if write is not None and not named:
            try:
                return write(self, *given)
            except (TypeError, ValueError):
                told = ", ".join(str(value.kind) for value in given) or "nothing"
                raise KernelError(f"{name} does not take {told} in kernels") from None
        if isinstance(called, type) and issubclass(called, tuple) and hasattr(called, "_fields"):
            defaults = {name: known(one) for name, one in vars(called)["_field_defaults"].items()}
            return joined(bound(called._fields, given, named, defaults), called)
        raise KernelError(f"kernels cannot call {name}: mark it inner, routine or kernel")

    def _open(self, opener: Opener, table: Value) -> Value:
        """Write the opening of a named tuple: the address of its first row.

        Raises:
            LayoutError: if the table does not hold it.
        """
        held = kinds_of(table.kind.row) if isinstance(table.kind, TableKind) else None
        opener.require(held)
        words = f"getelementptr i64, ptr {table.parts[0]}, i64 {COLUMNS * opener.first}"
        return Value(Opened(opener.kind), (self.emit(words),))

    def call_function(self, called: Any, given: list[Value], named: dict[str, Value]) -> Value:
        """Write a call of what is marked ``kernel``, ``inner`` or ``routine``."""
        code, function = called.function.__code__, called.function
        names = code.co_varnames[: code.co_argcount]
        if code.co_kwonlyargcount or code.co_flags & CO_VARKEYWORDS:
            raise KernelError(f"{called} has arguments that are given by name only")
        first = len(names) - len(function.__defaults__ or ())
        defaults = dict(zip(names[first:], map(known, function.__defaults__ or ()), strict=True))
        more = []
        if code.co_flags & CO_VARARGS:
            given, more = given[: len(names)], [joined(given[len(names) :])]
        values = [*bound(names, given, named, defaults), *more]
        made = self._functions.made(called, tuple(value.kind for value in values))
        parts = self.called(made, values)
        if made.raises:
            self.leave_if(parts.pop(0))
        return Value(made.result, tuple(parts))


def bound(
    names: Sequence[str], given: list[Value], named: dict[str, Value], defaults: dict[str, Value]
) -> list[Value]:
    """Return the values of a call in the order of the arguments' names.

    Raises:
        KernelError: if there are too many, or one is missing or unknown.
    """
    values = defaults | dict(zip(names, given, strict=False)) | named
    missing = [name for name in names if name not in values]
    if missing or len(given) > len(names) or set(named) - set(names[len(given) :]):
        wrong = f"{', '.join(missing)} missing" if missing else "too many, or unknown"
        raise KernelError(f"arguments of a call: {wrong}")
    return [values[name] for name in names]
