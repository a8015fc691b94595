"""Kernels as native objects: made with the wheel, loaded without Numba, refused where stale."""

from __future__ import annotations

import json
import sysconfig
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hatch_build import levels, write_objects
from llvmlite import binding as llvm
from tests.meta.test_wheel import python

from footfall.api.kernels import bind, kernel, opener, stage_of, table_of
from footfall.api.plugin import Floats1
from footfall.jit import caching, native

ROOT = Path(__file__).parents[2]


class Numbers(NamedTuple):
    """The arrays of a table.

    Attributes:
        x: any.
        y: as long.
    """

    x: Floats1
    y: Floats1


numbers = opener(Numbers, 0)


@kernel
def add_scaled(table, out, scale, first):
    """Write ``scale x + y`` from an index on; return whether there was something to write."""
    given = numbers(table)
    for k in range(first, len(given.x)):
        out[k] = scale * given.x[k] + given.y[k]
    return first < len(given.x)


@kernel
def mean(x):
    """Return the mean, which is no integer."""
    s = 0.0
    for k in range(len(x)):
        s += x[k]
    return s / len(x)


@pytest.fixture
def objects(tmp_path, tmp_path_factory, monkeypatch):
    """An empty folder of objects, in place of an installed wheel's; nothing is compiled before.

    Objects are made of what is compiled here: code from the cache does not show its LLVM.
    """
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
    monkeypatch.setattr(native, "OBJECTS", tmp_path)
    for each in (native._folder, native._loaded, caching.cache_root):
        each.cache_clear()
    yield tmp_path
    for each in (native._folder, native._loaded, caching.cache_root):
        each.cache_clear()


def example(n=5):
    rng = np.random.default_rng(3)
    x, y, out = rng.random(n), rng.random(n), np.zeros(n)
    return x, y, out, table_of(Numbers(x, y))


def make(objects, function, arguments):
    """Write the objects of a kernel; return what is said of it."""
    return write_objects(objects, native.object_name(function, arguments), function, arguments)


def test_an_object_gives_the_bits_of_the_compiled_kernel(objects):
    x, y, out, table = example()
    compiled = bind(add_scaled, table, like=(out, 0.0, 0))
    assert compiled.address is None
    compiled(out, 0.3, 1)
    expected = out.copy()
    assert make(objects, add_scaled, (table, out, 0.0, 0)).endswith("bytes")
    native._folder.cache_clear()
    loaded = bind(add_scaled, table, like=(out, 0.0, 0))
    assert loaded.address is not None
    out[:] = 0.0
    assert loaded(out, 0.3, 1)
    assert out.tobytes() == expected.tobytes()
    assert not loaded(out, 0.3, 5)
    other = np.ones(5)
    loaded(other, 1.0, 0)
    np.testing.assert_array_equal(other, x + y)


def test_an_object_is_a_stage(objects):
    x, y, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    scale, first = np.array([2.0]), np.array([0])
    stage = stage_of(bind(add_scaled, table, out, like=(0.0, 0)), scale, first)
    assert native.function_at(stage.function)(stage.frame) == 1
    np.testing.assert_array_equal(out, 2.0 * x + y)
    first[0] = 5
    assert native.function_at(stage.function)(stage.frame) == 0


def test_an_object_refuses_an_array_of_another_kind(objects):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    loaded = bind(add_scaled, table, like=(out, 0.0, 0))
    assert loaded.address is not None
    for wrong in (np.zeros(10)[::2], np.zeros(5, np.float32), np.zeros((5, 1)), np.zeros(5, int)):
        with pytest.raises(TypeError, match="bound to"):
            loaded(wrong, 1.0, 0)


def test_arguments_of_other_types_are_compiled(objects):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    strided = np.zeros(10)[::2]
    compiled = bind(add_scaled, table, like=(strided, 0.0, 0))
    assert compiled.address is None
    compiled(strided, 1.0, 0)
    assert strided.all()


