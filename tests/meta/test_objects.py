"""Kernels as native objects: made with the wheel, loaded uncompiled, refused where stale."""

from __future__ import annotations

import json
import math
import re
import weakref
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hatch_build import TARGETS, for_level, write_objects
from llvmlite import binding as llvm
from tests.meta.source_files import CORE, ROOT, plugin_packages
from tests.meta.test_wheel import python

from footfall.api.advanced import stage_of
from footfall.api.kernels import bind, inner, kernel, opener, table_of
from footfall.api.plugin import Floats1, PluginError, SimulationError
from footfall.jit import cache_folder as kernels_folder
from footfall.jit import caching, native
from footfall.jit.announcement import compilations
from footfall_llvm import compiler


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
def counts(x, flag, least):
    """Return numbers of all kinds."""
    return len(x) if flag else least, flag, 0.1


@kernel
def sum_of_strided(x):
    """Return a sum that depends on where each number lies."""
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += 10.0 * i + j + x[i, j]
    return s


@kernel
def pair_sum(pair):
    """Return the sum of a tuple."""
    return pair[0] + pair[1]


@kernel
def length(rows):
    """Return the length of an array whose rows are no table's."""
    return len(rows)


@kernel
def twice(x):
    """Return an array."""
    return x


@kernel
def refuses_negative(x):
    """Raise if a number is negative."""
    if x < 0.0:
        raise ValueError("negative")


@kernel
def mean(x):
    """Return the mean, which is no integer."""
    s = 0.0
    for k in range(len(x)):
        s += x[k]
    return s / len(x)


@kernel
def turned(x):
    """Call functions of the C library."""
    return math.hypot(math.sin(x), math.cos(x)) + math.log10(x)


def forget():
    """Forget what has been looked for and found."""
    for each in (native._folder, native.cache_folder, kernels_folder.cache_root):
        each.cache_clear()
    for function in (add_scaled, mean, sum_of_strided, counts):
        function.entries.clear()
        function._callers.clear()


@pytest.fixture
def objects(tmp_path, tmp_path_factory, monkeypatch):
    """An empty folder of objects, in place of an installed wheel's; nothing is compiled before."""
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
    monkeypatch.setattr(native, "OBJECTS", tmp_path)
    forget()
    yield tmp_path
    forget()


def example(n=5):
    rng = np.random.default_rng(3)
    x, y, out = rng.random(n), rng.random(n), np.zeros(n)
    return x, y, out, table_of(Numbers(x, y))


def name_of(function, arguments):
    return native.object_name(function, tuple(map(native.kind_of, arguments)))


def make(objects, function, arguments):
    """Write the objects of a kernel as for a wheel; return what is said of it."""
    name = name_of(function, arguments)
    said = write_objects(
        objects, name, compiler.optimised(compiler.translated(function, arguments, name))
    )
    forget()
    return said


class Counted:
    """How many kernels are compiled, and loaded from the installation, within the block."""

    def __enter__(self):
        native.finish()
        self._before = compilations.kernels, compilations.loaded
        return self

    def __exit__(self, *error):
        native.finish()
        self.compiled = compilations.kernels - self._before[0]
        self.loaded = compilations.loaded - self._before[1]


def kept():
    """Return the objects of this machine's cache."""
    return sorted(native.cache_folder().glob("*"))


def test_an_object_gives_the_bits_of_the_compiled_kernel(objects):
    x, y, out, table = example()
    with Counted() as first:
        bind(add_scaled, table, like=(out, 0.0, 0))(out, 0.3, 1)
    assert (first.compiled, first.loaded) == (1, 0)
    expected = out.copy()
    assert make(objects, add_scaled, (table, out, 0.0, 0)).endswith("bytes")
    with Counted() as second:
        loaded = bind(add_scaled, table, like=(out, 0.0, 0))
    assert (second.compiled, second.loaded) == (0, 1)
    out[:] = 0.0
    assert loaded(out, 0.3, 1) is True
    assert out.tobytes() == expected.tobytes()
    assert loaded(out, 0.3, 5) is False
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
    loaded = bind(add_scaled, table, like=(out, 0.0, 0))
    fixed = np.zeros(5)
    fixed.flags.writeable = False
    wrong = np.zeros(10)[::2], np.zeros(5, np.float32), np.zeros((5, 1)), np.zeros(5, int), fixed
    for one in wrong:
        with pytest.raises(TypeError, match="bound to"):
            loaded(one, 1.0, 0)


