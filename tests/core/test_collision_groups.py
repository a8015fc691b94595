"""Collision groups: which contacts they hold, what they cost, the same answer as one problem."""

from dataclasses import replace

import numpy as np
from tests.cases import each
from tests.physics.composed import ball, box, simulator, steps
from tests.physics.meeting import Ball, meeting

from footfall.problem.contact_problem import ContactProblem
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_validate.groups.costs import as_one_group, field_of_cubes, measure_groups, slope

TIMES = ("one_group", "many_groups")


def reachable(linked, i):
    """Blocks that a block is linked with, one step after another."""
    found, front = {i}, [i]
    while front:
        for j in np.flatnonzero(linked[front.pop()]):
            if j not in found:
                found.add(int(j))
                front.append(int(j))
    return sorted(found)


@each("seed", range(20))
def test_groups_are_the_connected_parts_of_the_delassus_matrix(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    owners = [rng.choice(12, size=rng.integers(1, 3), replace=False) for _ in range(n)]
    linked = np.array([[bool(set(a) & set(b)) for b in owners] for a in owners])
    problem = ContactProblem.from_dense(np.eye(3 * n), np.zeros(3 * n), np.ones(n))
    arrays, pairs = problem.arrays, [np.flatnonzero(row) for row in linked]
    arrays.pair_start[: n + 1] = np.cumsum([0, *map(len, pairs)])
    arrays.pair_block[: arrays.pair_start[n]] = np.concatenate(pairs)
    groups = [group.tolist() for group in problem.groups()]
    assert groups == sorted(groups)
    assert sorted(block for group in groups for block in group) == list(range(n))
    for group in groups:
        assert group == reachable(linked, group[0])


def test_what_is_fixed_merges_no_groups_and_a_body_between_two_does():
    shapes = [
        Ball("floor/fixed/s", 1, -1, 5.0, (0.0, 0.0, -5.0), friction=0.5),
        *(Ball(f"b{k}/body/s", 2 + k, k, 0.1) for k in range(3)),
    ]

    def groups(height):
        places = [(-0.12, 0.0, 0.0983), (0.12, 0.0, 0.0983), (0.0, 0.0, height)]
        bodies = [ball(1.0, 0.1).at(place, name=f"b{k}") for k, place in enumerate(places)]
        sim = meeting(bodies, shapes, offset=-20.0)
        assert sim.stepper.problem.n_blocks == (2 if height > 1.0 else 4)
        return len(sim.stepper.problem.groups())

    assert groups(5.0) == 2
    assert groups(0.258) == 1


def test_groups_give_the_answer_of_one_dense_problem():
    sim = field_of_cubes(6)
    steps(sim, 5)
    sim.v[:] = 0.3 * np.random.default_rng(1).normal(size=len(sim.v))
    sim.stepper.observe(0.0)
    sparse = sim.stepper.problem
    dense = as_one_group(sparse)
    answers = []
    for problem in (sparse, dense):
        problem.impulse[:] = 0.0
        # Groups stop one by one, each within the law's tolerance.
        Coulomb(CoulombConfig(acceleration="none", tolerance=1e-13)).solve(problem, {})
        answers.append(dense.delassus() @ problem.impulse)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-12)
    assert len(sparse.groups()) == 6


def test_grouped_cost_is_linear_and_one_group_quadratic():
    """Processor times from 5 cubes on; as one, from where the matrix outweighs the contacts.

    Other work on the machine only adds to a time: the least of up to eight rounds counts.
    """
    costs = [measure_groups(k) for k in (5, 12, 30)]
    for _ in range(7):
        if slope(costs, "many_groups") <= 1.2 and slope(costs[1:], "one_group") > 1.5:
            break
        costs = [least(cost, measure_groups(cost.cubes)) for cost in costs]
    assert slope(costs, "many_groups") <= 1.2
    assert slope(costs[1:], "one_group") > 1.5
    assert all(cost.groups == cost.cubes for cost in costs)
    assert [cost.entries for cost in costs] == [k * 4 * 4 * 9 for k in (5, 12, 30)]


def least(cost, other):
    """Return a cost with the lesser times of two."""
    times = {name: min(getattr(cost, name), getattr(other, name)) for name in TIMES}
    return replace(cost, **times)


def test_a_world_of_boxes_without_detection_has_one_group_a_box():
    sim = simulator([box().at((0.3 * k, 0, 0.05), name=f"b{k}") for k in range(5)])
    steps(sim, 2)
    assert [len(group) for group in sim.stepper.problem.groups()] == [4] * 5
