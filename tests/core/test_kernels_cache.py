"""The cache of compiled kernels: keyed by what their code depends on, and by nothing else."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.meta.source_files import CORE, plugin_packages

from footfall.jit import caching

KEYS = """
import importlib, json, pathlib
from footfall.jit import caching
from footfall.jit.compiling import Kernel

def kernels_in(value):  # also in tables
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [kernel for part in value for kernel in kernels_in(part)]
    return [value] if isinstance(value, Kernel) and value._from_python else []

kernels = []
for root in json.loads(pathlib.Path("roots.json").read_text()):
    for path in sorted(pathlib.Path(root).rglob("*.py")):
        if "@kernel" in path.read_text():
            name = ".".join(path.relative_to(pathlib.Path(root).parent).with_suffix("").parts)
            kernels += kernels_in(
                [v for k, v in vars(importlib.import_module(name)).items() if k[:2] != "__"]
            )

def keys():
    return {str(kernel): caching.source_hash(kernel) for kernel in kernels}

print(json.dumps(keys()))
"""
MARKED = re.compile(r"^@(kernel|inner|routine)$", re.MULTILINE)


def kernel_files(root):
    return [path for path in sorted(root.rglob("*.py")) if MARKED.search(path.read_text())]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of core and plugins, and a way to run Python with it."""
    folder = tmp_path_factory.mktemp("tree")
    roots = []
    for package in (CORE, *plugin_packages()):
        shutil.copytree(
            package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__")
        )
        roots.append(str(folder / package.name))
    (folder / "roots.json").write_text(json.dumps(roots))

    def run(code, source=folder):
        environment = os.environ | {
            "PYTHONPATH": str(source),
            "FOOTFALL_CACHE_DIR": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=source,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return folder, run


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="module")
def keys(tree):
    """What the keys of the tree are, and which an edit changes, which is taken back."""
    folder, run = tree
    before = run(KEYS)

    def changed(file, *edits):
        path = folder / file
        text = path.read_text()
        for old, new in edits:
            edit(path, old, new)
        after = run(KEYS)
        path.write_text(text)
        return {name for name in before if before[name] != after[name]}

    return before, changed


@pytest.mark.long
def test_a_function_in_any_kernel_package_is_in_the_key_of_what_reaches_it_alone(tree, keys):
    folder, run = tree
    before, _ = keys
    assert len(kernel_files(folder)) > 20
    for path in {path.parent: path for path in kernel_files(folder)}.values():
        text = path.read_text()
        marked = MARKED.search(text)
        name = re.compile(r"def (\w+)").search(text, marked.start())[1]
        place = re.compile(r'^    """(?s:.*?)"""\n', re.MULTILINE).search(text, marked.start())
        path.write_text(f"{text[: place.end()]}    another = 1.0\n{text[place.end() :]}")
        after = run(KEYS)
        path.write_text(text)
        changed = {kernel for kernel in before if before[kernel] != after[kernel]}
        assert changed, f"no kernel reaches {name} in {path}"
        assert len(changed) < len(before), f"all kernels reach {name} in {path}"
        if "footfall_small_laws/lcp" in str(path):
            names = {kernel.rpartition(".")[0] for kernel in changed}
            assert names == {"footfall_small_laws.lcp.kernels"}


def test_an_edited_line_changes_the_keys_of_what_calls_it_and_no_more(keys):
    _, changed = keys
    found = changed("footfall/problem/blocks.py", ("while label[i] != i:", "while i != label[i]:"))
    assert "footfall.problem.blocks.group_labels" in found
    assert "footfall.problem.blocks.write_delassus" not in found  # in the same file
    assert "footfall_terrains.kernels.heightmap.heights_sample" not in found


def test_comments_docstrings_and_places_are_in_no_key(keys):
    _, changed = keys
    edits = (
        ("while label[i] != i:", "while label[i] != i:  # not its root"),
        ("Return the smallest block", "Find the smallest block"),
        ("from __future__", "# A line more.\n\nfrom __future__"),
    )
    assert changed("footfall/problem/blocks.py", *edits) == set()


def test_a_constant_of_another_module_is_in_the_key(keys):
    _, changed = keys
    found = changed("footfall/problem/arrays.py", ("BLOCKS = 0", "BLOCKS = 4"))
    assert "footfall.problem.blocks.group_labels" in found
    assert "footfall_terrains.kernels.heightmap.heights_sample" not in found


def test_every_kernel_has_a_key_of_its_own(keys):
    """Also those that lie in one file and call the same."""
    found, _ = keys
    assert len(found) > 100
    assert len(set(found.values())) == len(found)


