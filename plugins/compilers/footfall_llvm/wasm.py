"""Kernels as one WebAssembly module with 64-bit addresses (memory64), for browsers.

Kernels hold tables of 64-bit addresses, which fit there as they are. Addresses of functions are
places in the module's table. The module imports its memory, and functions of the C library by name;
it exports ``functions``, the address of an array of the kernels' places in the table.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from footfall.errors import PluginError
from footfall.jit.making import Code

TRIPLE = "wasm64-unknown-unknown"
FEATURES = "+bulk-memory,+nontrapping-fptoint,+sign-ext,+simd128"
LINKERS = ("wasm-ld", *(f"wasm-ld-{version}" for version in range(22, 15, -1)))
LIBRARY = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "exp", "exp2"),
    *("expm1", "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan"),
    "tanh",
)
"""Functions of the C library that a page supplies."""


def linker() -> str:
    """Return the path of LLVM's linker for WebAssembly.

    Raises:
        PluginError: if there is none.
    """
    found = next(filter(None, map(shutil.which, LINKERS)), None)
    if found is None:
        raise PluginError("WebAssembly needs LLVM's linker wasm-ld: apt install lld (or lld-19)")
    return found


@cache
def machine() -> Any:
    """Return LLVM's target machine."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine("generic", FEATURES, opt=3, reloc="static")


def object_of(code: Code) -> bytes:
    """Return a kernel's object, with the C function whose frame holds addresses of cells."""
    from footfall_llvm import optimiser

    module = optimiser.optimised(code.text, code.names[:1], slp=code.slp, target=machine())
    made: bytes = machine().emit_object(module)
    return made


def objects_of(codes: Sequence[Code]) -> list[bytes]:
    """Return the objects of kernels, made on all cores."""
    if len(codes) < 2:
        return [*map(object_of, codes)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return [*pool.map(object_of, codes)]


def linked(objects: Sequence[bytes], names: Sequence[str]) -> bytes:
    """Return the module of kernels.

    Args:
        objects: of the kernels.
        names: of their C functions, in the order of the module's ``functions``.

    Raises:
        PluginError: if the linker is missing or fails; e.g. a function that pages lack is needed.
    """
    from llvmlite import binding as llvm

    lines = [f"declare i32 @{name}(ptr)" for name in names]
    places = ", ".join(f"ptr @{name}" for name in names)
    module = llvm.parse_assembly(
        "\n".join([*lines, f"@functions = constant [{len(names)} x ptr] [{places}]"])
    )
    module.triple, module.data_layout = TRIPLE, str(machine().target_data)
    command = [linker(), "-mwasm64", "--no-entry", "--gc-sections", "-O2", "--strip-all"]
    command += [
        "-z",
        "stack-size=1048576",
        "--stack-first",
        "--import-memory",
        "--export-table",
        "--export=functions",
    ]
    with TemporaryDirectory() as folder:
        allowed, out = Path(folder, "allowed"), Path(folder, "out.wasm")
        allowed.write_text("\n".join(LIBRARY))
        files = [Path(folder, f"{k}.o") for k in range(len(objects) + 1)]
        for file, made in zip(files, [*objects, machine().emit_object(module)], strict=True):
            file.write_bytes(made)
        command += [f"--allow-undefined-file={allowed}", "-o", str(out), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PluginError(f"{command[0]}: {' '.join(done.stderr.split())[:300]}")
        return out.read_bytes()
