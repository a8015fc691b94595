"""The project's source files, and what they import."""

import ast
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
    files = sorted(PLUGINS.glob("*/__init__.py"))
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
    not_for_typing = _nothing if for_typing else _is_for_typing
    leave_out = _is_deferred if when_imported_only else not_for_typing
    yield from _imports(ast.parse(path.read_text()), leave_out)


def _imports(node, leave_out):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif not leave_out(child):
            yield from _imports(child, leave_out)


def _nothing(node):
    return False


def _is_deferred(node):
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return True
    return _is_for_typing(node)


def _is_for_typing(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