def test_arguments_of_other_types_are_compiled(objects):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    strided = np.zeros(10)[::2]
    with Counted() as count:
        bind(add_scaled, table, like=(strided, 0.0, 0))(strided, 1.0, 0)
    assert count.compiled == 1
    assert strided.all()
    assert not strided.base[1::2].any()


def test_an_object_of_another_source_is_not_loaded(objects, monkeypatch):
    _, _, out, table = example()
    arguments = table, out, 0.0, 0
    make(objects, add_scaled, arguments)
    for said, expected in ((caching.source_hash, (0, 1)), (lambda kernel: "edited", (1, 0))):
        monkeypatch.setattr(native, "source_hash", said)
        add_scaled.entries.clear()
        with Counted() as count:
            bind(add_scaled, *arguments)
        assert (count.compiled, count.loaded) == expected


def test_objects_can_be_switched_off(objects, monkeypatch):
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    monkeypatch.setenv("FOOTFALL_OBJECTS", "0")
    with Counted() as count:
        bind(add_scaled, table, out, like=(0.0, 0))
    assert (count.compiled, count.loaded) == (1, 0)


V3, V2 = (native.LEVELS[f"linux-x86_64/x86-64-{level}"] for level in ("v3", "v2"))


@pytest.mark.parametrize(
    ("platform", "can", "expected"),
    [
        ("linux-x86_64", (*V2, *V3), "x86-64-v3"),
        ("linux-x86_64", V2, "x86-64-v2"),
        ("linux-aarch64", (), "generic"),
        ("darwin-arm64", (), "apple-m1"),
        ("linux-x86_64", (), "none is for this processor"),
        ("win32-AMD64", (*V2, *V3), "none is for this processor"),
    ],
)
def test_a_processor_gets_the_best_level_that_it_can_run(
    objects, monkeypatch, platform, can, expected
):
    for level in native.LEVELS:
        (objects / level).mkdir(parents=True)
    monkeypatch.setattr(native, "PLATFORM", platform)
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: dict.fromkeys(can, True))
    if " " in expected:
        with pytest.warns(native.CacheWarning, match=expected):
            assert native._folder() is None
    else:
        assert native._folder() == objects / platform / expected


FUSED = r"\b(v?fn?m(add|sub)\w*|fml[as])\b"
"""Instructions that multiply and add with one rounding (x86's and aarch64's)."""


@pytest.mark.parametrize("level", native.LEVELS)
def test_no_processor_rounds_otherwise(level):
    """No product is fused with a sum unless LLVM's code says so."""
    _, _, out, table = example()
    made = compiler.optimised(compiler.translated(add_scaled, (table, out, 0.0, 0), "scaled"))
    machine, module = for_level(made.module, level)
    assert not re.search(FUSED, machine.emit_assembly(module))
    fused = re.sub(r"= f(mul|add) ", r"= f\1 contract ", str(made.module))
    machine, module = for_level(llvm.parse_assembly(fused), level)
    assert ("fma" in native.LEVELS[level] or "x86" not in level) == bool(
        re.search(FUSED, machine.emit_assembly(module))
    )


def test_objects_for_macos_call_what_macos_has():
    """Names begin with an underscore; sine and cosine together have a name of their own there."""
    made = compiler.optimised(compiler.translated(turned, (0.5,), "turned"))
    machine, module = for_level(made.module, "darwin-arm64/apple-m1")
    little_endian_64_bits, arm64 = 0xFEEDFACF, 0x0100000C
    head = np.frombuffer(machine.emit_object(module)[:8], "<u4")
    assert [*head] == [little_endian_64_bits, arm64]
    text = machine.emit_assembly(module)
    assert set(re.findall(r"\.globl\t(\w+)", text)) == {"_turned", "_turned_"}
    used = set(re.findall(r"\bbl?\t(\w+)|(\w+)@GOT", text))
    outside = {one or other for one, other in used} - set(re.findall(r"^(\w+):", text, re.M))
    assert outside == {"___sincos_stret", "_hypot", "_log10"}


def test_results_are_those_of_python(objects):
    x = np.zeros(5)
    for _ in range(2):  # compiled, and from the cache
        assert mean(np.array([1.0, 2.0])) == 1.5
        for answer, given in (
            (counts(x, True, 3), (5, True, 0.1)),
            (counts(x, False, 3), (3, False, 0.1)),
        ):
            assert answer == given
            assert [type(part) for part in answer] == [int, bool, float]
        forget()


