"""The files of a new plugin's package."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from footfall import discover
from footfall.api.advanced import unfinished_folder
from footfall.api.command import write_whole
from footfall.api.plugin import PluginError, nearest
from footfall_check.new.roles import ROLES

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MARK = "REPLACE"
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{distribution}"
version = "0.1.0"
description = "A {what} for Footfall"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["footfall"]

[project.entry-points.footfall]
{name} = "{package}"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""
INIT = '''\
"""The {what} ``{name}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the {what} ``{name}``."""
    registry.{role}.add(
        "{name}", "{package}.{module}:{found}", summary="a {what} of mine"
    )
'''
TEST = '''\
"""The plugin passes the checks of its role."""

import footfall.testing
import pytest

from {package}.{module} import {found}


@pytest.mark.parametrize("check", footfall.testing.checks("{role}"), ids=str)
def test_conforms(check):
    check.verify({found})
'''
TEST_COMMAND = '''\
"""The command prints its greeting."""

from {package}.command import {found}


def test_it_greets(capsys):
    {found}("you", times=2)
    assert capsys.readouterr().out == "hello you\\nhello you\\n"
'''
README = """\
# {distribution}

The {what} `{name}` for Footfall.

    pip install -e .
{tries}
{equations}

    python -m pytest tests
"""


COMPILED = """
The step calls it without Python, so it runs in batches, and `slopes` gives gradients:

    import footfall

    law = {{"contact.plugin": "{name}"}}
    with footfall.Batch("cube/sliding", 100, overrides=law) as batch:
        batch.step(substeps=100)
    sim = footfall.load("cube/sliding", law)
    sim.record(0.1)
    print(footfall.derivatives(sim).state)
"""


@dataclass(frozen=True, slots=True)
class Written:
    """The written package.

    Attributes:
        folder: folder of the distribution.
        files: all files in it.
        mark: the file and the line of the equations to replace.
        commands: the next commands for the user.
    """

    folder: Path
    files: tuple[Path, ...]
    mark: tuple[Path, int]
    commands: tuple[str, ...]


def write_package(
    role: str, name: str, output: Path, *, forces: bool = False, compiled: bool = False
) -> Written:
    """Write the package of a new plugin, ``footfall-NAME`` with dashes for underscores.

    Args:
        role: a key of ``ROLES``.
        name: name of the plugin.
        output: folder in which the package's folder is created.
        forces: for contact laws: forces instead of impulses.
        compiled: for contact laws: forces by a kernel.

    Raises:
        PluginError: if there is no such role, the name cannot be used, or the folder exists
            already. Nothing is written then.
    """
    if role not in ROLES:
        raise PluginError(f"no role {role!r}{nearest(role, ROLES)} (roles: {', '.join(ROLES)})")
    if (forces or compiled) and role != "contact":
        option = "--compiled" if compiled else "--forces"
        raise PluginError(f"{option} is for contact laws only, not for the role {role!r}")
    kind = "_compiled" if compiled else "_force" if forces else ""
    template = files("footfall_check.new.templates").joinpath(f"{role}{kind}.py")
    text = template.read_text(encoding="utf-8")
    class_name = "".join(part.capitalize() for part in name.split("_"))
    refuse_name(name, class_name, role, text)
    words = {
        "role": role,
        "name": name,
        "what": ROLES[role].what,
        "distribution": f"footfall-{name.replace('_', '-')}",
        "package": f"footfall_{name}",
        "module": role,
        "found": name if role == "command" else class_name,
        "tries": "".join(f"    {line}\n" for line in tries(role, name)),
        "equations": f"Its equations are in `footfall_{name}/{role}.py`.",
    }
    folder = output / words["distribution"]
    if folder.exists():
        raise PluginError(f"{folder} exists: choose another name, or another --output")
    if not output.is_dir():
        raise PluginError(f"there is no folder {output}")
    role_file = folder / words["package"] / f"{role}.py"
    code = text.replace("NewPlugin", class_name).replace("new_plugin", name)
    contents = {
        folder / "pyproject.toml": PYPROJECT.format(**words),
        folder / "README.md": README.format(**words)
        + (COMPILED.format(name=name) if compiled else "")
        + table(role, name),
        role_file.parent / "__init__.py": INIT.format(**words),
        role_file: code,
        folder / "tests" / f"test_{name}.py": (TEST_COMMAND if role == "command" else TEST).format(
            **words
        ),
    }
    _write_folder(folder, contents)
    line = code[: code.index(MARK)].count("\n") + 1
    commands = (f"pip install -e {folder}", *tries(role, name))
    return Written(folder, tuple(contents), (role_file, line), commands)


def _write_folder(folder: Path, contents: Mapping[Path, str]) -> None:
    """Write the files to a temporary folder, then rename it: all or nothing."""
    with PluginError.of_file(folder), unfinished_folder(folder.parent) as new:
        for path, content in contents.items():
            place = new / folder.name / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, content)
        (new / folder.name).rename(folder)


def refuse_name(name: str, class_name: str, role: str, text: str) -> None:
    """Reject names that a plugin cannot have, or that would shadow a name in the template.

    Raises:
        PluginError: if the name is not allowed; states the allowed ones.
    """
    allowed = "small letters, digits and single underscores, a letter first, e.g. my_law"
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise PluginError(f"{name!r} cannot be a plugin's name: {allowed}")
    used = name if role == "command" else class_name
    nodes = list(ast.walk(ast.parse(text)))
    taken = {node.id for node in nodes if isinstance(node, ast.Name)}
    taken |= {alias.name for node in nodes if hasattr(node, "names") for alias in node.names}
    if used in taken:
        raise PluginError(f"{name!r} is a name that {role} plugins use themselves: choose another")
    if find_spec(f"footfall_{name}") is not None:
        raise PluginError(f"a package footfall_{name} is installed already: choose another name")
    if name in discover().catalog(role):
        raise PluginError(f'{role} "{name}" is installed already: choose another name')


def tries(role: str, name: str) -> list[str]:
    """Return the command lines that try a plugin."""
    check = [] if role == "command" else [f"footfall check {role} {name}"]
    run = ROLES[role].run.replace("NAME", name)
    return [*check, run] if run else check


def table(role: str, name: str) -> str:
    """Return the README's part of a scene file, if the plugin needs more than one key."""
    lines = ROLES[role].table.replace("NAME", name).splitlines()
    shown = "".join(f"    {line}\n" for line in lines)
    return f"\nA scene chooses it:\n\n{shown}" if shown else ""
