"""Other engines, one tree: the same constants and the same dynamics as Pinocchio's."""

import dataclasses

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.engine_models import BASES, ENGINES, engine, icub_source, random_state, source

ARRAYS = ("M", "h", "S", "pose")


@pytest.fixture(scope="module", params=BASES)
def base(request):
    return request.param


@pytest.fixture(scope="module", params=[name for name in ENGINES if name != "pinocchio"])
def other(request):
    return engine(request.param)


@pytest.fixture(scope="module", params=["branched", "icub"])
def trees(request, base, other):
    given = icub_source(base) if request.param == "icub" else source(base)
    return engine("pinocchio").load(given), other.load(given)


@each("seed", range(10))
def test_dynamics_agree_in_random_states(trees, seed):
    first, second = trees
    q, v = random_state(first.model, seed)
    first.evaluate(q, v)
    second.evaluate(q, v)
    for name in ARRAYS:
        a, b = getattr(first, name), getattr(second, name)
        # Sums of a few dozen terms in another order: some ten roundings of the largest entry.
        assert np.abs(a - b).max() <= 1e-13 * max(1.0, np.abs(a).max()) * 10, name


@each("seed", range(3))
def test_bias_after_an_impact_agrees(trees, seed):
    first, second = trees
    q, v = random_state(first.model, seed)
    for tree in trees:
        tree.evaluate(q, v)
        tree.evaluate_bias(q, -2.0 * v)
    assert np.abs(first.h - second.h).max() <= 1e-12 * np.abs(first.h).max()


def test_constants_agree(trees):
    first, second = (tree.model for tree in trees)
    for entry in dataclasses.fields(first):
        a, b = getattr(first, entry.name), getattr(second, entry.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14, err_msg=entry.name)
        elif entry.name != "frames":
            assert a == b, entry.name


def test_frames_agree(trees):
    first, second = (tree.model.frames for tree in trees)
    assert first.keys() == second.keys()
    for name, frame in first.items():
        assert frame.link == second[name].link, name
        np.testing.assert_allclose(frame.rotation, second[name].rotation, atol=1e-14)
        np.testing.assert_allclose(frame.translation, second[name].translation, atol=1e-14)
