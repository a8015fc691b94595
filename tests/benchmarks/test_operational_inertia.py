"""Operations of the ways to Lambda^-1, as the code counts them, are what their structure says."""

import numpy as np
import pytest
from tests.benchmarks import operational_inertia as benchmark
from tests.benchmarks.counted import Counted, Counts, counting, instrumented, values
from tests.cases import each, first
from tests.core.delassus_by_definition import HUMANOID, matrix_by_definition

from footfall.problem.arrays import ProblemSize

LINKS = first((6, 12) * 4, (3, 6, 6, 23), (6,) * 3, (6, 12, 23, 30), runs=2)


@pytest.fixture(scope="module", params=LINKS, ids=str)
def sim(request):
    """Return the humanoid of 30 joints, touched at these links."""
    return benchmark.prepared(HUMANOID, request.param)


def halves(sim):
    """Return for how many contacts and bodies ``E_i Omega`` is needed for pairs i <= j."""
    m = int(sim.world.problem.size[ProblemSize.BLOCKS])
    links = sim.world.sides.link[:m, 1]
    return sum(len(set(links[i:])) for i in range(m))


def products(sim):
    """Return multiplications and divisions, term by term, of a floating tree.

    Down a joint with a wrench 13, up with a motion 13, the base's inverse 36; a contact's rows 18;
    a row of ``E Omega`` 36, an entry of ``E Omega E'`` 6.
    """
    n = benchmark.shape(sim)
    pairs = n["m"] * (n["m"] + 1) // 2
    projected = 18 * n["m"] + 108 * halves(sim) + 54 * pairs
    base = 36
    # Omega U, w = Omega U / D, U' w, half = (1 + U' w) / 2 D, half S, S w' and w S'.
    diagonal = n["b"] * (36 + 6 + 6 + 2 + 6 + 2 * 21)
    return {
        "unit_contact_forces": n["m"] * 3 * (13 * n["b"] + base)
        + 3 * 13 * n["beta_m"]
        + 18 * n["m"]
        + 54 * pairs,
        "unit_body_forces": n["C"] * 6 * (13 * n["b"] + base) + 6 * 13 * n["beta_C"] + projected,
        "omega_recursion": diagonal + 6 * 13 * n["alpha_C"] + projected,
    }


@each("method", list(benchmark.INNER))
def test_products_are_those_of_the_structure(sim, method):
    counted, _ = benchmark.operations(sim)[method]
    assert counted == products(sim)[method]


def test_the_instrumented_build_computes_the_same_matrix(sim):
    counts = Counts()
    world = sim.world
    arrays = [
        counting(a, counts) for a in (world.topology, world.dynamics, world.sides, world.problem)
    ]
    made = counting(sim.stepper._delassus.arrays, counts)
    for entry in arrays[3].W:
        entry.value = np.nan
    instrumented(benchmark.INNER["unit_body_forces"])(*arrays, made)
    m = int(world.problem.size[ProblemSize.BLOCKS])
    W = values(arrays[3].W)[: 9 * m * m].reshape(m, m, 3, 3).transpose(0, 2, 1, 3)
    expected = matrix_by_definition(sim)
    np.testing.assert_allclose(
        W.reshape(3 * m, 3 * m), expected, atol=1e-10 * np.abs(expected).max()
    )


def test_each_operation_counts_once():
    counts = Counts()
    a, b = Counted(3.0, counts), Counted(4.0, counts)
    c = a * b + 2.0 / a - (1.0 - b)
    assert c.value == pytest.approx(3 * 4 + 2 / 3 - (1 - 4))
    assert (counts.products, counts.sums) == (2, 3)


def test_the_published_tables_for_the_humanoid():
    sim = benchmark.prepared(HUMANOID, (6, 12) * 4)
    letters = benchmark.shape(sim)
    assert letters == {"m": 8, "C": 2, "b": 12, "beta_m": 48, "beta_C": 12, "alpha_C": 12}
    tables = benchmark.published_operations(letters)
    # 144 m + 39 b m + 36 beta_m + 27 m (m + 1) / 2; 99 m + 36 b m + 21 beta_m + the same
    assert tables["unit_contact_forces"] == (1152 + 3744 + 1728 + 972, 792 + 3456 + 1008 + 972)


@pytest.mark.long
def test_the_benchmark_prints_every_method(capsys):
    assert benchmark.main(["--repeats", "1"]) == 0
    printed = capsys.readouterr().out
    for title in benchmark.TITLES.values():
        assert title in printed
