"""The factor of the Delassus matrix that a step leaves behind."""

import numpy as np
import pytest

import footfall
from footfall.world.arrays import PANEL


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
            piece = given.Z[at : at + 4 * len(span)].reshape(-1, 4)[:, : rows.stop - rows.start]
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


def test_many_contacts_of_one_body_and_of_pairs_of_bodies():
    """Rows of a tree are multiplied in panels; a plate that carries boxes has several of them."""
    box = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass": 1.0, "friction": 0.5}
    plate = {"shape": {"type": "box", "size": [3.0, 3.0, 0.1]}, "mass": 9.0, "friction": 0.5}
    tables = {
        "simulation": {"duration": 1.0},
        "contact": {"plugin": "coulomb"},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {
            f"box{k}": box | {"base_position": [0.25 * (k % 4), 0.25 * (k // 4), 0.15]}
            for k in range(12)
        }
        | {"plate": plate | {"base_position": [0.0, 0.0, 0.05]}},
    }
    registry = footfall.discover()
    sim = footfall.assemble(footfall.scene_from_dict(tables, registry), registry)
    for _ in range(3):
        sim.step()
    problem = sim.stepper.problem
    W, Z = problem.delassus(), dense(problem, sim.world.nv)
    assert len(W) == 3 * (12 * 4 + 4) > PANEL
    np.testing.assert_allclose(Z @ Z.T, W, rtol=0.0, atol=1e-13 * np.abs(W).max())
    np.testing.assert_array_equal(W, W.T)
