"""Operations on numbers in kernels, as LLVM's code.

Numbers are Python's, with NumPy's answers where Python raises: a float divided by zero is infinite
or NaN, an integer divided by zero is 0, and integers have 64 bits and wrap around.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from footfall.errors import KernelError
from footfall_llvm.emitter import Emitter
from footfall_llvm.values import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    RANKS,
    UNSIGNED,
    Array,
    Kind,
    Known,
    Number,
    Tuple,
    Value,
    common,
    components,
    float_text,
    items,
    joined,
    known,
)

_SIGNS: dict[type[ast.cmpop], tuple[str, str, str]] = {
    ast.Eq: ("eq", "eq", "oeq"),
    ast.NotEq: ("ne", "ne", "une"),
    ast.Lt: ("slt", "ult", "olt"),
    ast.LtE: ("sle", "ule", "ole"),
    ast.Gt: ("sgt", "ugt", "ogt"),
    ast.GtE: ("sge", "uge", "oge"),
}
"""Conditions of LLVM for signed integers, unsigned ones and floats."""
_PLAIN: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "fadd"),
    ast.Sub: ("sub", "fsub"),
    ast.Mult: ("mul", "fmul"),
}
_BITS: dict[type[ast.operator], str] = {
    **{ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"},
    **{ast.LShift: "shl", ast.RShift: "ashr"},
}
_FOLDED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.LShift: int.__lshift__,
    ast.RShift: int.__rshift__,
    ast.BitAnd: int.__and__,
    ast.BitOr: int.__or__,
    ast.BitXor: int.__xor__,
}
"""Operations on literal integers, whose result indexes tuples."""


class Arithmetic(Emitter):
    """Writes operations on numbers."""

    def cast(self, value: Value, kind: Kind) -> Value:
        """Convert a value to the kind of a variable or an element that holds it."""
        if value.kind == kind:
            return value
        if isinstance(kind, Tuple) and isinstance(value.kind, Tuple):
            parts = zip(items(value), kind.items, strict=True)
            return joined((self.cast(one, to) for one, to in parts), kind.of)
        if isinstance(kind, Array) and isinstance(value.kind, Array):
            more = self.strides(value) if kind.strided and not value.kind.strided else ()
            return Value(kind, (*value.parts, *more))
        if value.kind not in RANKS or kind not in RANKS:
            raise KernelError(f"{value.kind} is no {str(kind).removeprefix('a ')}")
        (part,) = value.parts
        if kind == FLOAT:
            if value.literal is not None:
                return Value(kind, (float_text(float(value.literal)),))
            how = "sitofp" if value.kind == INTEGER else "uitofp"
            return Value(kind, (self.emit(f"{how} {components(value.kind)[0]} {part} to double"),))
        if kind == BOOLEAN:
            return Value(kind, (str(self.truth(value)).lower(),))
        if value.kind == FLOAT:
            how = "fptoui" if kind == UNSIGNED else "fptosi"
            return Value(kind, (self.emit(f"{how} double {part} to i64"),))
        if value.kind == BOOLEAN:
            return Value(kind, (self.emit(f"zext i1 {part} to i64"),))
        return Value(kind, value.parts)

    def strides(self, array: Value) -> list[str]:
        """Return the strides of an array, [bytes]."""
        kind = array.kind
        assert isinstance(kind, Array)
        if kind.strided:
            return list(array.parts[1 + kind.ndim :])
        found, step = list[str](), str(kind.dtype.itemsize)
        for length in reversed(array.parts[1:]):
            found.insert(0, step)
            step = self.emit(f"mul i64 {step}, {length}")
        return found

    def truth(self, value: Value) -> str | bool:
        """Return whether a value counts as true: a condition, or what is known."""
        if isinstance(value.kind, Known | Tuple):
            return bool(value.kind.value if isinstance(value.kind, Known) else value.kind.items)
        if value.literal is not None:
            return bool(value.literal)
        if value.kind == BOOLEAN:
            return {"true": True, "false": False}.get(value.parts[0], value.parts[0])
        if value.kind == FLOAT:
            return self.emit(f"fcmp une double {value.parts[0]}, {float_text(0.0)}")
        if value.kind in RANKS:
            return self.emit(f"icmp ne i64 {value.parts[0]}, 0")
        raise KernelError(f"{value.kind} is neither true nor false")

    def together(self, a: Value, b: Value, at_least: Number = BOOLEAN) -> tuple[Number, str, str]:
        """Convert two numbers to one kind."""
        if a.kind not in RANKS or b.kind not in RANKS:
            raise KernelError(f"no arithmetic with {a.kind if a.kind not in RANKS else b.kind}")
        kind = common(common(a.kind, b.kind), at_least)
        assert isinstance(kind, Number)
        return kind, self.cast(a, kind).parts[0], self.cast(b, kind).parts[0]

    def compare(self, how: type[ast.cmpop], a: Value, b: Value) -> Value:
        """Compare two values."""
        if how in (ast.Is, ast.IsNot) or isinstance(a.kind, Known) or isinstance(b.kind, Known):
            if how not in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq):
                raise KernelError(f"{a.kind} and {b.kind} have no order")
            if not isinstance(a.kind, Known) and not isinstance(b.kind, Known):
                raise KernelError(f"`is` with {a.kind} and {b.kind}: compare with ==")
            same = a.kind == b.kind
            if isinstance(a.kind, Known) and isinstance(b.kind, Known):
                same = same or (type(a.kind.value) is str and a.kind.value == b.kind.value)
            return known(same == (how in (ast.Is, ast.Eq)))
        if how not in _SIGNS:
            raise KernelError("no such comparison")
        kind, x, y = self.together(a, b, INTEGER)
        signed, unsigned, real = _SIGNS[how]
        if kind == FLOAT:
            return Value(BOOLEAN, (self.emit(f"fcmp {real} double {x}, {y}"),))
        if a.literal is not None and b.literal is not None:
            outcome = {"eq": x == y, "ne": x != y}
            if signed in outcome:
                return known(outcome[signed])
        sign = unsigned if kind == UNSIGNED else signed
        return Value(BOOLEAN, (self.emit(f"icmp {sign} i64 {x}, {y}"),))

    def calculate(self, how: type[ast.operator], a: Value, b: Value) -> Value:
        """Add, subtract, multiply, divide, shift, combine bits, raise to a power."""
        if how in _FOLDED and a.literal is not None and b.literal is not None:
            bits = how not in (ast.LShift, ast.RShift) or 0 <= b.literal < 64
            folded = _FOLDED[how](a.literal, b.literal) if bits else 2**63
            if a.kind == b.kind == INTEGER and -(2**63) <= folded < 2**63:
                return known(folded)
        if how in _BITS:
            return self._bits(how, a, b)
        if how is ast.Pow:
            return self.power(a, b)
        kind, x, y = self.together(a, b, FLOAT if how is ast.Div else INTEGER)
        if how is ast.Div:
            return Value(FLOAT, (self.emit(f"fdiv double {x}, {y}"),))
        if how in _PLAIN:
            name = _PLAIN[how][kind == FLOAT]
            return Value(kind, (self.emit(f"{name} {kind.llvm} {x}, {y}"),))
        if how not in (ast.Mod, ast.FloorDiv):
            raise KernelError("no such operation on numbers")
        if kind == FLOAT:
            whole, rest = self._float_division(x, y)
        else:
            whole, rest = self._division(kind, x, y)
        return Value(kind, (rest if how is ast.Mod else whole,))

    def _bits(self, how: type[ast.operator], a: Value, b: Value) -> Value:
        if how not in (ast.LShift, ast.RShift) and a.kind == b.kind == BOOLEAN:
            return Value(BOOLEAN, (self.emit(f"{_BITS[how]} i1 {a.parts[0]}, {b.parts[0]}"),))
        kind, x, y = self.together(a, b, INTEGER)
        if kind == FLOAT:
            raise KernelError("a float has no bits")
        name = "lshr" if how is ast.RShift and kind == UNSIGNED else _BITS[how]
        if how not in (ast.LShift, ast.RShift):
            return Value(kind, (self.emit(f"{name} i64 {x}, {y}"),))
        fits = self.emit(f"icmp ult i64 {y}, 64")
        if name == "ashr":
            return Value(kind, (self.emit(f"ashr i64 {x}, {self.select(fits, 'i64', y, '63')}"),))
        return Value(kind, (self.select(fits, "i64", self.emit(f"{name} i64 {x}, {y}"), "0"),))

    def _division(self, kind: Number, x: str, y: str) -> tuple[str, str]:
        """Return the quotient, rounded down, and the rest; both are 0 if y is.

        If y is 0 or -1, where the processor would stop, x is divided by 1 instead, and the quotient
        is x y.
        """
        plain = y[0] != "%" and y not in ("0", "-1")
        beyond = y if plain or kind == UNSIGNED else self.emit(f"add i64 {y}, 1")
        odd = "" if plain else self.emit(f"icmp ule i64 {beyond}, {int(kind != UNSIGNED)}")
        by = y if plain else self.select(odd, "i64", "1", y)
        if kind == UNSIGNED:
            whole, rest = self.emit(f"udiv i64 {x}, {by}"), self.emit(f"urem i64 {x}, {by}")
        else:
            whole, rest = self.emit(f"sdiv i64 {x}, {by}"), self.emit(f"srem i64 {x}, {by}")
            signs = self.emit(f"xor i64 {rest}, {by}")
            other, some = self.emit(f"icmp slt i64 {signs}, 0"), self.emit(f"icmp ne i64 {rest}, 0")
            below = self.emit(f"and i1 {other}, {some}")
            one = self.emit(f"zext i1 {below} to i64")
            whole = self.emit(f"sub i64 {whole}, {one}")
            rest = self.emit(f"add i64 {rest}, {self.select(below, 'i64', by, '0')}")
        if plain:
            return whole, rest
        return self.select(odd, "i64", self.emit(f"mul i64 {x}, {y}"), whole), rest

    def _float_division(self, x: str, y: str) -> tuple[str, str]:
        """Return the quotient, rounded down, and the rest with the sign of y, as Python does."""
        zero = float_text(0.0)
        rest = self.emit(f"frem double {x}, {y}")
        whole = self.emit(f"fdiv double {self.emit(f'fsub double {x}, {rest}')}, {y}")
        some = self.emit(f"fcmp une double {rest}, {zero}")
        signs = [self.emit(f"fcmp olt double {one}, {zero}") for one in (rest, y)]
        below = self.emit(f"and i1 {some}, {self.emit(f'xor i1 {signs[0]}, {signs[1]}')}")
        more, less = (
            self.emit(f"fadd double {rest}, {y}"),
            self.emit(f"fsub double {whole}, {float_text(1.0)}"),
        )
        signed = self.intrinsic("copysign", zero, y)
        rest = self.select(some, "double", self.select(below, "double", more, rest), signed)
        whole = self.select(below, "double", less, whole)
        low = self.intrinsic("floor", whole)
        part = self.emit(f"fsub double {whole}, {low}")
        up = self.emit(f"fcmp ogt double {part}, {float_text(0.5)}")
        high = self.emit(f"fadd double {low}, {float_text(1.0)}")
        ratio = self.emit(f"fdiv double {x}, {y}")
        nothing = self.intrinsic("copysign", zero, ratio)
        counts = self.emit(f"fcmp une double {whole}, {zero}")
        whole = self.select(counts, "double", self.select(up, "double", high, low), nothing)
        divides = self.emit(f"fcmp une double {y}, {zero}")
        return self.select(divides, "double", whole, ratio), rest

    def power(self, a: Value, b: Value) -> Value:
        """Return a to the power of b; whole powers that are known are products."""
        whole = b.literal
        if whole is None or abs(whole) > 64:
            _, x, y = self.together(a, b, FLOAT)
            return Value(FLOAT, (self.intrinsic("pow", x, y),))
        result, factor, left = known(1), a, abs(whole)
        while left:
            if left & 1:
                unit = result.literal == 1
                result = factor if unit else self.calculate(ast.Mult, result, factor)
            left >>= 1
            if left:
                factor = self.calculate(ast.Mult, factor, factor)
        return (
            self.calculate(ast.Div, known(1.0), result)
            if whole < 0
            else self.cast(result, common(a.kind, INTEGER))
        )

    def intrinsic(self, name: str, *parts: str) -> str:
        """Write a call of one of LLVM's functions of floats."""
        given = ", ".join(f"double {part}" for part in parts)
        return self.emit(f"call double @llvm.{name}.f64({given})")
