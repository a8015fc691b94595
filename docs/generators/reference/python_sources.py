"""Definitions behind public names, found in the source files without importing them."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]


class Definition(NamedTuple):
    """A class, function or assignment, and what documents it.

    ``node`` is its syntax, ``docstring`` what stands in or, of an assignment, under it,
    ``module`` the dotted name of the file that defines it.
    """

    name: str
    module: str
    node: ast.stmt
    docstring: str


@cache
def tree_of(module):
    """Return the syntax tree of a module of core or of a bundled plugin."""
    path = file_of(module)
    if path is None:
        raise LookupError(f"no module {module} in core or plugins")
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def file_of(module):
    """Return a module's file, or None if it is not of this project."""
    for root in (ROOT / "core", *sorted((ROOT / "plugins").iterdir())):
        path = root / module.replace(".", "/")
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.exists():
                return file
    return None


def public_names(module):
    """Return the names that a module offers.

    Those in its ``__all__``; or those that it defines, in its order; where it imports some as
    themselves, these as well, constants and classes first.
    """
    tree, names, offered = tree_of(module), [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            offered += [alias.name for alias in node.names if alias.asname == alias.name]
    for node in tree.body:
        if assigned(node) == ("__all__",) and not offered:
            return ast.literal_eval(node.value)
        defined = isinstance(node, ast.ClassDef | ast.FunctionDef)
        names += (node.name,) if defined else assigned(node)
    found = [name for name in (*names, *offered) if not name.startswith("_")]
    key = lambda name: (not name.isupper(), not name[:1].isupper(), name)  # noqa: E731
    return sorted(found, key=key) if offered else found


def find(module, name):
    """Return where a name that a module has is defined, through imports; None if not in here."""
    if file_of(module) is None:
        return None
    body = tree_of(module).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return Definition(name, module, node, ast.get_docstring(node) or "")
        if name in assigned(node):
            return Definition(name, module, node, text_of(after))
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return find(node.module, alias.name)
    return None


def assigned(node):
    """Return the names that a statement assigns."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return ()
    parts = targets[0].elts if isinstance(targets[0], ast.Tuple) else targets[:1]
    return tuple(part.id for part in parts if isinstance(part, ast.Name))


def text_of(node):
    """Return the string that a statement is, as under an attribute, or nothing."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else ""
    return ""
