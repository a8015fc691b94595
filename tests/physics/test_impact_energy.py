"""Impacts with restitution and friction make no energy, whatever the coefficients."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each
from tests.physics.random_impacts import random_impact, thrown_boxes

import footfall
from footfall import assemble, discover, scene_from_dict
from footfall.testing.check import subject_of
from footfall.testing.problems import residuals
from footfall.testing.problems.case import beside
from footfall.testing.problems.cases import point_masses

REGISTRY = discover()
DISSIPATIVE = subject_of("impact", "dissipative", REGISTRY).make()
MOST = 40
"""Contacts of a random impact."""
PENDULUM = """
<robot name="pendulum"><link name="post"/>
  <joint name="upper" type="continuous"><parent link="post"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
  <link name="arm"><inertial><origin xyz="0 0 -0.25"/><mass value="2"/>
    <inertia ixx="0.042" iyy="0.042" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lower" type="continuous"><parent link="arm"/><child link="tip"/>
    <origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/></joint>
  <link name="tip"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.013" iyy="0.013" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""
ROBOT = """
base = "fixed"

[model]
file = "model.urdf"

[[contact_features]]
kind = "point"
frame = "tip"
points = [[0.0, 0.0, -0.4]]
"""


def coulomb():
    law = subject_of("contact", "coulomb", REGISTRY).make()
    law.allocate(MOST, 3 * MOST)
    return law


def resolve(law, problem):
    """Resolve an impact as the step does; return the impulse that the law alone gives."""
    state = {part.name: np.zeros((MOST, part.width)) for part in law.state_parts}
    cut = DISSIPATIVE.cut(problem)
    law.solve(problem, state)
    alone = problem.impulse.copy()
    while cut():
        law.solve(problem, state)
    return alone


def gain(case, impulse):
    """Return the kinetic energy that an impulse adds, relative to that before."""
    return case.kinetic(case.after(impulse)) / case.kinetic(case.v) - 1.0


@pytest.mark.parametrize(
    "seeds",
    [
        range(500),
        *(
            pytest.param(range(k, k + 5000), marks=pytest.mark.long)
            for k in range(0, 100_000, 5000)
        ),
    ],
    ids=str,
)
def test_no_random_impact_makes_energy(seeds):
    """By the velocities. The law alone makes some in some of them, by up to many times."""
    law, most, cuts = coulomb(), 0.0, 0
    for seed in seeds:
        case = random_impact(seed)
        problem = case.problem()
        most = max(most, gain(case, resolve(law, problem)))
        assert gain(case, problem.impulse) <= 1e-12, seed
        np.testing.assert_array_equal(problem.restitution, case.restitution)
        cuts += bool(problem.report.corrects)
    assert most > 0.1
    assert 0.02 * len(seeds) < cuts < 0.5 * len(seeds)


def test_a_cut_impact_is_an_exact_answer_with_restitution_times_s():
    """One s for all contacts."""
    law, seen = coulomb(), 0
    for seed in range(400):
        case = random_impact(seed)
        problem = case.problem()
        resolve(law, problem)
        whole = case.restitution * (case.J @ case.v)[2::3]
        if problem.report.failed or not problem.report.corrects or not problem.offset.any():
            continue
        s = problem.offset[2::3] @ whole / (whole @ whole)
        assert 0.0 < s < 1.0
        np.testing.assert_allclose(problem.offset[2::3], s * whole, rtol=0.0, atol=1e-12)
        after = case.J @ case.after(problem.impulse) + problem.offset
        assert residuals.natural_map(case, problem.impulse, after) <= 1e-7, seed
        seen += 1
    assert seen >= 5


def test_impacts_that_make_no_energy_are_the_laws_own_bit_for_bit():
    law, same = coulomb(), 0
    for seed in range(200):
        case, more = random_impact(seed), np.random.default_rng(seed).random() < 0.5
        case = replace(case, restitution=0.0 * case.mu) if more else case
        problem = case.problem()
        alone = resolve(law, problem)
        if not problem.report.failed and not problem.report.corrects and gain(case, alone) < -1e-9:
            assert alone.tobytes() == problem.impulse.tobytes(), seed
            same += 1
    assert same > 100


def test_a_group_that_is_cut_leaves_others_alone():
    """A pendulum's tip that would gain, and point masses elsewhere: they rebound with their e."""
    masses = point_masses(np.array([[1.0, 0.0, -2.0], [0.0, 0.0, -1.0]]), restitution=[0.9, 0.3])
    seed = next(k for k in range(1000) if gain_alone(k) > 0.1)
    case = replace(beside(random_impact(seed), masses), impulsive=True)
    problem, law = case.problem(), coulomb()
    drop_zero_pairs(problem)
    resolve(law, problem)
    assert problem.report.corrects
    after = case.after(problem.impulse)
    np.testing.assert_allclose(after[[-4, -1]], [0.9 * 2.0, 0.3], rtol=0.0, atol=1e-8)
    assert gain(random_impact(seed), problem.impulse[:-6]) <= 1e-12


