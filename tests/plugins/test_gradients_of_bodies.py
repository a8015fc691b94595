"""Derivatives of steps in which bodies touch each other, against central differences.

As in ``test_gradients``, states are pressed in, or above, by some micrometres: at a gap of zero the
rules for positions change.
"""

import itertools

import numpy as np
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.plugins.differences import Differences
from tests.plugins.gradient_scenes import Case
from tests.plugins.test_gradients import DEEP, OPEN, PRESSED, at, errors, refused

import footfall
from footfall_gradients.parameters import assembled, value_of

SHAPES = {
    "sphere": {"type": "sphere", "radius": 0.1},
    "box": {"type": "box", "size": [0.3, 0.2, 0.15]},
    "capsule": {"type": "capsule", "radius": 0.05, "length": 0.3},
}
SCENE = """
[simulation]
time_step = 1e-3
[world.terrain]
plugin = "plane"
friction = 0.5
[bodies.plate]
shape = { type = "box", size = [0.4, 0.4, 0.1] }
mass = 2.0
base_position = [0.0, 0.0, 0.05]
[bodies.ball]
shape = { type = "sphere", radius = 0.1 }
mass = 1.0
friction = 0.4
base_position = [0.0, 0.02, 0.21]
base_linear_velocity = [0.2, 0.0, 0.0]
[collisions]
detect = true
"""
SIZES = {"sphere": ["radius"], "box": ["size.0", "size.2"], "capsule": ["radius", "length"]}
ROCKING = {
    "terrain": {
        "plugin": "moving",
        "friction": 0.4,
        "motion": {"kind": "sine", "frequency": 1.0, "rotation_amplitude": [0.02, 0.03, 0.1]},
    }
}
FLAT = {"box": 0.075, "sphere": 0.1, "capsule": 0.05}
LYING = {"capsule": Rotation.from_euler("y", 0.5 * np.pi)}
KINDS = ("sphere", "box", "capsule")


def bodies(one, other, **more):
    """Return a simulator of two objects a and b that touch each other and the ground."""
    table = {
        "simulation": {"time_step": 1e-3},
        "world": {"terrain": {"plugin": "plane", "friction": 0.4}},
        "contact": {"plugin": "coulomb", "tolerance": 1e-12},
        "collisions": {"detect": True},
        "bodies": {
            name: {"shape": shape, "mass": mass, "friction": mu, "base_position": [0, 0, z]}
            for name, shape, mass, mu, z in (("a", one, 2.0, 0.5, 1.0), ("b", other, 1.0, 0.3, 2.0))
        },
        **more,
    }
    plugins = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(table, plugins), plugins)


def lying(kind, depth=-PRESSED, speed=0.3, spin=2.0):
    """Return a simulator of a body on a plate on the ground, pressed into it by a depth."""
    sim = bodies({"type": "box", "size": [0.4, 0.4, 0.1]}, SHAPES[kind])
    turn = Rotation.from_euler("z", 0.3) * LYING.get(kind, Rotation.identity())
    sim.q[2] = 0.05 + PRESSED
    sim.q[7:14] = [0.013, -0.021, 0.1 + PRESSED - depth + FLAT[kind], *turn.as_quat()]
    along = turn.inv().apply([[speed, 0.5 * speed, 0.0], [0.0, 0.0, spin]])
    sim.v[6:12] = along.ravel()
    return sim


