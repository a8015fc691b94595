"""Kernels as native objects: one process compiles and keeps them, later ones load them.

An object holds one kernel for arguments of given kinds, for one kind of processor. Its name is a
hash of the kernel's sources (see ``footfall.jit.caching``) and of the kinds. If no object has that
name, the kernel is compiled. Objects of an installed wheel are tried first
(``FOOTFALL_OBJECTS=0`` skips them), then those compiled on this machine.

An object is a C function, ``int f(int64_t *frame)``. The frame holds the address of each argument:
of a *cell* with a number, of a cell with an array's address and lengths, or of a table. Frames of
calls from Python hold the numbers themselves and the addresses of NumPy's array objects, which
takes a tenth of the time (see ``footfall.jit.frames``).
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from itertools import count
from pathlib import Path
from struct import Struct
from threading import RLock
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from footfall.errors import KernelError, SimulationError
from footfall.jit.announcement import compilations
from footfall.jit.cache_folder import (
    CacheWarning,
    cache_root,
    digest,
    is_guarded,
    read_whole,
    write_whole,
)
from footfall.jit.caching import COMPILER, OBJECTS, Compiled, source_hash
from footfall.jit.frames import FIELDS, LETTERS, RAISED, address_of
from footfall.jit.making import Job, Making
from footfall.jit.tables import kinds_of

PLATFORM = f"{sys.platform}-{platform.machine()}"
LEVELS = {
    "linux-x86_64/x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "linux-x86_64/x86-64-v2": ("cx16", "popcnt", "sse4.2", "ssse3"),
    "linux-aarch64/generic": (),
    "darwin-arm64/apple-m1": (),
}
"""Features that a processor must have, by platform and LLVM's name of the processor, the best first
(x86-64 psABI, 3.1.1)."""
Cell = npt.NDArray[Any]
"""One number, shape (1,), float64 or int64; of an array: its address, lengths, and strides unless
it is C-contiguous, int64."""
Kinds = tuple[object, ...]
"""Properties of the arguments that compiled code depends on: see ``kind_of``."""
_NUMBERS = {float: "f", np.float64: "f", int: "i", np.int64: "i", bool: "b", np.bool_: "b"}
_FLOATS = np.dtype(np.float64)
_ALONE = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_BESIDE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def lock_of_threads() -> Any:
    """Return a lock that a fork takes as well: no copy of the process finds it held."""
    lock = RLock()
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )
    return lock


_LOADS = lock_of_threads()
LATE = lock_of_threads()
"""Lock for compiling late stages: several threads may need theirs at the same time."""
_UNNAMED = count()


class Entry:
    """A kernel's C functions, which may still be compiled: who asks for an address waits for all.

    Attributes:
        result: a letter for each number of the kernel's result, in brackets if it is a tuple.
    """

    def __init__(self, symbol: str, result: str) -> None:
        self.result, self._symbol = result, symbol
        self._addresses: tuple[int, int] | None = None
        self._asked: list[Callable[[int], None]] = []

    def load(self, code: bytes) -> None:
        """Load the object, and tell its address to those who have asked."""
        self._addresses = _load(code, self._symbol)
        for write in self._asked:
            write(self._addresses[0])
        self._asked.clear()

    def tell(self, write: Callable[[int], None]) -> None:
        """Have the address written as soon as it is known."""
        if self._addresses is None:
            self._asked.append(write)
        else:
            write(self._addresses[0])

    @property
    def address(self) -> int:
        """Address of the function whose frame holds addresses of cells."""
        return self._known()[0]

    @property
    def python(self) -> int:
        """Address of the function for calls from Python.

        Its frame holds numbers, addresses of array objects, and last the address of the result.
        """
        return self._known()[1]

    def _known(self) -> tuple[int, int]:
        if self._addresses is None:
            finish()
        if self._addresses is None:
            raise KernelError(f"{self._symbol} could not be compiled: see the first error")
        return self._addresses


class Call(NamedTuple):
    """A call of a kernel from Python, and the memory that its C function reads and writes.

    Attributes:
        function: takes the arguments that are not bound. It holds addresses only: the other two
            must live as long as it may be called.
        frame: the arguments.
        result: the kernel's answer.
    """

    function: Callable[..., Any]
    frame: ctypes.Array[ctypes.c_char]
    result: npt.NDArray[np.int64]


def cell_of(value: Any) -> Cell:
    """Return the cell of an argument; a table is its own cell."""
    if not isinstance(value, np.ndarray):
        return np.array([value], np.float64 if isinstance(value, float) else np.int64)
    if value.dtype.names is not None:
        return value
    strides = () if value.flags.c_contiguous else value.strides
    return np.array([address_of(value), *value.shape, *strides], np.int64)


def kind_of(value: Any) -> object:
    """Return what compiled code depends on of an argument; None if no frame takes it."""
    if not isinstance(value, np.ndarray):
        like = "i" if isinstance(value, int) else "f" if isinstance(value, float) else None
        return _NUMBERS.get(type(value)) or like
    kind, flags = value.dtype, value.flags.num & 0x501  # C-contiguous, aligned, writeable
    if kind is _FLOATS or kind == _FLOATS:
        return "floats", value.ndim, flags  # quicker to look up than NumPy's type
    if kind.names is not None and not (flags & 1 and kinds_of(kind.names[0])):
        return None  # no table
    return kind, value.ndim, flags


def object_name(kernel: Compiled, kinds: Kinds) -> str | None:
    """Return the name of a kernel's object, None if a kind or some of its source is unknown."""
    source = None if None in kinds else source_hash(kernel)
    return f"footfall_{digest(f'{source} {kinds}'.encode()).decode()}" if source else None


