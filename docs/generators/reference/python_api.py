"""Pages of the Python interface: every public name with its signature and docstring."""

import ast

from docs.generators.reference.docstring_markdown import first_paragraph, inline, to_markdown
from docs.generators.reference.python_sources import (
    ROOT,
    assigned,
    find,
    public_names,
    text_of,
    tree_of,
)
from footfall import discover

NOTE = "<!-- Written by `python -m docs.generators.reference` from the docstrings. -->\n\n"
INTRODUCTION = """\
`footfall` is for programs that run simulations. `footfall.api` is the contract for authors of
plugins: nine subjects that cover the roles, and `footfall.api.advanced` for plugins that go
further. A plugin class has the version of the contract as its `interface_version`; from Footfall
0.2.0 on a name leaves the contract only after a version that says so.
`footfall.testing` is the conformance kit.
`footfall_stepper.api` is for plugins that work inside the default simulator.
Everything else that can be imported is internal and changes without notice.
"""
WIDTH = 90
"""Of a signature's line."""
RETURNED = {
    "footfall": (
        ("footfall_compare.compare", "Comparison"),
        ("footfall_compare.outcome", "Outcome"),
        ("footfall_fit.outcome", "Fit"),
        ("footfall_fit.outcome", "LawFit"),
        ("footfall_fit.outcome", "Estimate"),
        ("footfall_hands.grip", "Grip"),
    )
}
"""Classes that a module does not have, but whose objects its names return."""
BARE = {"cached_property", "property"}
"""Decorators that make a method look like an attribute."""
HIDDEN = {"kernel", "inner", "routine", "overload", "cache", "override"}
"""Decorators that say nothing to who calls."""


def modules():
    """Return the modules of the interface, in the order of the pages."""
    files = (ROOT / "core" / "footfall" / "api").glob("[!_]*.py")
    stems = sorted((file.stem for file in files), key=lambda stem: (stem == "advanced", stem))
    subjects = [f"footfall.api.{stem}" for stem in stems]
    return ["footfall", *subjects, "footfall.testing", "footfall_stepper.api", "footfall_gym"]


def pages():
    """Return the text of every page by its name in ``docs/reference/api``."""
    return {f"{module}.md": _page(module) for module in modules()} | {"index.md": _index()}


def _index():
    rows = [
        f"| [`{module}`]({module}.md) | {first_paragraph(ast.get_docstring(tree_of(module)))} |"
        for module in modules()
    ]
    links = "\n".join(modules())
    table = "| module | what is in it |\n|---|---|\n" + "\n".join(rows)
    tree = f"```{{toctree}}\n:hidden:\n\n{links}\n```\n"
    return f"{NOTE}# Python interface\n\n{INTRODUCTION}\n{table}\n\n{tree}"


def _page(module):
    parts = [f"# {module}", to_markdown(ast.get_docstring(tree_of(module)))]
    for name in public_names(module):
        found = find(module, name)
        if found is None:
            raise LookupError(f"{module}.{name} is defined nowhere in core or plugins")
        parts += [f"## `{name}`", *_entry(found, public_names(module))]
    for entry in discover().function if module == "footfall" else ():
        found = find(*entry.loader.split(":"))  # not loaded: what it needs may not be installed
        parts += [f"## `{entry.name}`", f"From a plugin: {entry.summary}.", *_entry(found, ())]
    for home, name in RETURNED.get(module, ()):
        parts += [f"## `{name}`", *_entry(find(home, name), public_names(module))]
    return NOTE + "\n\n".join(part for part in parts if part) + "\n"


def _entry(found, beside):
    """Return the parts of one name; ``beside`` are the names of the same page."""
    if isinstance(found.node, ast.FunctionDef):
        return [_fence(_signature(found.node, name=found.name)), to_markdown(found.docstring)]
    if isinstance(found.node, ast.ClassDef):
        return _class(found, beside)
    return [_fence(ast.unparse(found.node)), to_markdown(found.docstring)]


def _class(found, beside):
    head = _class_head(found.node)
    parts = [_fence(head), to_markdown(found.docstring, _types(found.node))]
    return [*parts, *_members(found, found.name), *_inherited(found, beside)]


