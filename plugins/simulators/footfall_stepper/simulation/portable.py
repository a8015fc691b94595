"""The step of a simulator with its memory, for machines that have no Python.

A step is a stage: the address of a C function and of a frame. All that it reads and writes hangs on
the frame: cells, arrays, tables of arrays, addresses of other stages (see ``footfall.jit.stages``).
So the memory can be moved: its blocks are copied, words that hold addresses get new ones, and words
that hold functions get their places in another module, e.g. of WebAssembly.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError
from footfall.jit.cache_folder import cache_root, digest, read_whole, write_whole
from footfall.jit.caching import COMPILER
from footfall.jit.compiling import Binding
from footfall.jit.native import Cell, kind_of, object_name
from footfall.jit.stages import Addresses, Callback, CallingBinding, LateStage, Stage
from footfall.jit.tables import Table, held_by
from footfall_stepper.kernels.step.program import RowPointer
from footfall_stepper.stepping.program import StepProgram

ALIGNMENT = 32
"""Of a block, [byte]: that of the widest numbers of a processor."""


@dataclass(frozen=True)
class PortableKernel:
    """A kernel that a step calls.

    Attributes:
        name: of its C function: the same for the same sources and kinds of arguments.
        kernel: marked ``kernel``.
        arguments: examples of its arguments.
    """

    name: str
    kernel: Any
    arguments: tuple[Any, ...]


def wasm_module(kernels: Sequence[PortableKernel]) -> bytes:
    """Return kernels as one WebAssembly module (see ``footfall_llvm.wasm``), in their order.

    Their objects are kept beside those for this machine.

    Raises:
        PluginError: if the linker is missing or fails.
    """
    wasm = import_module(f"{COMPILER}.wasm")
    wasm.linker()
    made = wasm.TRIPLE, wasm.FEATURES, version("llvmlite")
    folder = cache_root() / digest(" ".join(made).encode()).decode()
    paths = [folder / f"{kernel.name}.o" for kernel in kernels]
    found = [read_whole(path) for path in paths]
    missing = [k for k, code in enumerate(found) if code is None]
    translated = import_module(f"{COMPILER}.compiler").translated
    codes = [translated(k.kernel, k.arguments, k.name) for k in map(kernels.__getitem__, missing)]
    for k, code in zip(missing, wasm.objects_of(codes), strict=True):
        found[k] = code
        write_whole(paths[k], code)
    module: bytes = wasm.linked(found, [kernel.name for kernel in kernels])
    return module


@dataclass(frozen=True)
class Moved:
    """Memory in another place.

    Attributes:
        image: the bytes from ``base`` on.
        base: its first address.
        calls: address of each word that holds a function, and the function's place in ``kernels``;
            -1: Python, which is not there.
        kernels: names of the functions.
    """

    image: bytearray
    base: int
    calls: list[tuple[int, int]]
    kernels: tuple[str, ...]
    _starts: list[int] = field(repr=False)
    _ends: list[int] = field(repr=False)
    _moved: list[int] = field(repr=False)

    def address(self, here: int) -> int:
        """Return the new address of a byte.

        Raises:
            SimulationError: if the memory does not hold it.
        """
        at = bisect_right(self._starts, here) - 1
        if at < 0 or here > self._ends[at]:
            raise SimulationError("an array of the step is not part of its memory")
        return self._moved[at] + here - self._starts[at]


class Memory:
    """The memory that stages reach.

    Attributes:
        kernels: all kernels that are called, by the address of their C functions.
        python: the Python functions that are called on request, e.g. when room runs out.
    """

    def __init__(self, program: StepProgram) -> None:
        program.point(program.rows, 0)
        program.row[RowPointer.STRIDE] = 0  # all steps write the same row
        self._follow(program)  # kernels compiled at their first call get their room
        self._follow(program)

    def _follow(self, program: StepProgram) -> None:
        """Find all that the stages of a program reach."""
        self.kernels: dict[int, PortableKernel] = {}
        self.python: list[Callback] = []
        self._blocks: dict[int, int] = {}
        self._pointers: set[int] = set()
        self._calls: set[int] = set()
        self._seen: set[int] = set()
        self._kept: list[object] = []  # identities stay unique
        for stage in (program.whole, *program.stages):
            self.add(stage)
        self._addresses(program.calls)
        self._block(program.rows)
        self._pointers.add(program.row[RowPointer.ADDRESS :].ctypes.data)

    def add(self, stage: Stage) -> None:
        """Add a stage, and all that it calls and reads."""
        if isinstance(stage.called, LateStage):
            if self._is_new(stage.called):
                found = stage.called.compiled()
                self.python += [] if found else [stage.called]
                if found:
                    self.add(found)
        elif isinstance(stage.called, Callback):
            self.python += [stage.called] if self._is_new(stage.called) else []
        elif self._is_new(stage.words):
            self._add_bound(stage, stage.called)

    def _add_bound(self, stage: Stage, bound: Binding) -> None:
        given = (*bound.fixed, *bound.like)
        name = object_name(bound.kernel, tuple(map(kind_of, given)))
        if name is None or stage.words is None:
            raise SimulationError(f"{bound.kernel} has sources that cannot be read")
        self.kernels[stage.function] = PortableKernel(name, bound.kernel, given)
        self._block(stage.words)
        self._pointers.update(_words(stage.words))
        for value, cell in zip(bound.fixed, stage.cells, strict=False):
            if isinstance(value, np.ndarray) and value.dtype.names:
                self._table(value)
            else:
                self._cell(cell, value)
        for like, cell in zip(bound.like, stage.cells[len(bound.fixed) :], strict=True):
            self._cell(cell, None)
            if isinstance(like, np.ndarray):
                at, *shape = cell.tolist()
                self._range(at, at + like.itemsize * int(np.prod(shape[: like.ndim])))
                self._pointers.add(cell.ctypes.data)
        for other in bound.stages if isinstance(bound, CallingBinding) else ():
            self.add(other)
        for kept in bound.kept:
            if isinstance(kept, Callback):
                self.add(kept.stage)

    def _cell(self, cell: Cell, value: Any) -> None:
        """Add the cell of a number, or of an array with the array."""
        self._block(cell)
        if isinstance(value, np.ndarray):
            self._pointers.add(cell.ctypes.data)
            self._array(value)

    def _table(self, table: Table) -> None:
        if self._is_new(table):
            self._block(table)
            rows = table.view(np.int64).reshape(len(table), -1)
            for row, array in zip(rows, held_by(table), strict=True):
                self._pointers.add(row.ctypes.data)
                self._array(array)

    def _array(self, array: npt.NDArray[Any]) -> None:
        if isinstance(array, Addresses):
            self._addresses(array)
        else:
            self._block(array)

    def _addresses(self, array: npt.NDArray[np.int64]) -> None:
        """Add an array of functions and frames in turn."""
        if self._is_new(array):
            self._block(array)
            words = list(_words(array))
            self._calls.update(words[::2])
            self._pointers.update(words[1::2])

    def _is_new(self, part: object) -> bool:
        new = id(part) not in self._seen
        self._seen.add(id(part))
        self._kept.append(part)
        return new

    def _block(self, array: npt.NDArray[Any]) -> None:
        """Add the numbers of an array, with those around them of which it is a view."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        if array.size:
            self._range(*np.lib.array_utils.byte_bounds(array))
        else:
            self._range(array.ctypes.data, array.ctypes.data)

    def _range(self, start: int, end: int) -> None:
        self._blocks[start] = max(end, self._blocks.get(start, 0))

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each block in order; blocks that overlap are one."""
        start, end = -1, -1
        for first, last in sorted(self._blocks.items()):
            if first >= end and start >= 0:
                yield start, end
                start = -1
            start, end = (first, last) if start < 0 else (start, max(end, last))
        if start >= 0:
            yield start, end

    def words(self) -> npt.NDArray[np.int64]:
        """Return all words of all blocks, in order."""
        parts = [ctypes.string_at(start, (end - start) // 8 * 8) for start, end in self.blocks()]
        return np.frombuffer(b"".join(parts), np.int64)

    def places(self) -> npt.NDArray[np.int64]:
        """Return the address of each of ``words``."""
        return np.concatenate([a + 8 * np.arange((b - a) // 8) for a, b in self.blocks()])

    def moved(self, base: int, kernels: Sequence[str]) -> Moved:
        """Return the memory as it is now, in another place.

        Args:
            base: its first address.
            kernels: names of the functions, in the order of the other module.
        """
        blocks = [*self.blocks()]
        sizes = [(b - a + 8 + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT for a, b in blocks]
        places = (base + np.cumsum([0, *sizes])).tolist()
        starts, ends = [a for a, _ in blocks], [b for _, b in blocks]
        calls: list[tuple[int, int]] = []
        made = Moved(bytearray(sum(sizes)), base, calls, tuple(kernels), starts, ends, places)
        for (start, end), to in zip(blocks, places, strict=False):
            made.image[to - base : to - base + end - start] = ctypes.string_at(start, end - start)
        number = {name: k for k, name in enumerate(kernels)}
        for word in sorted(self._pointers | self._calls):
            value, to = ctypes.c_int64.from_address(word).value, made.address(word)
            called = self.kernels.get(value)
            if word in self._calls:
                calls.append((to, number[called.name] if called else -1))
            held = 0 if word in self._calls or not value else made.address(value)
            made.image[to - base : to - base + 8] = held.to_bytes(8, "little")
        return made


def _words(array: npt.NDArray[np.int64]) -> range:
    """Return the addresses of an array's words."""
    start = array.ctypes.data
    return range(start, start + array.nbytes, 8)