def entry_of(kernel: Compiled, kinds: Kinds, arguments: tuple[Any, ...]) -> Entry:
    """Load a kernel for arguments of these kinds, or begin to compile it.

    Raises:
        KernelError: if it has, or is given, what kernels cannot do.
    """
    with _LOADS:
        name = object_name(kernel, kinds)
        installed = _folder() if name else None
        found = _read(installed / f"{name}.o") if installed else None
        compilations.loaded += found is not None
        kept = cache_folder() / f"{name}.o" if name and not found else None
        found = found or (_read(kept) if kept else None)
        symbol = name or f"footfall_{next(_UNNAMED)}"
        if found:
            entry = Entry(symbol, found[1])
            entry.load(found[0])
        else:
            code = import_module(f"{COMPILER}.compiler").translated(kernel, arguments, symbol)
            entry = Entry(symbol, code.result)
            _making().add(Job(str(kernel), code, kept), entry.load)
        return entry


@cache
def _making() -> Making:
    """Return the kernels that are being compiled."""
    compiler = import_module(f"{COMPILER}.compiler")
    making = Making(compiler.WORKER, compiler.object_of, write, _read)
    os.register_at_fork(after_in_child=making.forget_workers)
    return making


def waits() -> bool:
    """Return whether kernels are being compiled."""
    return bool(_making.cache_info().currsize and _making())


def finish() -> None:
    """Wait for all kernels that are being compiled."""
    with _LOADS:
        _making().finish()


@cache
def cache_folder() -> Path:
    """Return the folder of objects made by these compilers for this processor."""
    from llvmlite import binding as llvm

    here = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    processor = os.environ.get("FOOTFALL_CPU") or here
    compilers = f"{PLATFORM} {processor} {version('llvmlite')}"
    return cache_root() / digest(compilers.encode()).decode()


def write(path: Path, code: bytes, result: str) -> str:
    """Write an object with its kernel's result, whole or not at all; return why not, else ""."""
    return write_whole(path, b"%s\n%s" % (code, result.encode()))


def _read(path: Path) -> tuple[bytes, str] | None:
    """Return an object and its kernel's result; None if it is missing or damaged."""
    content = read_whole(path)
    if content is None:
        return None
    code, _, result = content.rpartition(b"\n")
    return code, result.decode()


@cache
def _folder() -> Path | None:
    """Return the folder of objects for this machine's processor, None if there is none."""
    if os.environ.get("FOOTFALL_OBJECTS") == "0" or not OBJECTS.is_dir():
        return None
    from llvmlite import binding as llvm

    can, owner = llvm.get_host_cpu_features(), Path(__file__).stat().st_uid
    there = [name for name in LEVELS if (OBJECTS / name).is_dir()]
    own = [name for name in there if name.startswith(f"{PLATFORM}/")]
    fit = [OBJECTS / name for name in own if all(map(can.get, LEVELS[name]))]
    # Objects run as code: they are taken only where they are as well guarded as this file is.
    taken = next((folder for folder in fit if is_guarded(folder, owner, 0o002)), None)
    if there and not taken:
        here = f"this processor ({PLATFORM}, {llvm.get_host_cpu_name()})"
        why = f"others own {fit[0]} or may write to it" if fit else f"none is for {here}"
        told = f"ready-made kernels of this installation are not used: {why}; they are compiled"
        warnings.warn(told, CacheWarning, stacklevel=2)
    return taken