def _inherited(found, beside):
    """Return the members of bases that have no entry on the page, the nearest base first."""
    parts = []
    for base in found.node.bases:
        parent = find(found.module, ast.unparse(base).split("[")[0])
        if parent is None or not isinstance(parent.node, ast.ClassDef):
            continue
        if not [*_members(parent, found.name), *_inherited(parent, beside)]:
            continue
        page = "" if parent.name in beside else _public_page(parent)
        if parent.name in beside or page:
            parts.append(f"All of [`{parent.name}`]({page}#{parent.name.lower()}) as well.")
        else:
            of_base = [*_members(parent, found.name), *_inherited(parent, beside)]
            words = inline(first_paragraph_plain(parent.docstring))
            parts += [f"From its base `{parent.name}` ({words})", *of_base] if of_base else []
    return parts


def first_paragraph_plain(docstring):
    """Return a docstring's first sentence without its full stop."""
    return " ".join(docstring.split("\n\n")[0].split()).split(". ")[0].rstrip(".")


def _public_page(definition):
    """Return the page with an entry for what is defined, or nothing."""
    for module in modules():
        if definition.name in public_names(module):
            there = find(module, definition.name)
            if there and there[:2] == definition[:2]:
                return f"{module}.md"
    return ""


def _types(node):
    return {
        member.target.id: ast.unparse(member.annotation)
        for member in node.body
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name)
    }


def _class_head(node):
    """Return how an object of the class is made, and what the class derives from."""
    bases = [*map(ast.unparse, node.bases), *map(ast.unparse, node.keywords)]
    kinds = [d for d in map(ast.unparse, node.decorator_list) if d.startswith("dataclass")]
    line = "".join(f"@{kind}\n" for kind in kinds) + f"class {node.name}"
    line += f"({', '.join(bases)})" if bases else ""
    init = next((m for m in node.body if getattr(m, "name", "") == "__init__"), None)
    if init is not None:
        return f"{line}\n\n{_signature(init, name=node.name)}"
    if kinds or "NamedTuple" in bases:
        fields = [ast.unparse(m) for m in node.body if isinstance(m, ast.AnnAssign)]
        made = [field for field in fields if "ClassVar" not in field and "init=False" not in field]
        return f"{line}\n\n{_call(node.name, made)}"
    if {"Enum", "IntEnum", "StrEnum", "Flag"} & set(bases):
        members = [ast.unparse(m) for m in node.body if isinstance(m, ast.Assign)]
        return f"{line}\n\n" + "\n".join(members)
    return line


def _members(found, owner):
    """Return documented attributes, then public methods, of a class."""
    attributes, methods = [], []
    body = found.node.body
    for member, after in zip(body, [*body[1:], None], strict=True):
        name = next(iter(assigned(member)), "_")
        if not name.startswith("_") and text_of(after):
            words = inline(" ".join(text_of(after).split()))
            attributes.append(f"- `{ast.unparse(member)}`: {words}")
        elif isinstance(member, ast.FunctionDef) and _shown(member.name):
            bare = BARE & set(map(ast.unparse, member.decorator_list))
            if bare:
                kind = f": {ast.unparse(member.returns)}" if member.returns else ""
                words = inline(" ".join((ast.get_docstring(member) or "").split()))
                attributes.append(f"- `{member.name}{kind}`: {words}")
            elif not ast.unparse(member).startswith("@" + member.name):
                methods += [f"### `{owner}.{member.name}`", _fence(_signature(member))]
                methods.append(to_markdown(ast.get_docstring(member)))
    return (["\n".join(attributes)] if attributes else []) + methods


def _shown(name):
    return name == "__call__" or not name.startswith("_")


def _signature(node, name=None):
    """Return a function's decorators, name, arguments and result, on one line if it is short."""
    shown = [d for d in map(ast.unparse, node.decorator_list) if d.split("(")[0] not in HIDDEN]
    head = "".join(f"@{decorator}\n" for decorator in shown)
    ends = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if node.name == "__init__":
        ends = ""
    return head + _call(name or node.name, _arguments(node.args)) + ends


def _arguments(args):
    """Return the arguments as they are written, without self and cls."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    shown = [_argument(a, d) for a, d in zip(plain, defaults, strict=True)]
    if plain and plain[0].arg in ("self", "cls"):
        shown = shown[1:]
    if args.vararg:
        shown.append("*" + ast.unparse(args.vararg))
    elif args.kwonlyargs:
        shown.append("*")
    shown += [_argument(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return shown + (["**" + ast.unparse(args.kwarg)] if args.kwarg else [])


def _argument(argument, default):
    text = ast.unparse(argument)
    if default is None:
        return text
    equals = " = " if argument.annotation else "="
    return text + equals + ast.unparse(default)


def _call(name, arguments):
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _fence(code):
    return f"```python\n{code}\n```"
