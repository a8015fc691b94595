"""A tree's arrays stay where they are, in the layout that kernels were compiled for."""

import gc

import numpy as np
import pytest
from tests.plugins.engine_models import BASES, ENGINES, engine, random_state, source

ARRAYS = ("M", "h", "S", "pose")


@pytest.fixture(scope="module", params=ENGINES)
def loaded(request):
    return engine(request.param)


@pytest.fixture(params=BASES)
def tree(request, loaded):
    return loaded.load(source(request.param))


def addresses(tree):
    return [getattr(tree, name).__array_interface__["data"][0] for name in ARRAYS]


def test_evaluating_moves_no_array(tree):
    before, ids = addresses(tree), [id(getattr(tree, name)) for name in ARRAYS]
    for seed in range(50):
        q, v = random_state(tree.model, seed)
        tree.evaluate(q, v)
        tree.evaluate_bias(q, v)
    assert addresses(tree) == before
    assert [id(getattr(tree, name)) for name in ARRAYS] == ids


def test_arrays_are_c_ordered_doubles_of_the_declared_shapes(tree):
    nv, n_links = tree.model.nv, tree.model.n_links
    shapes = {"M": (nv, nv), "h": (nv,), "S": (nv, 6), "pose": (n_links, 12)}
    for name, shape in shapes.items():
        array = getattr(tree, name)
        assert array.shape == shape, name
        assert array.dtype == np.float64, name
        assert array.flags.c_contiguous, name
        assert array.flags.aligned, name


def test_arrays_outlive_the_engine_and_the_collector(loaded):
    trees = [loaded.load(source("floating")) for _ in range(3)]
    q, v = random_state(trees[0].model, 1)
    for tree in trees:
        tree.evaluate(q, v)
    expected = trees[0].M.copy()
    kept = trees[2]
    del trees
    gc.collect()
    garbage = [np.full((40, 40), np.nan) for _ in range(200)]  # reuse what was freed too early
    assert np.array_equal(kept.M, expected)
    kept.evaluate(q, v)
    assert np.array_equal(kept.M, expected)
    assert len(garbage) == 200


def test_trees_of_one_engine_do_not_share_arrays(loaded):
    first, second = loaded.load(source("floating")), loaded.load(source("floating"))
    q, v = random_state(first.model, 1)
    first.evaluate(q, v)
    before = [getattr(first, name).copy() for name in ARRAYS]
    second.evaluate(*random_state(second.model, 2))
    for name, array in zip(ARRAYS, before, strict=True):
        assert np.array_equal(getattr(first, name), array), name


def test_the_same_state_gives_the_same_bits(tree):
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, v)
    before = [getattr(tree, name).copy() for name in ARRAYS]
    tree.evaluate(*random_state(tree.model, 2))
    tree.evaluate(q, v)
    for name, array in zip(ARRAYS, before, strict=True):
        assert np.array_equal(getattr(tree, name), array), name


def test_bias_for_another_velocity_overwrites_h_alone(tree):
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, 2.0 * v)
    expected = tree.h.copy()
    tree.evaluate(q, v)
    before = [getattr(tree, name).copy() for name in ("M", "S", "pose")]
    tree.evaluate_bias(q, 2.0 * v)
    assert np.array_equal(tree.h, expected)
    for name, array in zip(("M", "S", "pose"), before, strict=True):
        assert np.array_equal(getattr(tree, name), array), name


def test_inputs_are_slices_that_are_not_written(tree):
    q, v = random_state(tree.model, 3)
    world_q, world_v = np.concatenate([[9.0], q, [9.0]]), np.concatenate([[9.0] * 3, v])
    before = world_q.copy(), world_v.copy()
    tree.evaluate(q, v)
    expected = tree.h.copy()
    tree.evaluate(world_q[1:-1], world_v[3:])
    assert np.array_equal(tree.h, expected)
    assert np.array_equal(world_q, before[0])
    assert np.array_equal(world_v, before[1])