def test_arrays_are_told_by_strides_and_size(objects):
    whole = np.arange(24.0).reshape(4, 6)
    for given in (whole, whole.T, whole[::2, 1::3], whole.astype(np.float32), whole[:0]):
        assert sum_of_strided(given) == sum(
            10.0 * i + j + given[i, j] for i, j in np.ndindex(given.shape)
        )
    mine = np.arange(3, dtype=np.int32)
    assert sum_of_strided(mine.reshape(3, 1)) == 33.0


def test_what_a_frame_cannot_hold_is_refused(objects):
    rows = np.array([(1.0, 2), (3.0, 4)], [("x", float), ("n", int)])
    calls = [(pair_sum, (1.0, 2.0)), (length, rows), (twice, np.array([1.0, 2.0]))]
    for function, given in calls:
        for call in (function, partial(bind, function)):
            with pytest.raises(PluginError, match=r"kernels take|a kernel returns"):
                call(given)
    assert kept() == []


def test_what_a_kernel_raises_is_not_lost(objects):
    assert refuses_negative(1.0) is None
    for call in (refuses_negative, bind(refuses_negative, like=(0.0,))):
        with pytest.raises(SimulationError, match=r"refuses_negative has raised"):
            call(-1.0)


def test_a_kernel_called_by_several_threads_gives_each_its_answer(objects):
    given = [np.full(50, float(k)) for k in range(8)]
    mean(given[0])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: mean(given[k % 8]), range(4000)))
    assert found == [float(k % 8) for k in range(4000)]


def test_a_direct_call_keeps_no_table_alive(objects):
    _, _, out, table = example()
    add_scaled(table, out, 1.0, 0)
    here = weakref.ref(table)
    del table
    assert here() is None
    other = example()
    add_scaled(other[3], out, 1.0, 0)
    np.testing.assert_array_equal(out, other[0] + other[1])


def scaling(factor, of):
    """Return a kernel of a closure, which has no name of its own."""
    if factor > 0.0:

        @kernel
        def scaled(x):
            return factor * of(x)

    else:

        @kernel
        def scaled(x):
            return of(x) - factor

    return scaled


@inner
def square(x):
    return x * x


@inner
def cube(x):
    return x * x * x


def test_kernels_of_one_file_are_told_apart(objects):
    made = [scaling(2.0, square), scaling(3.0, square), scaling(2.0, cube), scaling(-2.0, square)]
    assert [each(2.0) for each in made] == [8.0, 12.0, 16.0, 6.0]
    assert len(kept()) == 4
    again = [scaling(2.0, square), scaling(3.0, square), scaling(2.0, cube), scaling(-2.0, square)]
    with Counted() as count:
        assert [each(2.0) for each in again] == [8.0, 12.0, 16.0, 6.0]
    assert count.compiled == 0


@pytest.mark.parametrize("damage", [b"", b"rubbish", None])
def test_a_damaged_object_is_compiled_again(objects, damage):
    assert mean(np.array([1.0, 2.0])) == 1.5
    (path,) = kept()
    whole = path.read_bytes()
    path.write_bytes(whole[:-200] if damage is None else damage)
    forget()
    with Counted() as count:
        assert mean(np.array([1.0, 2.0])) == 1.5
    assert count.compiled == 1
    assert path.read_bytes()[-5:] == whole[-5:]
    forget()
    with Counted() as count:
        assert mean(np.array([1.0, 2.0])) == 1.5
    assert count.compiled == 0


def test_an_object_that_cannot_be_written_does_no_harm(objects, monkeypatch):
    def full(*of, **options):
        raise OSError(28, "No space left on device")

    for name in ("replace", "mkdir"):
        forget()
        with monkeypatch.context() as patched, Counted() as count:
            patched.setattr(Path, name, full)
            kernels_folder.cache_root.cache_clear()
            patched.setattr(native, "cache_root", lambda: objects / "cache")
            assert mean(np.array([1.0, 2.0])) == 1.5
        assert count.compiled == 1
    assert not [path for path in (objects / "cache").rglob("*") if path.is_file()]


