"""The hash of everything that a kernel's code depends on.

The name of a kernel's object is made of

* the source of the kernel and of each function that it reaches, over any number of calls, files
  and packages, without comments, docstrings and positions;
* the values that these functions read by name: constants, members of enumerations, NumPy arrays,
  fields of named tuples, default arguments, what closures hold;
* the layouts of the tuples that they open from tables;
* the options of their decorators;
* the files of ``footfall.jit`` and of the compiler.

Another function in the same file does not matter. Sources are parsed once: what matters of a file
is kept in the folder ``sources``, under a hash of the file; a wheel with objects brings it along.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Protocol, TypeGuard

import numpy as np

from footfall.jit.cache_folder import cache_root, digest, read_whole, write_whole
from footfall.jit.checked import names_in, place_of


class Compiled(Protocol):
    """A function for kernels that lists what its compiled code depends on."""

    def kernel_parts(self) -> Iterable[object]:
        """Yield functions, other things that kernels call, and constants."""


OBJECTS = Path(__file__).parent / "objects"
"""Holds the objects of a wheel, a folder a level; where nothing has put any, it does not exist."""
COMPILER = os.environ.get("FOOTFALL_COMPILER", "footfall_llvm")
"""Package of the compiler of kernels."""
NO_TOOLS = ("announcement", "cache_folder", "checked", "four")
"""Modules of this package that no compiled code depends on, or only what calls their functions."""
SOURCES = "sources"
"""Folder of the hashes of functions, among objects and among compiled kernels."""


def source_hash(kernel: Compiled) -> str | None:
    """Hash everything that a kernel's code depends on.

    None if some source is in no file, or has been edited since it was imported.
    """
    try:
        return _hash("\n".join([_tools(), *_dependencies(kernel)]))
    except (OSError, SyntaxError):
        return None


def _dependencies(kernel: Compiled) -> Iterator[str]:
    """Yield the sources of a kernel and of all that it reaches, and the values that they read.

    Functions are numbered in the order in which they are met, which is the same in each process.
    """
    numbers: dict[FunctionType, int] = {}
    waiting: list[FunctionType] = []

    def text(value: object) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, FunctionType):
            if value not in numbers:
                numbers[value] = len(numbers)
                waiting.append(value)
            return f"function {numbers[value]}"
        if isinstance(value, tuple):
            return f"({', '.join(map(text, value))})"
        assert _has_parts(value)
        return f"[{', '.join(map(text, value.kernel_parts()))}]"

    yield text(kernel)
    for function in waiting:
        source, read = _parts(function)
        yield source + place_of(function)
        yield from (f"{name} = {text(value)}" for name, value in read)


@cache
def _parts(function: FunctionType) -> tuple[str, list[tuple[str, object]]]:
    """Return a function's source and the values that it reads by name, with its defaults.

    Values that are no functions, and contain none, are texts.

    Raises:
        OSError: if the source is in no file, or not that of the imported function.
    """
    code = function.__code__
    place = f"{code.co_firstlineno} {code.co_name}"
    functions = _functions_in(code.co_filename, os.stat(code.co_filename).st_mtime_ns)
    if place not in functions:
        raise OSError(f"{code.co_filename} has no function {code.co_name}")
    source, names, compiled = functions[place]
    if compiled.startswith(PYTHON) and compiled != _compiled(code):
        raise OSError(f"{code.co_filename} has been edited since it was imported")
    if code.co_name == "<lambda>":  # several may begin in one line
        source += _hash(f"{code.co_code!r} {code.co_consts} {code.co_names}")
    defaults = function.__defaults__, tuple((function.__kwdefaults__ or {}).items())
    read = [(name, _described(value)) for name, value in _read(function, names)]
    read.append(("defaults", _described(defaults)))
    return f"{function.__module__}.{function.__qualname__} {source}", read


def _read(function: FunctionType, names: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Yield names and values that a function reads from its module and its closure.

    Args:
        function: any.
        names: dotted names in its source, e.g. ``math.pi``; its own variables may be among them.
    """
    outside = set(names_in(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {name: cell.cell_contents for name, cell in cells}
    for name in names:
        first, *attributes = name.split(".")
        if first in held:
            value = held[first]
        elif first in outside and first in function.__globals__:
            value = function.__globals__[first]
        else:
            continue
        for attribute in attributes:
            value = getattr(value, attribute, None)
        yield name, value


def _has_parts(value: object) -> TypeGuard[Compiled]:
    return hasattr(type(value), "kernel_parts")  # 30 times as fast as isinstance with a protocol


def _described(value: object) -> object:
    """Return a text that differs if compiled code would; functions, and tuples of them, as such."""
    if isinstance(value, FunctionType) or _has_parts(value):
        return value
    kind = type(value).__qualname__
    if isinstance(value, int | float | complex | str | bytes | None | np.generic | np.dtype):
        return f"{kind} {value!r}"
    if isinstance(value, tuple | list):
        return f"{kind} {getattr(value, '_fields', '')}", *map(_described, value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
    name = value.name if isinstance(value, Enum) else name
    fields = getattr(value, "_fields", ""), getattr(value, "_field_defaults", "")
    return f"{kind} {getattr(value, '__module__', '')}.{name} {fields}"


@cache
def _tools() -> str:
    """Hash the code that compiles, except LLVM."""
    found = find_spec(COMPILER)
    folders = Path(__file__).parent, Path((found and found.origin) or __file__).parent
    files = [f for one in folders for f in sorted(one.glob("*.py")) if f.stem not in NO_TOOLS]
    return _hash("".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files))


@cache
def _functions_in(file: str, _: int) -> dict[str, tuple[str, list[str], str]]:
    """Return a hash of each function in a file, the names that it reads, and its bytecode's hash.

    Keys are ``LINE NAME``, with the line of the first decorator. Raises OSError if there is no
    such file. The time of the file's last change is an argument because modules are loaded again.
    """
    text = Path(file).read_bytes()
    name = f"{digest(_tools().encode() + text).decode()}.json"
    content = read_whole(OBJECTS / SOURCES / name) or read_whole(cache_root() / SOURCES / name)
    if not (found := content and _loaded(content)):
        found = _parsed(text)
        write_whole(cache_root() / SOURCES / name, json.dumps(found).encode())
    return found


def _loaded(content: bytes) -> dict[str, tuple[str, list[str], str]] | None:
    """Return a stored result of ``_functions_in``; None if it has another form."""
    try:
        found = json.loads(content)
        ok = all([type(part) for part in entry] == [str, list, str] for entry in found.values())
        ok = ok and all(type(name) is str for _, names, _ in found.values() for name in names)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return found if ok else None


def _parsed(text: bytes) -> dict[str, tuple[str, list[str], str]]:
    """Return the result of ``_functions_in`` for the text of a file."""
    found: dict[str, tuple[str, list[str], str]] = {}
    module = compile(text, "kernels", "exec", dont_inherit=True)
    compiled = {f"{c.co_firstlineno} {c.co_name}": _compiled(c) for c in _functions_of(module)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Lambda):
            place = f"{node.lineno} <lambda>"
        elif isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            place = f"{first} {node.name}"
        else:
            continue
        source, names, _ = found.get(place, ("", [], ""))
        more = set(names).union(*map(_names_of, ast.walk(node)))
        source = _hash(source + ast.unparse(_WithoutTexts().visit(node)))
        # Of lambdas several may begin in one line.
        code = "" if isinstance(node, ast.Lambda) else compiled.get(place, "")
        found[place] = source, sorted(more), code
    return found


def _functions_of(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of all functions in a piece of code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions_of(constant)


PYTHON = f"{sys.implementation.cache_tag} {sys.flags.optimize} "
"""The compiler of bytecode, which differs from version to version."""


def _compiled(code: CodeType) -> str:
    """Return a hash of a function's bytecode with its compiler."""
    return PYTHON + digest(code.co_code).decode()


def _names_of(node: ast.AST) -> set[str]:
    """Return the dotted name that a node reads, ``{}`` if it reads another thing.

    Of ``a.b.c`` these are ``a``, ``a.b`` and ``a.b.c``.
    """
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    return {".".join([node.id, *attributes])} if isinstance(node, ast.Name) else set()


class _WithoutTexts(ast.NodeTransformer):
    """Takes out docstrings."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:  # the name that ast calls
        """Return None for a text that stands alone."""
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if alone else node


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