OWN = """
from __future__ import annotations

import json
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from footfall.jit import caching
from footfall.jit.compiling import by_type, inner, kernel, routine
from footfall.jit.tables import opener
from footfall.typing import Floats1, Ints1


class Place(IntEnum):
    FIRST = 0
    SECOND = 1


class Some(NamedTuple):
    x: Floats1
    k: Ints1


class One(NamedTuple):
    pass


class Two(NamedTuple):
    pass


class Sizes(NamedTuple):
    rows: int
    columns: int


some = opener(Some, 2)
SIZES = Sizes(0, 1)
FACTOR, UNUSED = 2.0, 3.0
WEIGHTS = np.array([1.0, 2.0])


@inner
def callee(x, i=Place.FIRST):
    return x[i]


@routine
def other(x):
    return x[0] * FACTOR


choose = by_type({One: callee, Two: other})


def made(scale):
    @kernel
    def scaled(x):
        return scale * x[0]

    return scaled


@kernel
def calls(x):
    return callee(x)


@kernel
def chooses(way, x):
    return choose(way, x)


@kernel
def places(x):
    return x[Place.SECOND]


@kernel
def measures(x):
    return x[SIZES.rows]


@kernel
def opens(table):
    return some(table).x[0]


@partial(kernel, slp=False)
def weighs(x):
    def both(k):
        return WEIGHTS[k]

    return both(0) * x[0]


scaled, one, two = made(1.5), kernel(lambda x: x[0]), kernel(lambda x: x[1])
names = "calls chooses places measures opens weighs scaled one two".split()
print(json.dumps({name: caching.source_hash(globals()[name]) for name in names}))
"""
EDITS = {
    "a line of a callee": ("return x[i]", "return -x[i]", {"calls", "chooses"}),
    "a default": ("i=Place.FIRST", "i=Place.SECOND", {"calls", "chooses"}),
    "a marker": ("@inner", "@routine", {"calls", "chooses"}),
    "a constant": ("FACTOR, UNUSED = 2.0,", "FACTOR, UNUSED = 2.5,", {"chooses"}),
    "its type": ("FACTOR, UNUSED = 2.0,", "FACTOR, UNUSED = 2,", {"chooses"}),
    "a constant that nothing reads": ("= 2.0, 3.0", "= 2.0, 4.0", set()),
    "an array": ("[1.0, 2.0]", "[1.0, 2.5]", {"weighs"}),
    "a member": ("SECOND = 1", "SECOND = 2", {"places"}),
    "another member": ("FIRST = 0", "FIRST = 3", {"calls", "chooses"}),
    "a layout": ("k: Ints1", "k: Floats1", {"opens"}),
    "a row": ("opener(Some, 2)", "opener(Some, 3)", {"opens"}),
    "an order of fields": ("rows: int\n    columns", "columns: int\n    rows", {"measures"}),
    "a choice": ("One: callee, Two: other", "One: other, Two: callee", {"chooses"}),
    "a closure's value": ("made(1.5)", "made(2.5)", {"scaled"}),
    "a closure's line": ("scale * x[0]", "x[0] * scale", {"scaled"}),
    "a lambda": ("lambda x: x[1]", "lambda x: x[2]", {"one", "two"}),
    "an inner function": ("WEIGHTS[k]", "WEIGHTS[k] + 1.0", {"weighs"}),
    "an option": ("slp=False", "slp=True", {"weighs"}),
    "a comment": ("return x[i]", "return x[i]  # an element", set()),
    "lines": ("\n\n\n@", "\n\n\n\n# A comment.\n@", set()),
    "a docstring": ("return x[i]", '"""Return an element."""\n    return x[i]', set()),
}


def test_what_has_been_edited_since_it_was_imported_has_no_key(tmp_path):
    """Its object would be the code of before, under the name of the source of now."""
    path = tmp_path / "edited.py"
    text = "from footfall.jit.compiling import kernel\n@kernel\ndef f(x):\n    return x[0] + x[1]\n"
    path.write_text(text)
    script = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import edited\n"
        "from footfall.jit.caching import source_hash\n"
        "path = pathlib.Path(edited.__file__)\n"
        "path.write_text(path.read_text().replace('+', '-'))\n"
        "print(source_hash(edited.f))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "None\n"


