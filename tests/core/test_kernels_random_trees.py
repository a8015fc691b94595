"""The kernels of a step on random trees, against dense linear algebra.

A world of two branched trees (one on a floating, one on a fixed base) and a free rigid body; what
the engine would give is random. Errors are rounding: some 1e-16 times the condition of 1e3 to 1e4.
"""

import numpy as np
import pytest
from tests.core.random_trees import chain
from tests.core.random_worlds import TERRAIN_NORMAL, random_simulator

from footfall.problem.arrays import ProblemSize
from footfall.world.arrays import Energy
from footfall_stepper.world.step_arrays import Ledger

SEEDS = range(6)
RTOL = 1e-12


@pytest.fixture(params=SEEDS)
def sim(request):
    sim = random_simulator(request.param)
    sim.stepper.observe(0.0)
    return sim


def blocks(sim):
    """Yield each tree's index, its slice of dofs, and its block of flat storage."""
    t = sim.world.topology
    for k in range(len(sim.world.bodies)):
        at = sim.world.v_slice(k)
        n = at.stop - at.start
        yield k, at, slice(int(t.tree_M[k]), int(t.tree_M[k]) + n * n), n


def dense(sim, flat):
    """Return flat per-tree storage as one matrix."""
    matrix = np.zeros((sim.world.nv, sim.world.nv))
    for _, at, store, n in blocks(sim):
        matrix[at, at] = flat[store].reshape(n, n)
    return matrix


def implicit(sim):
    """Return ``M + dt D + dt^2 K`` from the joints' coefficients."""
    joints, dt = sim.world.joints, sim.time_step
    gains = dt * (joints.damping + joints.rate_gain + dt * joints.stiffness)
    return dense(sim, sim.world.dynamics.M) + np.diag(gains)


def lower_factor(sim):
    """Return L (unit lower triangular) and D of the factorisation as matrices."""
    packed = dense(sim, sim.world.dynamics.L)
    return np.tril(packed, -1) + np.eye(len(packed)), np.diag(np.diag(packed))


def jacobian(sim):
    """Return J of the problem's contacts from twists, chains, frames and points."""
    world, problem = sim.world, sim.stepper.problem
    t, d = world.topology, world.dynamics
    J = np.zeros((problem.n_rows, world.nv))
    for b in range(problem.n_blocks):
        link = int(world.candidates.link[problem.candidate[b]])
        tree = int(t.link_tree[link])
        body, first = world.bodies[tree], int(t.tree_v[tree])
        for k in chain(body.model, link - int(t.tree_link[tree])):
            S = d.S[first + k]
            J[3 * b : 3 * b + 3, first + k] = problem.frame[b] @ (
                S[:3] + np.cross(S[3:], problem.arrays.position[b])
            )
    return J


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, atol=RTOL * max(1.0, np.abs(expected).max()))


def test_the_inertia_is_the_engines_with_armature(sim):
    for body, at, store, n in ((sim.world.bodies[k], *rest) for k, *rest in blocks(sim)):
        if body.tree is not None:
            expected = body.tree.M + np.diag(sim.world.joints.armature[at])
            close(sim.world.dynamics.M[store].reshape(n, n), expected)


def test_the_factor_multiplies_back(sim):
    """``L' D L = M + dt D + dt^2 K``."""
    L, D = lower_factor(sim)
    close(L.T @ D @ L, implicit(sim))


def test_the_factor_keeps_the_sparsity_of_the_branches(sim):
    """Row i of L is zero but at the ancestors of dof i: no fill-in between branches."""
    L, _ = lower_factor(sim)
    for k, at, _, n in blocks(sim):
        parent = sim.world.bodies[k].model.dof_parent
        for i in range(n):
            ancestors, j = {i}, int(parent[i])
            while j >= 0:
                ancestors.add(j)
                j = int(parent[j])
            others = [j for j in range(n) if j not in ancestors and j < i]
            # What is stored there is M's own zero, which no kernel reads.
            assert not np.any(L[at.start + i, [at.start + j for j in others]])


def test_the_smallest_pivot_is_reported(sim):
    _, D = lower_factor(sim)
    close(sim.world.dynamics.energy[Energy.LEAST_PIVOT], np.diag(D).min())


def mixed_bias(sim):
    """Return h for mixed base accelerations: ``h - M [w x v; 0; 0]``, from the engine's h."""
    M, h = dense(sim, sim.world.dynamics.M), np.zeros(sim.world.nv)
    for k, at, _, n in blocks(sim):
        body, v = sim.world.bodies[k], sim.v[at]
        if body.tree is None:
            h[at] = sim.world.dynamics.h[at]
            continue
        turned = np.zeros(n)
        if body.model.base == "floating":
            turned[:3] = np.cross(v[3:6], v[:3])
        h[at] = body.tree.h - M[at, at] @ turned
    return h


def test_the_bias_is_that_of_mixed_accelerations(sim):
    close(sim.world.dynamics.h, mixed_bias(sim))


