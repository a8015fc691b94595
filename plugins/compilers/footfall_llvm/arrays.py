"""Arrays in kernels, as LLVM's code: fields of tables, places, elements, rows and parts."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from footfall.errors import KernelError
from footfall.jit import checked
from footfall.jit.tables import COLUMNS, fields_of
from footfall_llvm.arithmetic import Arithmetic
from footfall_llvm.values import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    UNSIGNED,
    Array,
    Kind,
    Number,
    Opened,
    Tuple,
    Value,
    items,
)


class Arrays(Arithmetic):
    """Writes reads and writes of arrays.

    Attributes:
        function: the Python function that is written.
        name: LLVM's name of it.
        access: the access to an array that is written.
    """

    def __init__(self, function: FunctionType) -> None:
        super().__init__()
        self.function, self.name = function, ""
        self.access: ast.expr = ast.Constant(None)

    def field(self, kind: Opened, address: str, name: str) -> Value:
        """Read an array's address and lengths. Rows of tables never change while a kernel runs."""
        fields = {field.name: (row, field) for row, field in enumerate(fields_of(kind.of))}
        if name not in fields:
            raise KernelError(f"{kind} has no {name}")
        row, field = fields[name]
        parts = [self._entry(address, COLUMNS * row + k) for k in range(1 + field.ndim)]
        data = self.emit(f"inttoptr i64 {parts[0]} to ptr")
        return Value(Array(field.dtype, field.ndim), (data, *parts[1:]))

    def _entry(self, address: str, at: int) -> str:
        place = self.emit(f"getelementptr inbounds i64, ptr {address}, i64 {at}")
        return self.emit(f"load i64, ptr {place}, !invariant.load !0")

    def place(self, of: Value, index: Value) -> tuple[str, Value | None]:
        """Return the address of an array's element or row, and the row."""
        array = of.kind
        if not isinstance(array, Array):
            raise KernelError(f"{array} has no elements")
        indices = list(items(index)) if isinstance(index.kind, Tuple) else [index]
        count = len(indices)
        if not 0 < count <= array.ndim:
            raise KernelError(f"{array} is read by {count} indices")
        lengths = enumerate(of.parts[1 : 1 + count])
        offsets = [
            self.inside(self._index(one), length, axis)
            for one, (axis, length) in zip(indices, lengths, strict=True)
        ]
        address = self._address(of, array, offsets)
        if count == array.ndim:
            return address, None
        strides = of.parts[1 + array.ndim + count :] if array.strided else ()
        row = replace(array, ndim=array.ndim - count)
        return address, Value(row, (address, *of.parts[1 + count : 1 + array.ndim], *strides))

    def inside(self, index: str, length: str, axis: int, outside: str = "uge") -> str:
        """Return an index; with checked bounds, leave the function first if it is outside."""
        if not checked.bounds_are_on():
            return index
        code = self.function.__code__
        where = f"{code.co_filename}:{self.access.lineno}: {self.function.__qualname__}"
        told = f"{where}: {ast.unparse(self.access)}, axis {axis}".encode(errors="replace") + b"\0"
        text = f'{self.name[:-1]} text {len(self.constants)}"'
        plain = "".join(chr(c) if 31 < c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in told)
        self.constants.append(f'{text} = private constant [{len(told)} x i8] c"{plain}"')
        index = self.emit(f"freeze i64 {index}")  # of NaN: LLVM could drop the check of such a one
        self.leave_if(
            self.emit(f"icmp {outside} i64 {index}, {length}"),
            f"call void @footfall_outside(ptr {text}, i64 {index}, i64 {length})",
        )
        return index

    def _index(self, one: Value) -> str:
        if one.kind not in (INTEGER, UNSIGNED, BOOLEAN):
            raise KernelError(f"{one.kind} is no index")
        return self.cast(one, INTEGER).parts[0]

    def _address(self, of: Value, array: Array, offsets: list[str]) -> str:
        data = of.parts[0]
        if array.strided:
            for offset, stride in zip(offsets, of.parts[1 + array.ndim :], strict=False):
                step = self.emit(f"mul i64 {offset}, {stride}")
                data = self.emit(f"getelementptr i8, ptr {data}, i64 {step}")
            return data
        at = offsets[0]
        for axis, length in enumerate(of.parts[2 : 1 + array.ndim], 1):
            at = self.emit(f"mul i64 {at}, {length}")
            if axis < len(offsets):
                at = self.emit(f"add i64 {at}, {offsets[axis]}")
        return self.emit(f"getelementptr {_stored(array.dtype)}, ptr {data}, i64 {at}")

    def part(self, of: Value, low: Value | None, high: Value | None) -> Value:
        """Return a part of an array along its first axis, ``of[low:high]``."""
        array, length = of.kind, of.parts[1]
        assert isinstance(array, Array)
        begin = self.inside(self._index(low), length, 0, "ugt") if low else "0"
        end = self._index(high) if high else length
        address = self._address(of, array, [begin])
        if high:
            beyond = self.emit(f"icmp sgt i64 {end}, {length}")
            end = self.select(beyond, "i64", length, end)
        count = self.emit(f"sub i64 {end}, {begin}")
        count = self.select(self.emit(f"icmp sgt i64 {count}, 0"), "i64", count, "0")
        return Value(array, (address, count, *of.parts[2:]))

    def load(self, array: Kind, address: str) -> Value:
        """Read an element of an array."""
        assert isinstance(array, Array)
        stored, kind = _stored(array.dtype), _element(array.dtype)
        part = self.emit(f"load {stored}, ptr {address}")
        if kind == BOOLEAN:
            part = self.emit(f"icmp ne i8 {part}, 0")
        elif stored != kind.llvm:
            how = {"f": "fpext", "u": "zext"}.get(array.dtype.kind, "sext")
            part = self.emit(f"{how} {stored} {part} to {kind.llvm}")
        return Value(kind, (part,))

    def store(self, array: Kind, address: str, value: Value) -> None:
        """Write an element of an array."""
        assert isinstance(array, Array)
        if array.constant:
            raise KernelError(f"{array} is read-only")
        stored, kind = _stored(array.dtype), _element(array.dtype)
        part = self.cast(value, kind).parts[0]
        if stored != kind.llvm:
            how = {"f": "fptrunc", "b": "zext"}.get(array.dtype.kind, "trunc")
            part = self.emit(f"{how} {kind.llvm} {part} to {stored}")
        self.do(f"store {stored} {part}, ptr {address}")


def _element(dtype: np.dtype[Any]) -> Number:
    """Return the kind of an array's element."""
    if dtype == np.uint64:
        return UNSIGNED
    return {"b": BOOLEAN, "f": FLOAT}.get(dtype.kind, INTEGER)


_STORED = {"f8": "double", "f4": "float", "b1": "i8"}


def _stored(dtype: np.dtype[Any]) -> str:
    """Return LLVM's type of an array's element."""
    return _STORED.get(dtype.str[1:], f"i{8 * dtype.itemsize}")