_TOLD: list[str] = []


def _tell(place: bytes, index: int, length: int) -> None:
    """Keep the message of an index out of bounds: kernels call it, then raise."""
    _TOLD.append(f"{place.decode()}: index {index} is out of bounds for size {length}")


_OUTSIDE = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64)(_tell)


def raise_outside() -> None:
    """Raise the exception of a kernel that checks indices.

    Raises:
        IndexError: if an index was out of bounds since the last call.
    """
    if _TOLD:
        told = _TOLD[0]
        _TOLD.clear()
        raise IndexError(told)


@cache
def _engine() -> Any:
    """Return the loader of objects, which keeps them as long as the process lives."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("footfall_outside", ctypes.cast(_OUTSIDE, ctypes.c_void_p).value)
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _load(code: bytes, name: str) -> tuple[int, int]:
    """Load an object; return the addresses of its functions."""
    from llvmlite import binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address(name), engine.get_function_address(f"{name}_")


def function_at(address: int, *, alone: bool = True) -> Callable[[int], int]:
    """Return a function that calls a kernel's C function with the address of a frame.

    ``alone``: true to keep the interpreter's lock during the call, which costs less; otherwise
    other threads run.
    """
    return (_ALONE if alone else _BESIDE)(address)


def caller(
    kernel: str, entry: Entry, fixed: tuple[Any, ...], like: tuple[Any, ...], *, trusts: bool
) -> Call:
    """Return a function that calls a kernel from Python, in one thread at a time.

    Args:
        kernel: for messages.
        entry: its C functions.
        fixed: its first arguments; arrays among them must live as long.
        like: examples of the others, which the call takes.
        trusts: true if those have the same kinds without a check.
    """
    count, arguments = len(like), (*fixed, *like)

    function: Callable[[int], int]

    def first(frame: int) -> int:
        """Wait until this kernel, and those that it calls, are compiled."""
        nonlocal function
        finish()
        function = function_at(entry.python)
        return function(frame)

    function = first if waits() else function_at(entry.python)
    result, answer = _result(entry.result)
    kinds = [*map(kind_of, arguments)]
    forms = [LETTERS[kind][1] if isinstance(kind, str) else "q" for kind in kinds]
    frame = ctypes.create_string_buffer(8 * len(kinds) + 8)
    told = [id(a) + FIELDS if isinstance(a, np.ndarray) else a for a in arguments]
    Struct("".join(["=", *forms, "q"])).pack_into(frame, 0, *told, address_of(result))
    write = Struct("".join(["=", *forms[len(fixed) :]])).pack_into
    at, begin = ctypes.addressof(frame), 8 * len(fixed)
    arrays = [(k, kind) for k, kind in enumerate(kinds[len(fixed) :]) if not isinstance(kind, str)]
    seen = [] if trusts else list(like)

    def fail() -> NoReturn:
        raise_outside()
        raise SimulationError(f"{kernel} has raised what FOOTFALL_CHECKED=1 would show")

    # Three functions, each as short as possible: continuous time makes thousands of calls a step.
    def call_alone() -> Any:
        if function(at) == RAISED:
            fail()
        return answer and answer()

    def call_with_numbers(*values: Any) -> Any:
        write(frame, begin, *values)
        if function(at) == RAISED:
            fail()
        return answer and answer()

    def call(*values: Any) -> Any:
        told = [*values]
        for k, kind in arrays:
            value = values[k]
            # Most often it is the array of the previous call.
            if not trusts and value is not seen[k]:
                if kind_of(value) != kind:
                    raise TypeError(f"{kernel} is bound to {kind}, not {kind_of(value)}")
                seen[k] = value
            told[k] = id(value) + FIELDS
        write(frame, begin, *told)
        if function(at) == RAISED:
            fail()
        return answer and answer()

    chosen = call if arrays else call_with_numbers if count else call_alone
    return Call(chosen, frame, result)


def _result(letters: str) -> tuple[npt.NDArray[np.int64], Callable[[], Any] | None]:
    """Return the memory of a kernel's result, and a function that reads it."""
    kinds: list[Any] = [LETTERS[letter][0] for letter in letters.strip("()")]
    cells = np.zeros(max(1, len(kinds)), np.int64)
    parts = [cells[k : k + 1].view(kind)[:1].item for k, kind in enumerate(kinds)]
    if not letters:
        return cells, None
    return cells, parts[0] if "(" not in letters else lambda: tuple(part() for part in parts)
