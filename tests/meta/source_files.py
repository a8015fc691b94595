"""The project's source files, and what they import."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORE, PLUGINS = ROOT / "core" / "footfall", ROOT / "plugins"


def python_files(*folders):
    """Return the Python files below folders, without what tools leave behind."""
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def plugin_packages(*, with_hook=False):
    """Return the import packages of the bundled plugins.

    Args:
        with_hook: only those that Footfall's hook finds, not what Gymnasium's finds.
    """
    files = sorted(PLUGINS.rglob("__init__.py"))
    files = [path for path in files if not (path.parents[1] / "__init__.py").exists()]
    if with_hook:
        files = [path for path in files if "gymnasium.register(" not in path.read_text()]
    return [path.parent for path in files]


def imports(path, *, when_imported_only=False, for_typing=True):
    """Yield the dotted names that a file imports.

    Args:
        path: the file.
        when_imported_only: leave out imports inside functions and under TYPE_CHECKING.
        for_typing: with those under TYPE_CHECKING.
    """
    for name, deferred, typing in _imports_of(path.read_text()):
        if not ((deferred or typing) if when_imported_only else typing and not for_typing):
            yield name


@cache
def _imports_of(text):
    """Return each name that code imports; whether within a function, and under TYPE_CHECKING."""
    return tuple(_imports(ast.parse(text), deferred=False, typing=False))


def _imports(node, deferred, typing):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, deferred, typing) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            for alias in child.names:
                yield f"{child.module}.{alias.name}", deferred, typing
        elif not isinstance(child, ast.expr):
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(child, deferred or inside, typing or _is_for_typing(child))


def _is_for_typing(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
