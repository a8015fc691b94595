"""Drake as a simulator: what only it does."""

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.errors import RobotWarning, SceneError

pytest.importorskip("pydrake", reason='needs the extra "drake"')

DRAKE = {"plugin": "drake"}
SIMULATOR = {"simulator.plugin": "drake", "visualizer.plugin": "none"}
SURFACES = {"hydroelastic_modulus": 1e7}
G, MU = 9.81, 0.5


def boxes(n=1, *, simulator=None, friction=MU, pairs=None, gravity=(0.0, 0.0, -G), **body):
    """Boxes of 1 kg and 0.1 m on each other on a fixed slab, with shapes alone."""
    box = {"shape": {"type": "box", "size": (0.1, 0.1, 0.1)}, "mass": 1.0, "friction": friction}
    slab = {"type": "box", "size": (4.0, 4.0, 0.2)}
    tables = {
        "simulator": {**DRAKE, **(simulator or {})},
        "world": {"gravity": gravity, "terrain": {"plugin": "plane", "offset": -1.0}},
        "bodies": {
            "slab": {"shape": slab, "fixed": True, "friction": friction},
            **{
                f"box{k}": {**box, "base_position": (0.0, 0.0, 0.15 + 0.1 * k), **body}
                for k in range(n)
            },
        },
        "pairs": pairs or {},
    }
    return footfall.assemble(footfall.scene_from_dict(tables))


@pytest.mark.filterwarnings("ignore:.*tamsi:footfall.errors.RobotWarning")
@pytest.mark.parametrize("approximation", ["tamsi", "sap", "similar", "lagged"])
def test_each_approximation_lets_a_box_stand_and_slide(approximation):
    change = {
        "simulator.discrete_contact_approximation": approximation,
        "bodies.cube.base_linear_velocity": (1.0, 0.0, 0.0),
    }
    run = footfall.load("cube/sliding", {**SIMULATOR, **change}).run(0.6)
    force = run.contact_force.sel(axis="z").sum("contact").values
    assert force[:400].mean() == pytest.approx(run.attrs["weight"], rel=0.02)
    assert float(run.base_position[-1, 0, 0]) == pytest.approx(1.0 / (2.0 * MU * G), rel=0.05)


def last_contacts(run):
    """Return positions and forces of the detected contacts of the last row, (n, 3) each."""
    rows = slice(int(run.collisions_start.values[-1]), None)
    return run.collisions_position.values[rows], run.collisions_force.values[rows]


def test_forces_on_a_surface_sum_up_to_its_force_and_moment():
    """A box that stands under a slanting gravity: at its centre there is no moment."""
    sim = boxes(simulator=SURFACES, gravity=(2.0, 1.0, -G))
    position, force = last_contacts(sim.run(1.0))
    centre = sim.q[:3]
    assert len(force) == 4
    assert force.sum(axis=0) == pytest.approx([-2.0, -1.0, G], rel=1e-3)
    assert np.cross(position - centre, force).sum(axis=0) == pytest.approx(np.zeros(3), abs=2e-3)
    assert (force[:, 2] > 0.0).all()


@pytest.mark.parametrize("seconds", first(0.3, 1.0))
def test_a_stack_stands_on_surfaces(seconds):
    sim = boxes(4, simulator=SURFACES)
    run = sim.run(seconds)
    heights = sim.q[2::7]
    assert heights == pytest.approx(0.15 + 0.1 * np.arange(4), abs=1e-3)
    assert float(run.residual_natural_map[-100:].max()) < 1e-3
    assert 0.0 < float(run.penetration[-1]) < 1e-3


def test_spread_forces_keep_what_they_stand_for():
    from footfall_simulators.drake.found import Point, spread

    rng = np.random.default_rng(1)
    corners = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]])
    for _ in range(20):
        # Forces within the cone make a wrench that the corners can give.
        given = np.c_[rng.uniform(-0.3, 0.3, (4, 2)), rng.uniform(0.5, 1.0, 4)]
        centre = rng.uniform(-0.2, 0.2, 3) * (1.0, 1.0, 0.0)
        force, moment = given.sum(axis=0), np.cross(corners - centre, given).sum(axis=0)
        points = [Point(None, k, x, np.array([0.0, 0.0, 1.0]), 0.0) for k, x in enumerate(corners)]
        found = spread(points, centre, force, moment)
        assert found.sum(axis=0) == pytest.approx(force)
        assert np.cross(corners - centre, found).sum(axis=0) == pytest.approx(moment)
        assert (found[:, 2] >= 0.0).all()


def test_points_of_shapes_are_told_of():
    with pytest.warns(RobotWarning, match="touch in one point"):
        boxes()


def test_friction_of_pairs_is_kept_where_geometries_can_give_it():
    """A pair that slides as it is told to, though its sides have other coefficients."""
    pairs = {"slab/box0": {"friction": 0.2}}
    sim = boxes(simulator=SURFACES, pairs=pairs, base_linear_velocity=(1.0, 0.0, 0.0))
    sim.record(0.05)
    before = float(sim.v[0])
    sim.record(0.1)
    assert before - float(sim.v[0]) == pytest.approx(0.2 * G * 0.1, rel=0.05)


def test_friction_of_pairs_that_no_geometries_give_is_refused():
    """1 / mu is (1 / a + 1 / b) / 2: the slab's 1 / mu had to be -1."""
    pairs = {"slab/box0": {"friction": 0.5}, "slab/box1": {"friction": 0.5}}
    with pytest.raises(SceneError, match=r'harmonic mean.*"footfall" or "mujoco" does'):
        boxes(2, simulator=SURFACES, pairs={**pairs, "box0/box1": {"friction": 0.2}})


@pytest.mark.parametrize(
    ("scene", "change", "words"),
    [
        ("ball/hills", {}, 'height fields.*"footfall" or "mujoco" does'),
        (
            "cube/drop",
            {"bodies.cube.torsional_friction": 0.01},
            'moments of friction.*"footfall" or "mujoco" does',
        ),
        ("cube/drop", {"simulator.contact_model": "hydroelastic"}, "contact_model"),
        ("cube/drop", {"simulator.discrete_contact_approximation": "pgs"}, "lagged"),
    ],
)
def test_what_drake_has_no_place_for_is_refused(scene, change, words):
    with pytest.raises(SceneError, match=words):
        footfall.load(scene, {**SIMULATOR, **change})