def test_a_key_holds_what_the_compiled_code_depends_on_and_no_more(tmp_path):
    script = (
        "import contextlib, importlib.util, io, json, sys\n"
        "found = {}\n"
        "for path in sys.argv[1:]:\n"
        "    spec = importlib.util.spec_from_file_location('own', path)\n"
        "    module = sys.modules['own'] = importlib.util.module_from_spec(spec)\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as text:\n"
        "        spec.loader.exec_module(module)\n"
        "    found[path] = json.loads(text.getvalue())\n"
        "print(json.dumps(found))\n"
    )
    paths = {name: tmp_path / f"{k}.py" for k, name in enumerate(["as it is", *EDITS])}
    for name, path in paths.items():
        old, new, _ = EDITS.get(name, ("", "", set()))
        assert old in OWN, name
        path.write_text(OWN.replace(old, new) if old else OWN)
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, paths.values())],
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    before = found[str(paths["as it is"])]
    assert len(set(before.values())) == len(before)  # two lambdas of one line, too
    for name, (_, _, expected) in EDITS.items():
        after = found[str(paths[name])]
        assert {kernel for kernel in before if before[kernel] != after[kernel]} == expected, name


SAMPLE = """
import json
import numpy as np
from footfall.jit.announcement import compilations
from footfall_terrains.kernels.heightmap import heights_sample
from footfall.problem.blocks import group_labels
from footfall.problem.contact_problem import ContactProblem

gap, normal = np.zeros(1), np.zeros((1, 3))
grid, lines = np.zeros((4, 4)), np.arange(4.0)
heights_sample(np.array([[1.5, 1.5, 0.5]]), grid, lines, lines, gap, normal, 0.0)
compiled = [compilations.kernels]
label = np.zeros(2, np.int64)
group_labels(ContactProblem.from_dense(np.eye(6), np.zeros(6), np.ones(2)).table, label)
print(json.dumps([normal[0, 2], int(label[0]), compiled + [compilations.kernels]]))
"""


def test_an_edit_of_what_a_kernel_calls_takes_effect(tree):
    folder, run = tree
    assert run(SAMPLE) == [1.0, 0, [1, 2]]
    assert run(SAMPLE) == [1.0, 0, [0, 0]]
    edit(
        folder / "footfall_terrains" / "kernels" / "patch.py",
        "-ft * size, size",
        "-ft * size, -size",
    )
    assert run(SAMPLE) == [-1.0, 0, [1, 1]]
    edit(folder / "footfall" / "problem" / "blocks.py", "min(a, b)", "max(a, b)")
    assert run(SAMPLE)[2] == [0, 1]


def test_the_same_source_elsewhere_has_the_same_compiled_code(tree, tmp_path):
    """As of an installed wheel beside a clone: its files are others, written at another time."""
    folder, run = tree
    before = run(SAMPLE)[:2]
    packages = [path for path in folder.iterdir() if path.is_dir() and path.name != "cache"]
    for package in packages:
        shutil.copytree(package, tmp_path / package.name, copy_function=shutil.copyfile)
    assert run(SAMPLE, tmp_path) == [*before, [0, 0]]


READS = """
import enum, importlib, pathlib, sys, types
from footfall.jit import caching
from footfall.jit.compiling import inner, kernel
from footfall.jit.native import object_name

class Mode(enum.Enum):
    SLOW = 1
    FAST = 2

HELD, MODE = types.SimpleNamespace(g=1.0), Mode.SLOW

@kernel
def held(x):
    return HELD.g * x

@kernel
def chosen(x):
    return 1.0 if MODE is Mode.SLOW else 2.0

@kernel
def numbered(x):
    return MODE.value * x

if __name__ == "__main__":
    def keys():
        caching._parts.cache_clear()
        return [object_name(one, ("f",)) for one in (held, chosen, numbered)]
    before = keys()
    HELD.g, MODE = 2.0, Mode.FAST
    print(len(set(before + keys())))
    file = pathlib.Path(__file__).parent / "reloaded.py"
    for factor in (2.0, 3.0):
        file.write_text(f"from footfall.jit.compiling import kernel\\n\\n@kernel\\n"
            f"def times(x):\\n    return {factor} * x\\n")
        made = importlib.reload(made) if factor > 2.0 else importlib.import_module("reloaded")
        print(made.times(1.0))
"""


def test_attributes_members_and_modules_that_are_loaded_again_are_in_the_key(tmp_path):
    file = tmp_path / "reads.py"
    file.write_text(READS)
    given = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    told = subprocess.run([sys.executable, file], capture_output=True, text=True, env=given)
    assert told.stdout.split() == ["6", "2.0", "3.0"], told.stderr


FORGED = ["", "[", "[1]", "{}", '{"1 f": 3}', '{"1 f": [[], [], ""]}', '{"1 f": ["", [], 0]}']


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_stored_of_a_source_and_means_nothing_is_made_again(tmp_path, monkeypatch, forged):
    file = tmp_path / "one.py"
    file.write_text("def f(x):\n    return x + y\n")
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(caching, "read_whole", lambda path: forged.encode())
    found = caching._functions_in.__wrapped__(str(file), 0)
    assert list(found) == ["1 f"]
    assert "y" in found["1 f"][1]
