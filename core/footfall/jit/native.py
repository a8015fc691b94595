"""Kernels as native objects: kept by the process that compiles them, loaded by those after it.

An object holds one kernel for arguments of given kinds, for one kind of processor. Its name is a
hash of the kernel's sources (see ``footfall.jit.caching``) and of the kinds: where either differs,
there is none, and Numba compiles the kernel. Those of an installed wheel are looked for first
(``FOOTFALL_OBJECTS=0`` leaves them), then those that have been compiled on this machine. An object
is called as C calls, ``int f(int64_t *frame)``: a frame says where each argument lies, and last
where the result goes, 0 for nowhere. Numbers lie in *cells*, arrays are told by cells with their
address and lengths, tables lie where they lie.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError
from footfall.jit.announcement import compilations
from footfall.jit.caching import Compiled, cache_root, is_guarded, source_hash
from footfall.jit.tables import kinds_of

OBJECTS = Path(__file__).parent / "objects"
"""Holds a folder a level; where nothing has put objects, it is not there."""
LEVELS = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sse4.2", "ssse3"),
    "generic": (),
}
"""What a processor must be able to do, by level, the best first (x86-64 psABI, 3.1.1)."""
Cell = npt.NDArray[Any]
"""One number, shape (1,), float64 or int64; of an array: its address, lengths, and strides unless
it is C-contiguous, int64."""
Kinds = tuple[object, ...]
"""What compiled code depends on of arguments: see ``kind_of``."""
RAISED = -(2**31)
"""What a kernel's C function returns if the kernel has raised something."""
LETTERS: dict[str, type[Any]] = {"f": np.float64, "i": np.int64, "b": np.bool_}
"""Types of the numbers of a result, by their letters."""
_NUMBERS = {bool: "bool", int: "int", float: "float", np.bool_: "bool", np.int64: "int"} | {
    np.float64: "float"
}
_LOADS = RLock()
_UNNAMED = count()


class Entry(NamedTuple):
    """A kernel's C function.

    Attributes:
        address: of the function.
        result: a letter for each number of the kernel's result, in brackets if it is a tuple.
    """

    address: int
    result: str


def cell_of(value: Any) -> Cell:
    """Return the cell of an argument; of a table, the table itself."""
    if not isinstance(value, np.ndarray):
        return np.array([value], np.float64 if isinstance(value, float) else np.int64)
    return value if value.dtype.names is not None else np.array(_told(value), np.int64)


def _told(array: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return what the cell of an array holds."""
    strides = () if array.flags.c_contiguous else array.strides
    return _place(array), *array.shape, *strides


def _place(array: npt.NDArray[Any]) -> int:
    """Return the address of an array's first number, which is the first field of NumPy's object.

    It is ``array.ctypes.data``, which takes 1 us.
    """
    return ctypes.c_int64.from_address(id(array) + object.__basicsize__).value


def frame_of(cells: Sequence[Cell], result: int = 0) -> npt.NDArray[np.int64]:
    """Return where each argument lies, and where the result goes."""
    return np.array([*map(_place, cells), result], np.int64)


def kind_of(value: Any) -> object:
    """Return what compiled code depends on of an argument, None if it cannot lie in a frame."""
    if not isinstance(value, np.ndarray):
        return _NUMBERS.get(type(value))
    kind, flags = value.dtype, value.flags.num & 0x501  # C-contiguous, aligned, writeable
    if kind.names is not None and not (flags & 1 and kinds_of(kind.names[0])):
        return None  # no table
    return kind, value.ndim, flags


def object_name(kernel: Compiled, kinds: Kinds) -> str | None:
    """Return the name of a kernel's object, None if a kind or some of its source is unknown."""
    source = None if None in kinds else source_hash(kernel)
    return f"footfall_{_digest(f'{source} {kinds}'.encode()).decode()}" if source else None


def _digest(told: bytes) -> bytes:
    return hashlib.sha256(told).hexdigest()[:32].encode()


def entry_of(kernel: Compiled, kinds: Kinds, arguments: tuple[Any, ...]) -> Entry | None:
    """Load or compile a kernel for arguments of these kinds; None if it can be no object."""
    with _LOADS:
        name = object_name(kernel, kinds)
        installed = _folder() if name else None
        found = _read(installed / f"{name}.o") if installed else None
        compilations.loaded += found is not None
        kept = cache_folder() / f"{name}.o" if name and not found else None
        found = found or (_read(kept) if kept else None)
        symbol = name or f"footfall_{next(_UNNAMED)}"
        if not found:
            with compilations.announced(str(kernel)):
                from footfall.jit.lowering import optimised

                made = optimised(kernel, arguments, None if None in kinds else symbol)
                found = made and (made.machine.emit_object(made.module), made.result)
            if kept and made and found and made.lasts:
                write(kept, *found)
        return Entry(_load(found[0], symbol), found[1]) if found else None


@cache
def cache_folder() -> Path:
    """Return the folder of what is compiled by these compilers for this processor."""
    from llvmlite import binding as llvm

    names = "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "LOOP_VECTORIZE", "OPT"
    settings = [os.environ.get(f"NUMBA_{name}") for name in names]
    host = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), settings
    told = f"{host} {version('numba')} {version('llvmlite')}"
    return cache_root() / _digest(told.encode()).decode()