def meeting(one, other, gap, seed):
    """Return a simulator of two bodies in the air, in random positions a gap apart."""
    rng, sim = np.random.default_rng(seed), bodies(SHAPES[one], SHAPES[other])
    turns = [Rotation.from_rotvec(rng.normal(size=3)) for _ in range(2)]
    x, y = 0.02 * rng.normal(size=2)
    places = [np.eye(4), np.eye(4)]
    for place, turn in zip(places, turns, strict=True):
        place[:3, :3] = turn.as_matrix()
    places[1][:3, 3] = x, y, 0.6
    for _ in range(30):
        found = footfall.distance(SHAPES[one], places[0], SHAPES[other], places[1])
        places[1][2, 3] -= (found.distance - gap) / max(0.1, abs(found.normal[2]))
    sim.q[:7] = *[0.0, 0.0, 1.0], *turns[0].as_quat()
    sim.q[7:] = *(places[1][:3, 3] + [0.0, 0.0, 1.0]), *turns[1].as_quat()
    sim.v[:] = 0.2 * rng.normal(size=12)
    sim.v[6:9] += turns[1].inv().apply([0.0, 0.0, -0.6])
    return sim


@each("speed, spin", [(0.0, 0.0), (0.3, 2.0)])
@each("depth", [-PRESSED, 3e-5])
@each("kind", ["box", "sphere", "capsule"])
def test_a_body_that_lies_or_slides_on_another(kind, depth, speed, spin):
    sim = lying(kind, depth, speed, spin)
    found, wrong = errors(sim, size=1e-6, speed=1e-4)
    assert max(wrong.values()) < 1e-6, wrong
    assert OPEN not in found.mode


@each("seed", [0, 1])
@each("pair", list(itertools.combinations_with_replacement(KINDS, 2)))
def test_bodies_that_collide_in_the_air(pair, seed):
    """The step is split where they meet: time and place of the impact are differentiated."""
    sim = meeting(*pair, 1e-4, seed)
    _, wrong = errors(sim, size=1e-7)
    assert sim.signal("impact_splits") == 1
    assert max(wrong.values()) < 1e-6, wrong


@each("scene, steps", [("panda/pushing", 5000), ("hand/holding", 3000), ("allegro/holding", 500)])
def test_robots_that_hold_and_push(scene, steps):
    sim = at(scene, steps)
    rng = np.random.default_rng(3)
    sim.q[:] = footfall.integrate(sim, sim.q, 1e-5 * rng.normal(size=sim.world.nv))
    expected = footfall.step_differences(sim, size=2e-8, speed=1e-6, held=True).state
    sim.step()
    assert (sim.world.sides.link[: sim.stepper.problem.n_blocks] >= 0).all(axis=1).any()
    found, n = sim.derivatives(), sim.world.nv
    for rows in slice(n), slice(n, 2 * n):
        assert np.abs(found.state - expected)[rows].max() < 1e-6 * np.abs(expected[rows]).max()


@each(
    "key",
    [
        *("bodies.a.friction", "bodies.b.friction", "bodies.b.mass", "world.gravity.2"),
        *("bodies.a.shape.size.2", "bodies.b.shape.radius"),
    ],
)
def test_parameters_of_bodies_that_touch(key):
    sim = lying("sphere")
    start = sim.q.copy(), sim.v.copy()
    sim.step()
    found, scene = sim.derivatives(parameters=[key]), sim.provenance.resolved["scene"]
    *path, last = key.split(".")
    value = scene
    for name in (*path, last):
        value = value[int(name) if name.isdecimal() else name]

    def after(value):
        other = assembled(sim, scene, key, value)
        other.q[:], other.v[:] = start
        other.step()
        return other.v.copy()

    step = 1e-5 * abs(value)
    expected = (after(value + step) - after(value - step)) / (2.0 * step)
    np.testing.assert_allclose(found.dv_dp[:, 0], expected, atol=1e-9)
    assert np.abs(expected).max() > 5e-3 or key == "bodies.b.mass"