def gain_alone(seed):
    case = random_impact(seed)
    if len(case.mu) > MOST - 2:
        return 0.0
    problem = case.problem()
    alone = resolve(coulomb(), problem)
    return 0.0 if problem.report.failed else gain(case, alone)


def drop_zero_pairs(problem):
    """Leave only the pairs of blocks that are coupled, as the step does."""
    arrays, W, kept = problem.arrays, problem.delassus(), 0
    for i in range(problem.n_blocks):
        pairs = range(arrays.pair_start[i], arrays.pair_start[i + 1])
        places = [(arrays.pair_block[p], arrays.pair_data[p]) for p in pairs]
        arrays.pair_start[i] = kept
        for j, data in places:
            if W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3].any():
                arrays.pair_block[kept], arrays.pair_data[kept], kept = j, data, kept + 1
    arrays.pair_start[problem.n_blocks] = kept


def landing(folder, seed, impact=None, mu=1.0, e=0.8):
    """Load a double pendulum whose tip strikes the ground in the first step; None if it rises."""
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1.2, 1.2, 2), rng.uniform(-4.0, 4.0, 2)
    angles, rates, lengths = np.cumsum(q), np.cumsum(v), np.array([0.5, 0.4])
    speed = float(lengths * np.sin(angles) @ rates)
    v *= -np.sign(speed)
    (folder / "model.urdf").write_text(PENDULUM)
    (folder / "robot.toml").write_text(ROBOT)
    height = float(lengths @ np.cos(angles)) + 0.3e-4 * abs(speed)
    body = {
        "robot": str(folder / "robot.toml"),
        "base_position": [0.0, 0.0, height],
        "joint_positions": dict(zip(("upper", "lower"), q.tolist(), strict=True)),
        "joint_velocities": dict(zip(("upper", "lower"), v.tolist(), strict=True)),
    }
    scene = {
        "simulation": {"time_step": 1e-4, "duration": 2e-4},
        "world": {"terrain": {"friction": mu, "restitution": e}},
        "bodies": {"pendulum": body},
    }
    scene |= {} if impact is None else {"impact": {"plugin": impact}}
    return assemble(scene_from_dict(scene, REGISTRY), REGISTRY) if abs(speed) > 0.3 else None


def landings(folder, impact=None):
    """Return the reports of the landings of 20 pendulums."""
    made = [landing(folder, seed, impact) for seed in range(20)]
    return [sim.record() for sim in made if sim is not None]


def test_the_tip_of_a_linkage_makes_no_energy_by_default(tmp_path):
    """Kane and Levinson (1985): the law alone makes it; the alarm names the impact and the cure."""
    found = landings(tmp_path)
    assert all(report.impacts == 1 for report in found)
    assert all(report.dissipated >= -1e-12 * report.energy_start for report in found)
    assert not any(report.alarms or report.solver_failures for report in found)
    assert sum(report.restitution_cuts for report in found) >= 2
    freely = [report for report in landings(tmp_path, "none") if report.dissipated < 0.0]
    assert len(freely) == sum(report.restitution_cuts for report in found)
    for report in freely:
        (line,) = report.alarms
        assert ", at pendulum/" in line
        assert line.endswith(
            'contact "coulomb" alone may add energy in impacts with restitution and friction: '
            'set impact.plugin = "dissipative"'
        )


@each("mu", [0.2, 0.5, 1.0])
@pytest.mark.parametrize(
    ("boxes", "seeds", "duration"),
    [(1, 6, 1.0), (60, 1, 0.5), pytest.param(60, 20, 2.0, marks=pytest.mark.long)],
)
def test_boxes_that_bounce_on_each_other_raise_no_alarm(mu, boxes, seeds, duration):
    for seed in range(seeds):
        sim = assemble(scene_from_dict(thrown_boxes(boxes, seed, mu), REGISTRY), REGISTRY)
        report = sim.record(duration)
        assert report.alarms == (), seed
        assert report.solver_failures == 0, seed
        assert report.natural_map_worst < 1e-7, seed
        assert report.dissipated > 0.0


def test_under_the_law_alone_they_do():
    scene = scene_from_dict(thrown_boxes(60, 0, 1.0, "none"), REGISTRY)
    assert assemble(scene, REGISTRY).record(1.0).alarms


@each(
    ("law", "impact"),
    [
        ("coulomb", "dissipative"),
        ("lcp", "dissipative"),
        ("pinocchio_constraints", "dissipative"),
        ("ccp", "none"),
        ("compliant", "none"),
        ("gauss", "inelastic"),
    ],
)
def test_the_law_decides_the_default_impact_model(law, impact):
    assert footfall.load_scene("cube/sliding", {"contact.plugin": law}).impact.plugin == impact


@each("law", ["lcp", "bisection", "pinocchio_constraints"])
def test_other_laws_are_cut_as_well(law, tmp_path):
    """A planar tip: friction pyramids are exact."""
    sim = landing(tmp_path, 14)
    scene = sim.provenance.resolved["scene"] | {"contact": {"plugin": law}}
    report = assemble(scene_from_dict(scene, REGISTRY), REGISTRY).record()
    assert report.dissipated >= -1e-12 * report.energy_start
