"""Four ways to the Delassus matrix give ``J M^-1 J'``."""

import numpy as np
import pytest
from tests.cases import each
from tests.core.delassus_by_definition import matrix_by_definition, matrix_of, settled
from tests.core.random_trees import random_parents
from tests.core.random_worlds import body, points

import footfall
from footfall import assemble
from footfall.api import kernels as world
from footfall.api.advanced import DelassusMethod
from footfall.errors import PluginError, SceneError, SettingError
from footfall.jit.compiling import kernel
from footfall.problem.arrays import ProblemSize
from footfall.registry.registry import Registry
from footfall.scene.load import scene_from_dict
from footfall_delassus.delassus import METHODS as ARTICULATED
from footfall_run.listings.json_schema import json_schema
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.delassus import delassus

BALL = {
    "simulation": {"duration": 1.0},
    "world": {"terrain": {"friction": 0.5}},
    "bodies": {
        "ball": {"shape": {"type": "sphere", "radius": 0.1}, "base_position": (0.0, 0.0, 0.1)}
    },
}
OMEGA = {"delassus": "omega_recursion"}
METHODS = ("sparse", *ARTICULATED)
SIZES = [((1, False),), ((1, True),), ((7, False), (12, True)), ((40, True),), ((40, False),)]


@kernel
def list_pairs_again(table):
    """List the pairs of blocks anew, after their sides have been changed."""
    sides, problem = tables.open_sides(table), tables.open_problem(table)
    delassus(tables.open_topology(table), tables.loops(table), sides, problem)


def without_methods():
    """Return what is installed but for methods of the Delassus matrix."""
    registry = footfall.discover()
    registry.delassus = Registry().delassus
    return registry


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


@pytest.mark.long
@each("method", METHODS)
@each("sizes", SIZES, ids=str)
@each("contacts", [1, 4, 40])
def test_every_method_gives_the_matrix_of_the_definition(method, sizes, contacts):
    sim = random_world(3 * contacts + len(sizes), sizes, contacts, method)
    sim.step()
    assert sim.stepper.problem.n_rows == 3 * (len(sizes) * contacts + 3)
    require_same(sim)


@each("method", list(ARTICULATED))
@each("seed", range(5))
def test_contacts_between_bodies_count_both_with_signs(method, seed):
    sim = random_world(seed, ((9, True), (6, False)), 8, method)
    sim.step()
    rng = np.random.default_rng(seed)
    for b in range(0, int(sim.world.problem.size[ProblemSize.BLOCKS]), 2):
        # Of another tree, of the same, or the same link.
        sim.stepper.world.sides.link[b, 0] = rng.integers(0, sim.world.n_links)
    list_pairs_again(sim.stepper._table)
    sim.stepper._delassus.fill()
    require_same(sim)


@pytest.mark.parametrize("method", list(ARTICULATED))
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
        pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    with pytest.raises(SceneError, match=rf"simulation\.delassus.*{what}"):
        footfall.load(scene, overrides={"simulation.delassus": "omega_recursion"})


def test_a_method_is_chosen_among_those_installed_with_the_nearest_name():
    with pytest.raises(SceneError, match=r"delassus: must be 'sparse', .*'omega_recursion'\?"):
        footfall.load("cube/drop", overrides={"simulation.delassus": "omega_recursoin"})
    simulation = json_schema(footfall.discover())["$defs"]["Simulation"]["properties"]
    assert simulation["delassus"]["enum"] == ["sparse", *sorted(ARTICULATED)]
    with pytest.raises(SceneError, match=r"delassus: must be 'sparse', got \"omega_recursion\""):
        scene_from_dict({**BALL, "simulation": {"duration": 1.0, **OMEGA}}, without_methods())


def test_the_sparse_factor_needs_no_plugin_and_keeps_its_name():
    assert scene_from_dict(BALL, without_methods()).simulation.delassus == "sparse"
    with pytest.raises(PluginError, match='"sparse" is Footfall\'s own'):
        Registry().delassus.add("sparse", lambda: Doubled, summary="takes the name")


class Doubled(DelassusMethod):
    """Makes each matrix twice what it is."""

    name = "doubled"

    def __init__(self, table):
        self.table = table

    def after_settling(self, settle, tree):
        return settle

    def after_building(self, build):
        def build_and_double(*arguments):
            build(*arguments)
            world.open_problem(self.table).W[:] *= 2.0

        return build_and_double


def test_a_method_of_somebody_else_is_found_by_its_name():
    registry = footfall.discover()
    registry.delassus.add("doubled", lambda: Doubled, summary="twice the matrix")
    weight = {}
    for name in ("sparse", "doubled"):
        scene = {**BALL, "simulation": {"duration": 1.0, "delassus": name}}
        sim = assemble(scene_from_dict(scene, registry), registry)
        sim.step()
        weight[name] = sim.stepper.problem.delassus()
    assert weight["sparse"].any()
    np.testing.assert_array_equal(weight["doubled"], 2.0 * weight["sparse"])


@pytest.mark.parametrize("method", [dict, "doubled"])
def test_what_is_no_method_is_refused(method):
    with pytest.raises(SettingError, match="a subclass of DelassusMethod"):
        random_world(0, SIZES[0], 1, method)


def test_continuous_time_has_no_such_choice():
    with pytest.raises(SceneError, match=r"simulation\.delassus.*time stepping"):
        footfall.load("disc/rolling", overrides={"simulation.delassus": "omega_recursion"})