def write(path: Path, code: bytes, result: str) -> None:
    """Write an object whole or not at all, whoever else does so."""
    told = b"%s\n%s" % (code, result.encode())
    with suppress(OSError):  # no room or no right: whoever needs the kernel compiles it again
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as room:
            Path(room, path.name).write_bytes(b"%s %s" % (told, _digest(told)))
            Path(room, path.name).replace(path)


def _read(path: Path) -> tuple[bytes, str] | None:
    """Return an object and its kernel's result, None if it is not there or not whole."""
    try:
        told, _, checksum = path.read_bytes().rpartition(b" ")
    except OSError:
        return None
    code, _, result = told.rpartition(b"\n")
    return (code, result.decode()) if checksum == _digest(told) else None


@cache
def _folder() -> Path | None:
    """Return the folder of objects for this machine's processor, None if there is none."""
    if os.environ.get("FOOTFALL_OBJECTS") == "0" or not OBJECTS.is_dir():
        return None
    from llvmlite import binding as llvm

    can, owner = llvm.get_host_cpu_features(), Path(__file__).stat().st_uid
    levels = (OBJECTS / name for name, needed in LEVELS.items() if all(map(can.get, needed)))
    # Objects run as code: they are taken only where they are as well guarded as this file is.
    return next((f for f in levels if f.is_dir() and is_guarded(f, owner, 0o002)), None)


@cache
def _engine() -> Any:
    """Return what loads objects; it keeps them as long as the process lives."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _load(code: bytes, name: str) -> int:
    """Load an object; return the address of its function."""
    from llvmlite import binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(name))


def function_at(address: int, *, alone: bool = True) -> Callable[[int], int]:
    """Return what calls a kernel's C function with the address of a frame.

    ``alone``: whether it keeps the interpreter's lock meanwhile, which costs less; else other
    threads run.
    """
    kind = ctypes.PYFUNCTYPE if alone else ctypes.CFUNCTYPE
    return kind(ctypes.c_int32, ctypes.c_void_p)(address)


def caller(
    kernel: str, entry: Entry, fixed: tuple[Any, ...], like: tuple[Any, ...]
) -> Callable[..., Any]:
    """Return what calls a kernel from Python, for one thread after another.

    Args:
        kernel: for messages.
        entry: its C function.
        fixed: its first arguments; tables among them must live as long.
        like: examples of the others, which the call takes.
    """
    function, turn = function_at(entry.address), RLock()
    result, answer = _result(entry.result)
    cells: list[Any] = [*map(cell_of, (*fixed, *like))]
    kinds = [*map(kind_of, (*fixed, *like))]
    frame = frame_of(cells, _place(result))
    at = _place(frame)
    cells = [None if cell.dtype.names else cell for cell in cells]  # no table is kept
    places = range(len(fixed), len(cells))

    def call(*values: Any) -> Any:
        with turn:
            for k, value in zip(places, values, strict=True):
                if type(kinds[k]) is str:
                    cells[k][0] = value
                elif kind_of(value) != kinds[k]:
                    raise TypeError(f"{kernel} is bound to {kinds[k]}, not {kind_of(value)}")
                elif cells[k] is None:
                    frame[k] = _place(value)
                else:
                    cells[k][:] = _told(value)
            if function(at) == RAISED:
                raise SimulationError(f"{kernel} has raised what FOOTFALL_CHECKED=1 would show")
            return answer()

    return call


def _result(letters: str) -> tuple[npt.NDArray[np.int64], Callable[[], Any]]:
    """Return where a kernel writes its result, and what reads it there."""
    kinds = [LETTERS[letter] for letter in letters.strip("()")]
    cells = np.zeros(max(1, len(kinds)), np.int64)
    parts = [cells[k : k + 1].view(kind)[:1].item for k, kind in enumerate(kinds)]
    if not letters:
        return cells, lambda: None
    return cells, parts[0] if "(" not in letters else lambda: tuple(part() for part in parts)