@each("gap, fall", [(PRESSED, 0.0), (DEEP, 0.0), (1e-4, -0.6)])
@each("kind", KINDS)
def test_sizes_of_shapes_are_parameters(kind, gap, fall):
    """Of places, of masses and inertias, and of the time of an impact; the motion of the ground."""
    sim = bodies({**SHAPES[kind]}, {"type": "sphere", "radius": 0.1}, world=ROCKING)
    turn = Rotation.from_euler("xyz", [0.02, 0.01, 0.3]) * LYING.get(kind, Rotation.identity())
    sim.q[3:7] = turn.as_quat()
    sim.v[:6] = turn.inv().apply([[0.3, 0.1, fall], [0.0, 0.0, 0.8]]).ravel()
    for _ in range(3):
        sim.stepper.observe(0.0)
        sim.q[2] += gap - sim.world.candidates.gap.min()
    keys = [f"bodies.a.shape.{key}" for key in SIZES[kind]]
    case = Case("")
    step = Differences(sim, case)
    found = sim.derivatives(parameters=keys).parameters
    assert (sim.signal("impact_splits") > 0) == (gap > 0.0)
    sim.state.restore(step.start)
    back = footfall.Rollout(sim, 1, parameters=keys).vjp(*np.ones((2, 12))).parameters
    np.testing.assert_allclose(back, found.sum(axis=0), atol=1e-12 * abs(found).max())
    assert abs(found).max() > 1e-5
    for k, key in enumerate(keys):
        value = value_of(sim, sim.provenance.resolved["scene"], key)
        assert step.parameter(key, value).miss(found[:, k]) < 1e-5, key


@each(
    "key, text", [("width", "changes shapes of the ground"), ("rise", "changes collision shapes")]
)
def test_shapes_of_the_ground_are_refused_as_parameters(key, text):
    stairs = {"position": [3.0, 0.0, 0.0], "count": 3, "rise": 0.1, "run": 0.3, "width": 1.5}
    ground = {"plugin": "steps", "friction": 0.5, "stairs": [stairs]}
    sim = bodies(SHAPES["box"], SHAPES["sphere"], world={"terrain": ground})
    refused(after_a_step(sim), text, parameters=[f"world.terrain.stairs.0.{key}"])


def test_sizes_whose_contacts_a_library_finds_are_refused():
    sim = after_a_step(lying("capsule"))
    refused(sim, "capsule.* have none by sizes", parameters=["bodies.b.shape.radius"])


def after_a_step(sim):
    sim.step()
    return sim


def test_bodies_moved_apart_in_flight_are_refused():
    sim = meeting("box", "sphere", DEEP, 0)
    sim.step()
    refused(sim, "a and b overlap in flight")


@each("kind", ["box", "sphere"])
def test_the_gradient_of_a_run_is_that_of_its_jacobians(kind):
    run, rng = footfall.Rollout(lying(kind), 12), np.random.default_rng(0)
    dq, dv = rng.normal(size=(2, 12))
    found, expected = run.vjp(dq, dv), np.concatenate([dq, dv])
    steps = run.jacobians()
    assert not steps.failures
    for state in steps.state[::-1]:
        expected = expected @ state
    scale = np.abs(expected).max()
    np.testing.assert_allclose(np.concatenate([found.q, found.v]), expected, atol=1e-9 * scale)


def test_runs_of_a_batch_have_the_derivatives_of_one_alone(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE)
    with footfall.Batch(tmp_path / "scene.toml", 2) as batch:
        batch.step(substeps=150)
        state, found = (batch.q.copy(), batch.v.copy()), batch.derivatives()
    assert not found.failures
    sim = footfall.load(tmp_path / "scene.toml")
    for _ in range(151):
        sim.step()
    np.testing.assert_array_equal(found.state[1], sim.derivatives().state)
    np.testing.assert_array_equal(state[0][0], sim.signal("q"))


def test_a_split_step_is_repeated_as_exactly_as_the_law_solves():
    """The repetition starts from another guess of the impulses, at the law's usual tolerance."""
    sim = footfall.load("hand/holding")
    for _ in range(90):
        sim.step()
    start = sim.state.copy()
    found = after_a_step(sim).derivatives()
    assert sim.signal("impact_splits") == 1
    sim.state.restore(start)
    expected = footfall.Rollout(sim, 1).jacobians().state[0]
    np.testing.assert_allclose(found.state, expected, atol=1e-5 * np.abs(expected).max())
