"""The source of functions for kernels, and what they read from outside."""

from __future__ import annotations

import ast
import linecache
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from footfall.errors import KernelError


@cache
def source_of(function: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """Return a function's syntax tree.

    Raises:
        KernelError: if its source is in no file, notebook cell or session that Python remembers, or
            has been edited since it was imported.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)  # the module may have been loaded again
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    nodes = _functions_in(text).get((code.co_firstlineno, code.co_name), [])
    for node in nodes:
        if isinstance(node, ast.Lambda) and len(nodes) > 1 and not _same(node, function):
            continue
        if _is_edited(text, node, function):
            told = f"the source of {function.__qualname__} is not that of the imported function"
            raise KernelError(f"{told}: start Python again, or import it again")
        return node
    raise KernelError(f"the source of {function.__qualname__} cannot be read: write it in a file")


@cache
def _functions_in(text: str) -> dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]]:
    """Return the functions of a file's text by the line of the first decorator, and name."""
    found: dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found


def _is_edited(text: str, node: ast.AST, function: FunctionType) -> bool:
    """Return whether a file's text gives a function other code than the imported one has.

    Functions with assertions do not count: pytest rewrites these.
    """
    code = function.__code__
    found = _codes_in(text).get((code.co_firstlineno, code.co_name), [])
    edited = bool(found) and code.co_code not in found
    return edited and not any(isinstance(one, ast.Assert) for one in ast.walk(node))


@cache
def _codes_in(text: str) -> dict[tuple[int, str], list[bytes]]:
    """Return the bytecode of the functions of a file's text by first line and name."""
    found: dict[tuple[int, str], list[bytes]] = {}
    waiting = [compile(text, "kernels", "exec", dont_inherit=True)]
    for code in waiting:
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code.co_code)
    return found


def _same(node: ast.Lambda, function: FunctionType) -> bool:
    """Return whether one of several lambdas that begin in one line has a function's code."""
    made = compile(ast.Expression(node), "kernels", "eval").co_consts[0]
    code = function.__code__
    return (made.co_code, made.co_consts, made.co_names) == (
        *(code.co_code, code.co_consts, code.co_names),
    )


def outside(function: FunctionType, name: str) -> Any:
    """Return what a name means outside a function: in its closure, its module or Python.

    Raises:
        KernelError: if it means nothing.
    """
    if name in function.__code__.co_freevars:
        cells = function.__closure__ or ()
        return cells[function.__code__.co_freevars.index(name)].cell_contents
    names = function.__globals__
    if name in names:
        return names[name]
    python = names["__builtins__"]
    python = python if isinstance(python, dict) else vars(python)
    if name in python:
        return python[name]
    raise KernelError(f"{name} is not defined")