def test_an_object_of_another_source_is_not_loaded(objects, monkeypatch):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    assert native.address(add_scaled, (table, out, 0.0, 0)) is not None
    monkeypatch.setattr(native, "source_hash", lambda kernel: "edited since")
    assert native.address(add_scaled, (table, out, 0.0, 0)) is None


def test_objects_can_be_switched_off(objects, monkeypatch):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    monkeypatch.setenv("FOOTFALL_OBJECTS", "0")
    assert bind(add_scaled, table, out, like=(0.0, 0)).address is None


def test_a_processor_gets_the_best_level_that_it_can_run(objects, monkeypatch):
    able = {"cx16": True, "popcnt": True, "sse4.2": True, "ssse3": True}
    best = able | dict.fromkeys(native.LEVELS["x86-64-v3"], True)
    for level in ("x86-64-v2", "x86-64-v3"):
        (objects / level).mkdir()
    for can, expected in ((best, "x86-64-v3"), (able, "x86-64-v2"), ({}, None)):
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda can=can: can)
        native._folder.cache_clear()
        folder = native._folder()
        assert (folder and folder.name) == expected


def test_what_returns_no_integer_is_left_to_the_compiler(objects):
    assert make(objects, mean, (np.zeros(3),)) == "left out: it returns float64"
    assert bind(mean, np.array([1.0, 2.0])).address is None


def test_nothing_is_made_unless_it_is_asked_for():
    """An editable installation and one from a clone stay what they were."""
    assert not native.OBJECTS.exists()


FIRST_STEP = """
import json, sys, time
import footfall
sim = footfall.load("cube/sliding")
sim.step()
spent = time.process_time()
states = []
for _ in range(400):
    sim.step()
    states += [sim.q.tobytes().hex(), sim.v.tobytes().hex()]
print(json.dumps({
    "compiled": footfall.compilations.kernels,
    "loaded": footfall.compilations.loaded,
    "numba": "numba" in sys.modules,
    "states": states,
    "where": footfall.__file__,
    "spent": spent,
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel with objects of one scene."""
    folder = tmp_path_factory.mktemp("wheel")
    python(
        folder,
        *("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT),
        HATCH_BUILD_HOOKS_ENABLE="1",
        FOOTFALL_OBJECT_SCENES="cube/sliding",
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.long
def test_the_wheel_with_objects_is_for_this_kind_of_machine(wheel):
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{platform}.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if "/jit/objects/" in name]
    made = {level: {n for n in names if f"/{level}/" in n} for level in levels()}
    assert len({len(found) for found in made.values()}) == 1
    assert all(len(found) >= 8 for found in made.values())


@pytest.mark.long
def test_a_scene_of_the_wheel_starts_without_compiling(wheel, tmp_path):
    """Nothing is compiled, Numba is not imported, and the bits are those of compiled kernels."""
    site = tmp_path / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    python(tmp_path, *pip, site, wheel)
    cache = tmp_path / "cache"
    at = {"PYTHONPATH": str(site), "FOOTFALL_CACHE_DIR": str(cache)}
    found = json.loads(python(tmp_path, "-c", FIRST_STEP, **at))
    assert found["where"].startswith(str(site))
    assert (found["compiled"], found["numba"]) == (0, False)
    assert found["loaded"] >= 8
    assert not cache.exists()
    assert found["spent"] < 2.5
    listed = python(tmp_path, site / "bin" / "footfall", "warm", "cube/sliding", **at)
    assert "cube/sliding: 0 compiled" in listed
    assert not list(cache.iterdir())
    can = llvm.get_host_cpu_features()
    level = next(name for name in levels() if all(map(can.get, native.LEVELS[name])))
    compiled = json.loads(
        python(
            tmp_path,
            *("-c", FIRST_STEP),
            **at,
            FOOTFALL_OBJECTS="0",
            NUMBA_CPU_NAME=level,
            NUMBA_CPU_FEATURES="",
        )
    )
    assert compiled["compiled"] > 0
    assert compiled["loaded"] == 0
    assert compiled["states"] == found["states"]
