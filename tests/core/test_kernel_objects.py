"""Kernels as native objects: the same answers as Numba's own calls, found and loaded without it."""

import hashlib
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from footfall.jit import objects
from footfall.jit.compiling import bind, inner, kernel
from footfall.jit.stages import stage_of


@inner
def wave(x):
    return math.sin(3.0 * x) * math.exp(-x) + math.atan2(x, 0.3) ** 3


@kernel
def total(a, scale):
    found = 0.0
    for i in range(len(a)):
        found += wave(a[i]) * scale
    return found


@kernel
def largest(a, first):
    k = first
    for i in range(first, len(a)):
        if a[i] > a[k]:
            k = i
    return k, a[k], a[k] * 2.0


@kernel
def is_sorted(a):
    rises = True
    for i in range(1, len(a)):
        rises = rises and a[i] >= a[i - 1]
    return rises


@kernel
def fill(m, value):
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            m[i, j] = value + 10 * i + j


@kernel
def of_a_pair(pair):
    return pair[0] + pair[1]


VALUES = np.random.default_rng(3).normal(size=50)


def as_bits(answer):
    return np.float64(answer).tobytes()


def test_answers_have_the_bits_of_numbas_own_calls():
    assert as_bits(total(VALUES, 0.7)) == as_bits(total.compiled(VALUES, 0.7))
    assert as_bits(bind(total, VALUES, like=(1.0,))(0.7)) == as_bits(total(VALUES, 0.7))
    assert total.loaded


def test_tuples_truths_whole_numbers_and_nothing_come_back():
    assert largest(VALUES, 3) == largest.compiled(VALUES, 3)
    assert isinstance(largest(VALUES, 3)[0], int)
    assert is_sorted(np.arange(3.0)) is True
    assert is_sorted(VALUES) is False
    m = np.zeros((2, 3))
    assert fill(m, 1) is None
    np.testing.assert_array_equal(m, [[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]])


def test_a_bound_kernel_takes_other_arrays_and_lengths_than_it_was_bound_with():
    call = bind(total, like=(VALUES, 1.0))
    for n in (0, 1, 20):
        assert call(VALUES[:n], 2.0) == total.compiled(VALUES[:n], 2.0)


def test_what_is_no_number_or_array_is_refused_by_python():
    call = bind(total, like=(VALUES, 1.0))
    with pytest.raises(TypeError, match="takes an array"):
        call([1.0], 1.0)
    with pytest.raises(TypeError, match="real number"):
        call(VALUES, "1")
    assert call(VALUES, 1) == total(VALUES, 1.0)  # a whole number where one of floating point is


def test_what_an_object_cannot_be_handed_goes_through_numba():
    assert of_a_pair((1.0, 2.0)) == 3.0
    assert total(VALUES[::2], 1.0) == total(VALUES[::2].copy(), 1.0)
    assert stage_of(bind(of_a_pair, (1.0, 2.0))) is None
    assert stage_of(bind(total, VALUES, 1.0)) is not None
    assert stage_of(bind(total, VALUES, like=(1.0,))) is None  # its cell is missing


@pytest.fixture
def no_objects(monkeypatch):
    monkeypatch.setattr(total, "loaded", {})
    monkeypatch.setattr(total, "direct", {})


@pytest.mark.usefixtures("no_objects")
@pytest.mark.parametrize("damage", [b"", b"no object", b"\0" * 5000])
def test_a_damaged_object_is_made_anew(damage):
    expected = total(VALUES, 0.7)
    folder = objects.cache_folder(total)
    place = objects.file_in(folder, "float64:1 float", *objects.processor())
    content = place.read_bytes()
    place.write_bytes(content[: len(content) // 2] + damage)
    total.loaded, total.direct = {}, {}
    assert total(VALUES, 0.7) == expected
    made = place.read_bytes()
    assert made[:32] == hashlib.sha256(made[32:]).digest()


def test_another_processor_finds_other_objects(monkeypatch):
    here = objects.file_in(objects.BROUGHT, "float", *objects.processor())
    objects.processor.cache_clear()
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v2")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    try:
        assert objects.processor() == ("x86-64-v2", "")
        assert objects.file_in(objects.BROUGHT, "float", *objects.processor()) != here
    finally:
        objects.processor.cache_clear()


WARM = """
import json, sys
import footfall
sim = footfall.load("cube/drop")
sim.step()
print(json.dumps(["numba" in sys.modules, footfall.compilations.kernels, sim.q.tolist()]))
"""


def test_a_warm_start_needs_no_numba_and_has_the_same_bits():
    def run():
        done = subprocess.run(
            [sys.executable, "-c", WARM],
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    first = run()
    assert run() == [False, 0, first[2]]
