"""The factor of the Delassus matrix that a step leaves behind."""

import numpy as np
import pytest

import footfall


def dense(problem, columns):
    """Return Z of a problem's factor as a dense matrix, shape (rows, columns)."""
    given, Z = problem.factor, np.zeros((problem.n_rows, columns))
    for i in range(problem.n_blocks):
        rows = slice(problem.row[i], problem.row[i + 1])
        for side, sign in ((0, -1.0), (1, 1.0)):
            link = given.link[i, side]
            if link < 0:
                continue
            span = given.span[given.span_start[link] : given.span_start[link + 1]]
            at = given.start[i, side]
            piece = given.Z[at : at + 3 * len(span)].reshape(-1, 3)[:, : rows.stop - rows.start]
            Z[rows, given.tree_v[given.link_tree[link]] + span] += sign * piece.T
    return Z


@pytest.mark.parametrize("scene", ["humanoid/standing", "cube/stack", "humanoid/grasp"])
def test_it_is_that_of_the_matrix(scene):
    sim = footfall.load(scene)
    for _ in range(20):
        sim.step()
    problem = sim.stepper.problem
    W, Z = problem.delassus(), dense(problem, sim.world.nv)
    assert len(W) >= 12
    np.testing.assert_allclose(Z @ Z.T, W, rtol=0.0, atol=1e-13 * np.abs(W).max())