def test_the_free_velocity_solves_the_implicit_step(sim):
    """``(M + dt D + dt^2 K)(v+ - v) = dt (tau + f - h - K (s + dt v - s*) - D v + Kd s*')``."""
    joints, dt, v = sim.world.joints, sim.time_step, sim.v
    s = np.zeros(sim.world.nv)
    for k, body in enumerate(sim.world.bodies):
        at = sim.world.joint_slice(k)
        q = sim.q[sim.world.q_slice(k)]
        s[at] = q[body.model.nq - (at.stop - at.start) :]
    force = joints.tau + joints.external - mixed_bias(sim)
    force -= joints.stiffness * (s + dt * v - joints.target) + joints.damping * v
    force -= joints.rate_gain * (v - joints.target_rate)
    expected = v + np.linalg.solve(implicit(sim), dt * force)
    close(sim.world.dynamics.v_free, expected)


def test_every_candidate_is_in_the_problem(sim):
    """A rim counts three."""
    features = [f for body in sim.world.bodies for f in body.features]
    expected = sum(3 if f.kind == "rim" else 1 for f in features)
    assert sim.stepper.problem.n_blocks == expected == sim.world.n_contacts


def test_the_delassus_matrix_is_dense_algebras(sim):
    J = jacobian(sim)
    close(sim.stepper.problem.delassus(), J @ np.linalg.solve(implicit(sim), J.T))


def test_only_blocks_of_one_tree_are_paired(sim):
    """Memory follows the trees: no pair of contacts of two trees that do not touch."""
    problem, t = sim.stepper.problem, sim.world.topology
    tree = t.link_tree[sim.world.candidates.link[problem.candidate]]
    counts = np.bincount(tree)
    assert int(problem.arrays.size[ProblemSize.PAIRS]) == int((counts**2).sum())
    assert [len(group) for group in problem.groups()] == counts[counts > 0].tolist()


def test_contact_velocities_are_j_v(sim):
    J = jacobian(sim)
    close(sim.stepper.problem.velocity, J @ sim.v)
    close(sim.stepper.problem.free_velocity, J @ sim.world.dynamics.v_free)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_step_adds_minv_jt_r(seed):
    """``v+ = v_free + (M + ...)^-1 J' r`` for random impulses."""
    rng = np.random.default_rng(100 + seed)
    sim = random_simulator(seed, impulse=lambda n: rng.normal(size=n))
    sim.stepper.observe(0.0)
    J, A = jacobian(sim), implicit(sim)
    sim.step()
    r = sim.stepper.problem.impulse
    expected = sim.world.dynamics.v_free + np.linalg.solve(A, J.T @ r)
    close(sim.world.dynamics.v_new, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_work_of_impulses_is_what_the_kinetic_energy_gains(seed):
    """Without gains: ``r . (u- + u+) / 2 - dt h . (v + v+) / 2 + ... = change of v' M v / 2``."""
    rng = np.random.default_rng(200 + seed)
    sim = random_simulator(seed, impulse=lambda n: rng.normal(size=n))
    joints = sim.stepper.world.joints
    for part in (joints.damping, joints.rate_gain, joints.stiffness):
        part[:] = 0.0
    sim.stepper.observe(0.0)
    M, v, h = dense(sim, sim.world.dynamics.M), sim.v.copy(), mixed_bias(sim)
    sim.step()
    new, dt = sim.world.dynamics.v_new, sim.time_step
    ledger = sim.state["ledger"]
    gained = 0.5 * new @ M @ new - 0.5 * v @ M @ v
    bias_work = -0.5 * dt * h @ (v + new)
    close(ledger[Ledger.WORK] - ledger[Ledger.TAKEN] + bias_work, gained)


def lowest_of_rim(centre, axis, radius):
    """Return the lowest point of a circle along the terrain's normal, by search."""
    first = np.cross(axis, TERRAIN_NORMAL)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    angle = np.linspace(0.0, 2.0 * np.pi, 100_001)[:, None]
    circle = centre + radius * (np.cos(angle) * first + np.sin(angle) * second)
    return circle[np.argmin(circle @ TERRAIN_NORMAL)]


def test_contact_points_are_the_lowest_of_their_features(sim):
    """The point itself, ``c - r n`` of a sphere, the lowest of a rim; gaps are their heights."""
    c, pose, names = sim.world.candidates, sim.world.dynamics.pose, sim.world.contact_names
    for k in range(sim.world.n_contacts):
        R, p = pose[c.link[k], :9].reshape(3, 3).T, pose[c.link[k], 9:]
        centre = R @ c.local[k] + p
        expected, tolerance = centre, 1e-13
        if c.kind[k] == 1:
            expected = centre - c.radius[k] * TERRAIN_NORMAL
        elif c.kind[k] == 2:
            # The search is a 1e5th of a turn wide; the height is quadratic in that.
            expected, tolerance = lowest_of_rim(centre, R @ c.axis[k], c.radius[k]), 1e-4
            if c.phase[k] != 0.0:
                assert np.linalg.norm(c.position[k] - centre) == pytest.approx(c.radius[k])
                assert abs((c.position[k] - centre) @ (R @ c.axis[k])) < 1e-12
                continue
        np.testing.assert_allclose(c.position[k], expected, atol=tolerance, err_msg=names[k])
        assert c.gap[k] == pytest.approx(TERRAIN_NORMAL @ c.position[k] - 0.3, abs=1e-12)
