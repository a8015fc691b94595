"""Measures of the code's structure: circles of imports, sizes of files, numbered slots."""

import ast
import re
from collections import Counter
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter

from tests.meta.source_files import CORE, PLUGINS, imports, python_files

CONTRACT = ("footfall", "footfall.api", "footfall.testing")
"""What plugins may import of core, and below the last two."""
STEPPER = "footfall_stepper"
"""The default simulator, which alone may import core's packages."""
RIDDLES = ("What", "Of", "Where", "Who", "Which", "How")
"""Words that open a docstring which has to be read twice."""
SIMULATORS = {"sim", "simulator", "made", "world", "stepper"}
"""Names of arguments that hold a simulator or one of its parts."""
TABLES = {
    *("step", "ledger", "energy", "flags", "_flags", "report", "residual", "active", "size"),
    *("info", "count", "counts", "sums"),
}
"""Arrays that hold one meaning a place."""
NUMBERED = re.compile(r"\[[\s(]*\d")
"""Where no bracket is followed by a number, none is in a subscript."""
SHAPES = {"", "shape", "geom", "box"}
"""What has a size or a count that is a vector of space, not a table."""
CROWDED = 20
SLIVER = 30


def modules():
    """Return the paths of core's modules by their dotted names."""
    found = {}
    for path in python_files(CORE):
        name = ".".join(path.relative_to(CORE.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@lru_cache(4)
def nodes(text):
    """Return all nodes of a text's syntax tree: the measures of one text read it one by one."""
    return tuple(ast.walk(ast.parse(text)))


def code_lines(text):
    """Count the lines that hold code: no blank lines, comments, docstrings."""
    documentation, texts = set(), set()
    for node in nodes(text):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            documentation.update(range(node.lineno, node.end_lineno + 1))
        elif _is_text(node) or isinstance(node, ast.JoinedStr):
            texts.update(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    code = {number for number, line in lines if line and not line.startswith("#")}
    return len((code | texts) - documentation)


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def package(module):
    """Return a module's package: one below ``footfall``."""
    parts = module.split(".")
    return ".".join(parts[: 3 if len(parts) > 3 and parts[1] == "kernels" else 2])


def import_graph(*, typing):
    """Return which modules of core import which: importer to imported.

    Args:
        typing: count imports for type checking as well.
    """
    known = modules()
    graph = {}
    for name, path in known.items():
        found = imports(path) if typing else imports(path, for_typing=False)
        targets = (used if used in known else used.rpartition(".")[0] for used in found)
        graph[name] = {target for target in targets if target in known} - {name}
    return graph


def package_graph():
    """Return which packages of core import which, imports for type checking included."""
    folders = {path.parent for path in python_files(CORE)} - {CORE}
    names = {".".join(folder.relative_to(CORE.parent).parts) for folder in folders}
    graph = {}
    for module, targets in import_graph(typing=True).items():
        own = package(module)
        others = {package(target) for target in targets} - {own}
        if own in names:
            graph.setdefault(own, set()).update(others & names)
    return graph


def circle(graph):
    """Return the names along one circle of a graph, closed; empty if it has none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def plugin_imports():
    """Return the modules of core outside of the contract that plugins import, and which do."""
    known, found = modules(), {}
    for path in python_files(PLUGINS):
        if STEPPER in path.parts or "footfall_llvm" in path.parts:
            continue  # import-linter names what the stepper may not import; the other compiles jit
        for name in imports(path):
            module = name if name in known else name.rpartition(".")[0]
            beyond = module not in CONTRACT and not module.startswith(
                ("footfall.api.", "footfall.testing.")
            )
            if name.split(".")[0] == "footfall" and beyond:
                found.setdefault(module, set()).add(path.relative_to(PLUGINS).as_posix())
    return found


def core_lines():
    """Return the code lines of each file of core."""
    return {path: lines for path, lines in all_found(code_lines) if CORE in path.parents}


def crowded_folders():
    """Return the folders that hold more than 20 modules beside each other."""
    files = (path for path in python_files(CORE, PLUGINS) if path.name != "__init__.py")
    count = Counter(path.parent.relative_to(CORE.parents[1]).as_posix() for path in files)
    return {folder: number for folder, number in count.items() if number > CROWDED}


def slivers():
    """Return the share of core's files, package files aside, with fewer than 30 code lines."""
    lines = [count for path, count in core_lines().items() if path.name != "__init__.py"]
    return sum(count < SLIVER for count in lines) / len(lines)


def numbered_slots(text):
    """Return the lines where a literal number addresses a meaning, as in ``ledger[5]``."""
    found = []
    for node in nodes(text) if NUMBERED.search(text) else ():
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, int)
        ):
            table = _last_name(node.value)
            vector = table in {"size", "count"} and (
                not isinstance(node.value, ast.Subscript)
                and _last_name(getattr(node.value, "value", None)) in SHAPES
            )
            if table in TABLES and not vector:
                found.append(node.lineno)
    return found


def _last_name(node):
    """Return the name that an expression ends with: ``a.b``, ``b`` and ``a["b"]`` with b."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(name)):
            return name
    return ""


def repeated_aliases():
    """Return the files that name an array type anew that ``footfall.typing`` names."""
    written = ("\nFloats = npt.NDArray", "\nInts = npt.NDArray")
    return [
        path.relative_to(CORE.parents[1]).as_posix()
        for path in python_files(CORE, PLUGINS)
        for alias in written
        if path != CORE / "typing.py" and alias in path.read_text()
    ]


def names_by_range(text):
    """Return where constants are unpacked from ``range``: an enumeration says more."""
    return [
        node.lineno
        for node in (nodes(text)[0].body if " = range(" in text else ())
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "range"
    ]


def hidden_hand_overs(text):
    """Return the lines where an object's attributes are replaced as a whole."""
    found = []
    for node in nodes(text):
        match node:
            case ast.Assign(targets=targets):
                found += [n.lineno for n in targets if getattr(n, "attr", "") == "__dict__"]
            case ast.Subscript(ctx=ast.Store(), value=ast.Call(func=ast.Name("vars"))):
                found.append(node.lineno)
            case ast.Call(func=ast.Attribute(value=owner, attr="update")):
                owner = ast.unparse(owner)
                if owner.startswith("vars(") or owner.endswith(".__dict__"):
                    found.append(node.lineno)
    return found


def untyped_simulators(text):
    """Return the lines of arguments that hold a simulator, or a part of one, as ``Any``."""
    return [
        argument.lineno
        for node in nodes(text)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for argument in (*node.args.args, *node.args.kwonlyargs)
        if argument.arg in SIMULATORS
        and argument.annotation is not None
        and ast.unparse(argument.annotation) == "Any"
    ]


def riddles(text):
    """Return the docstrings that open with a word of ``RIDDLES``."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    told = (ast.get_docstring(n) or "" for n in nodes(text) if isinstance(n, kinds))
    return [text for text in told if text.split(" ")[0] in RIDDLES]


MEASURES = (
    *(code_lines, numbered_slots, names_by_range),
    *(hidden_hand_overs, untyped_simulators, riddles),
)
"""Measures of a file's text."""


@cache
def _measured():
    """Return what each measure finds in each file of core and plugins; each is parsed once."""
    texts = ((path, path.read_text()) for path in python_files(CORE, PLUGINS))
    return {path: {measure: measure(text) for measure in MEASURES} for path, text in texts}


def all_found(measure):
    """Return the files of core and plugins with what a measure finds."""
    return [(path, found[measure]) for path, found in _measured().items()]


def everywhere(measure):
    """Return what a measure of a text finds in core and plugins, with the file."""
    return [
        f"{path.relative_to(CORE.parents[1])}: {one}"
        for path, found in all_found(measure)
        for one in found
    ]