def test_an_object_is_for_one_processor_and_its_compilers(objects, monkeypatch):
    monkeypatch.delenv("FOOTFALL_CPU", raising=False)
    native.cache_folder.cache_clear()
    folders = {native.cache_folder()}
    for module, name, instead in (
        (native, "version", lambda of: "another"),
        (native, "PLATFORM", "another"),
        (llvm, "get_host_cpu_name", lambda: "another"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, instead)
            native.cache_folder.cache_clear()
            folders.add(native.cache_folder())
    monkeypatch.setenv("FOOTFALL_CPU", "x86-64-v2")
    native.cache_folder.cache_clear()
    folders.add(native.cache_folder())
    assert len(folders) == 5
    assert {folder.parent for folder in folders} == {kernels_folder.cache_root()}


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
    "compiler": "footfall_llvm.compiler" in sys.modules,
    "states": states,
    "where": footfall.__file__,
    "spent": spent,
}))
"""


SITECUSTOMIZE = """
import sys

sys.path[:] = [path for path in sys.path if path not in {own!r}]
"""
"""Does as that of pip's build environment: what an editable installation lists is not found."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel with objects of one scene."""
    folder = tmp_path_factory.mktemp("wheel")
    families = {path.parent for path in plugin_packages()}
    own = [str(path) for path in (CORE.parent, ROOT / "robots", *families)]
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE.format(own=own))
    python(
        folder,
        *("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT),
        HATCH_BUILD_HOOKS_ENABLE="1",
        FOOTFALL_OBJECT_SCENES="cube/sliding",
        PYTHONPATH=str(folder),
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.long
def test_pip_takes_the_wheel_with_objects_for_each_platform(wheel, tmp_path):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if "/jit/objects/" in name]
    made = {level: {n for n in names if f"/{level}/" in n} for level in native.LEVELS}
    assert len({len(found) for found in made.values()}) == 1
    assert all(len(found) >= 8 for found in made.values())
    pip = ["-m", "pip", "download", "--no-deps", "--no-index", "--only-binary=:all:"]
    for _, platform in TARGETS.values():
        python(tmp_path, *pip, "--platform", platform, "--dest", tmp_path / platform, wheel)
        assert (tmp_path / platform / wheel.name).exists()


@pytest.mark.long
def test_a_scene_of_the_wheel_starts_without_compiling(wheel, tmp_path):
    """Nothing is compiled, and the bits are those of compiled kernels."""
    site = tmp_path / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    python(tmp_path, *pip, site, wheel)
    cache = tmp_path / "cache"
    at = {"PYTHONPATH": str(site), "FOOTFALL_CACHE_DIR": str(cache)}
    found = json.loads(python(tmp_path, "-c", FIRST_STEP, **at))
    assert found["where"].startswith(str(site))
    assert (found["compiled"], found["compiler"]) == (0, False)
    assert found["loaded"] >= 8
    assert not cache.exists()
    assert found["spent"] < 2.5
    listed = python(tmp_path, site / "bin" / "footfall", "warm", "cube/sliding", **at)
    assert "cube/sliding: 0 compiled" in listed
    assert not list(cache.iterdir())
    can = llvm.get_host_cpu_features()
    own = [name for name in native.LEVELS if name.startswith(f"{native.PLATFORM}/")]
    level = next(name for name in own if all(map(can.get, native.LEVELS[name])))
    compiled = json.loads(
        python(
            tmp_path,
            *("-c", FIRST_STEP),
            **at,
            FOOTFALL_OBJECTS="0",
            FOOTFALL_CPU=level.partition("/")[2],
        )
    )
    assert compiled["compiled"] > 0
    assert compiled["loaded"] == 0
    assert compiled["states"] == found["states"]


@pytest.mark.parametrize("level", ["x86-64-v3", "x86-64-v2"])
def test_objects_of_each_level_give_the_same_bits_at_any_length(objects, monkeypatch, level):
    name = next(one for one in native.LEVELS if one.endswith(level))
    if not all(map(llvm.get_host_cpu_features().get, native.LEVELS[name])):
        pytest.skip(f"the processor is below {level}")

    def scaled():
        for n in range(1, 20):
            _, _, out, table = example(n)
            bind(add_scaled, table, like=(out, 0.0, 0))(out, 0.3, 0)
            yield out.tobytes()

    compiled = [*scaled()]
    _, _, out, table = example()
    make(objects, add_scaled, (table, out, 0.0, 0))
    monkeypatch.setattr(native, "LEVELS", {name: native.LEVELS[name]})
    with Counted() as count:
        assert [*scaled()] == compiled
    assert (count.compiled, count.loaded) == (0, 1)
