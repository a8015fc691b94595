"""Delassus matrices that no mechanics has are told from those that rounding has touched."""

import numpy as np
import pytest
from tests.cases import each

from footfall.errors import SolverError
from footfall.problem.soundness import symmetrised


def gram(seed, n, rank, spread=0.0):
    """A random matrix of a mechanical system: ``A A'``, rows of very different sizes if asked."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, rank)) * 10.0 ** rng.uniform(-spread, spread, (n, 1))
    return A @ A.T


@each("seed", range(10))
@each(("n", "rank"), [(3, 3), (12, 6), (24, 12), (120, 6)])
@each("spread", [0.0, 4.0])
def test_matrices_of_mechanical_systems_pass_however_singular(seed, n, rank, spread):
    W = gram(seed, n, rank, spread)
    np.testing.assert_allclose(symmetrised(W), W, atol=1e-14 * np.abs(W).max())


@each("seed", range(20))
def test_a_negative_eigenvalue_is_found_whatever_the_diagonal(seed):
    """A matrix of rank 6 less a little of one direction; the diagonal stays positive."""
    rng = np.random.default_rng(seed)
    W = gram(seed, 12, 6)
    d = rng.normal(size=12)
    W -= 1e-4 * np.outer(d, d)
    assert (np.diag(W) > 0.0).all()
    assert np.linalg.eigvalsh(W)[0] < -1e-6
    with pytest.raises(SolverError, match="not positive semidefinite: eigenvalues from -"):
        symmetrised(W)


def test_an_immovable_body_passes_and_one_that_answers_to_others_does_not():
    W = np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(symmetrised(W), W)
    W[0, 3] = W[3, 0] = 0.1
    with pytest.raises(SolverError, match="not positive semidefinite"):
        symmetrised(W)


def test_asymmetry_beyond_rounding_is_refused_with_its_size():
    W = gram(0, 6, 6)
    rounded = W.copy()
    rounded[0, 1] *= 1.0 + 1e-13
    assert (symmetrised(rounded) == symmetrised(rounded).T).all()
    W[0, 1] += 0.25
    with pytest.raises(SolverError, match=r"not symmetric, by 0\.25"):
        symmetrised(W)
