"""The cache of compiled kernels: keyed by all that can be inlined into them."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.meta.source_files import CORE, plugin_packages

KEYS = """
import importlib, json, pathlib
from footfall.jit import caching
from footfall.jit.compiling import Kernel

kernels = []
for root in json.loads(pathlib.Path("roots.json").read_text()):
    for path in sorted(pathlib.Path(root).rglob("*.py")):
        if "@kernel" in path.read_text():
            name = ".".join(path.relative_to(pathlib.Path(root).parent).with_suffix("").parts)
            values = vars(importlib.import_module(name)).values()
            kernels += [k for k in values if isinstance(k, Kernel) and k._from_python]

def keys():
    caching._hash_of.cache_clear()
    return {str(kernel): caching.source_hash(kernel) for kernel in kernels}
"""
EDITS = """
before, changed = keys(), {}
for path in map(pathlib.Path, json.loads(pathlib.Path("edits.json").read_text())):
    path.write_text(path.read_text() + "\\nANOTHER_CONSTANT = 1.0\\n")
    after = keys()
    changed[str(path)] = sorted(name for name in before if before[name] != after[name])
    before = after
print(json.dumps([changed, len(before)]))
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


@pytest.mark.long
def test_a_change_in_any_kernel_package_changes_the_key_of_what_reaches_it(tree):
    folder, run = tree
    packages = {path.parent: str(path) for path in kernel_files(folder)}
    assert len(packages) > 20
    (folder / "edits.json").write_text(json.dumps(list(packages.values())))
    changed, kernels = run(KEYS + EDITS)
    for path, names in changed.items():
        assert names, f"no kernel reaches {path}"
        assert len(names) < kernels, f"all kernels reach {path}"
    (law,) = (names for path, names in changed.items() if "footfall_small_laws/lcp" in path)
    assert {name.rpartition(".")[0] for name in law} == {"footfall_small_laws.lcp.kernels"}


def test_a_constant_of_another_module_is_in_the_key(tree):
    folder, run = tree
    before = run(KEYS + "print(json.dumps(keys()))")
    edit(
        folder / "footfall" / "problem" / "arrays.py",
        "IMPULSIVE = SIZE",
        "IMPULSIVE = 1, 0, 2, 3",
    )
    after = run(KEYS + "print(json.dumps(keys()))")
    edit(
        folder / "footfall" / "problem" / "arrays.py",
        "IMPULSIVE = 1, 0, 2, 3",
        "IMPULSIVE = SIZE",
    )
    changed = {name for name in before if before[name] != after[name]}
    assert "footfall.problem.blocks.group_labels" in changed
    assert "footfall_terrains.kernels.heightmap.heights_sample" not in changed


def test_every_kernel_has_a_key_of_its_own(tree):
    """Also those that lie in one file and call the same."""
    _, run = tree
    found = run(KEYS + "print(json.dumps(keys()))")
    assert len(found) > 100
    assert len(set(found.values())) == len(found)


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
