"""Four ways to the Delassus matrix give ``J M^-1 J'``."""

import numpy as np
import pytest
from tests.core.delassus_by_definition import matrix_by_definition, matrix_of, settled
from tests.core.random_trees import random_parents
from tests.core.random_worlds import body, points

import footfall
from footfall.errors import SceneError
from footfall.jit.compiling import kernel
from footfall.kernels import tables
from footfall.kernels.contact.assemble_problem import delassus
from footfall.problem.arrays import BLOCKS
from footfall.stepping.delassus import FILL

METHODS = ("sparse", *FILL)
SIZES = [((1, False),), ((1, True),), ((7, False), (12, True)), ((40, True),), ((40, False),)]


@kernel
def list_pairs_again(table):
    """List the pairs of blocks anew, after their sides have been changed."""
    delassus(tables.topology(table), tables.sides(table), tables.problem(table))


def random_world(seed, sizes, contacts, method):
    """Return a simulator of random trees, and a free body, touched at random links."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k, (n, floating) in enumerate(sizes):
        touching = points(rng, [int(link) for link in rng.integers(0, n + 1, contacts)])
        bodies.append(body(rng, f"tree{k}", random_parents(rng, n), floating, touching))
    bodies.append(body(rng, "free", (), True, points(rng, [0, 0, 0]), free=True))
    return settled(rng, bodies, method)


def require_same(sim):
    """Compare the step's matrix with the definition."""
    expected, got = matrix_by_definition(sim), matrix_of(sim.stepper.problem.arrays)
    assert np.abs(expected).max() > 0.0
    assert np.abs(got - expected).max() <= 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("contacts", [1, 4, 40])
def test_every_method_gives_the_matrix_of_the_definition(method, sizes, contacts):
    sim = random_world(3 * contacts + len(sizes), sizes, contacts, method)
    sim.step()
    assert sim.stepper.problem.n_rows == 3 * (len(sizes) * contacts + 3)
    require_same(sim)


@pytest.mark.parametrize("method", list(FILL))
@pytest.mark.parametrize("seed", range(5))
def test_contacts_between_bodies_count_both_with_signs(method, seed):
    sim = random_world(seed, ((9, True), (6, False)), 8, method)
    sim.step()
    rng = np.random.default_rng(seed)
    for b in range(0, int(sim.world.problem.size[BLOCKS]), 2):
        # Of another tree, of the same, or the same link.
        sim.world.sides.link[b, 0] = rng.integers(0, sim.world.n_links)
    list_pairs_again(sim.stepper._table)
    sim.stepper._delassus.fill()
    require_same(sim)


@pytest.mark.parametrize("method", list(FILL))
def test_a_scene_runs_the_same_with_every_method(method):
    def end(name):
        sim = footfall.load("humanoid/drop", overrides={"simulation.delassus": name})
        for _ in range(300):
            sim.step()
        return np.concatenate([sim.q, sim.v])

    np.testing.assert_allclose(end(method), end("sparse"), atol=1e-8)


@pytest.mark.parametrize(
    ("scene", "what"),
    [("fourbar/swinging", "closed loops"), ("icub/motors", "drives that couple joints")],
)
def test_what_these_methods_do_not_know_is_refused(scene, what):
    if scene.startswith("icub"):
        pytest.importorskip("icub_models", reason="needs icub-models: pip install 'footfall[icub]'")
    with pytest.raises(SceneError, match=rf"simulation\.delassus.*{what}"):
        footfall.load(scene, overrides={"simulation.delassus": "omega_recursion"})


def test_continuous_time_has_no_such_choice():
    with pytest.raises(SceneError, match=r"simulation\.delassus.*time stepping"):
        footfall.load("disc/rolling", overrides={"simulation.delassus": "omega_recursion"})
