"""The step's kernels against dense linear algebra and finite differences."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import rotation_matrix

import footfall
from footfall.jit.tables import table_of
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.contact_problem import ContactProblem

SCENES = ["humanoid/standing", "coin/rolling", "ball/rolling", "cube/drop"]


def lowered(scene, seed, **overrides):
    """A simulator in a random state whose lowest points are 5 mm inside the ground."""
    rng = np.random.default_rng(seed)
    sim = footfall.load(scene, overrides={"contact.plugin": "gauss", **overrides})
    turn = rng.normal(size=4) * 0.2 + np.array([0.0, 0.0, 0.0, 1.0])
    sim.q[3:7] = turn / np.linalg.norm(turn)
    sim.q[7:] += rng.normal(size=len(sim.q) - 7) * 0.1
    sim.v[:] = rng.normal(size=len(sim.v))
    sim.stepper.observe(0.0)
    sim.q[2] -= sim.world.candidates.gap.min() + 5e-3
    sim.stepper.observe(0.0)
    return sim


def chain_of(model, link):
    dof, chain = int(model.link_dof[link]), []
    while dof >= 0:
        chain.append(dof)
        dof = int(model.dof_parent[dof])
    return chain


def dense_jacobian(sim):
    """J of the problem's contacts from S and the contact points, dense."""
    world, problem = sim.world, sim.stepper.problem
    (body,) = world.bodies
    J = np.zeros((problem.n_rows, world.nv))
    for block in range(problem.n_blocks):
        x = problem.arrays.position[block]
        for k in chain_of(body.model, world.candidates.link[problem.candidate[block]]):
            S = world.dynamics.S[k]
            J[3 * block : 3 * block + 3, k] = problem.frame[block] @ (S[:3] + np.cross(S[3:], x))
    return J


def dense_inertia(sim, with_gains):
    """M of the world's only tree, with implicit terms if asked for."""
    world, n, dt = sim.world, sim.world.nv, sim.time_step
    M = world.dynamics.M.reshape(n, n).copy()
    if with_gains:
        joints = world.joints
        M += np.diag(dt * (joints.damping + joints.rate_gain + dt * joints.stiffness))
    return M


@each("scene", SCENES)
@each("seed", [0, 1])
def test_delassus_matrix_is_j_minv_jt(scene, seed):
    sim = lowered(scene, seed)
    J, M = dense_jacobian(sim), dense_inertia(sim, with_gains=True)
    expected = J @ np.linalg.solve(M, J.T)
    assert sim.stepper.problem.n_blocks > 0
    np.testing.assert_allclose(
        sim.stepper.problem.delassus(), expected, atol=1e-11 * np.abs(expected).max()
    )


@pytest.mark.parametrize("scene", SCENES)
def test_contact_velocities_are_j_v(scene):
    sim = lowered(scene, 3)
    J, problem = dense_jacobian(sim), sim.stepper.problem
    scale = np.abs(sim.v).max()
    np.testing.assert_allclose(problem.velocity, J @ sim.v, atol=1e-12 * scale)
    v_free = sim.world.dynamics.v_free
    np.testing.assert_allclose(problem.free_velocity, J @ v_free, atol=1e-12 * np.abs(v_free).max())


def test_free_velocity_solves_the_implicit_equation():
    """(M + dt D + dt^2 K)(v+ - v) = dt (tau - h - K (s + dt v - target) - D v), dense."""
    sim = lowered("humanoid/standing", 5)
    joints, dynamics, dt = sim.stepper.world.joints, sim.stepper.world.dynamics, sim.time_step
    rng = np.random.default_rng(0)
    joints.tau[6:] = rng.normal(size=30)
    joints.stiffness[6:], joints.rate_gain[6:] = 500.0, 20.0
    joints.damping[6:], joints.target[6:] = 0.3, rng.normal(size=30) * 0.1
    joints.external[:] = rng.normal(size=36)
    sim.stepper.observe(0.0)
    s = np.concatenate([np.zeros(6), sim.q[7:]])
    D = joints.damping + joints.rate_gain
    force = joints.tau + joints.external - dynamics.h - D * sim.v
    force -= joints.stiffness * (s + dt * sim.v - joints.target)
    expected = sim.v + np.linalg.solve(dense_inertia(sim, with_gains=True), dt * force)
    np.testing.assert_allclose(dynamics.v_free, expected, rtol=1e-10, atol=1e-10)


def along(sim, t):
    """Set the state a time t along the motion with constant world-aligned velocities."""
    q, v = sim.q.copy(), sim.v.copy()
    R = rotation_matrix(q[3:7])
    angle = np.linalg.norm(v[3:6]) * t
    axis = v[3:6] / np.linalg.norm(v[3:6])
    turn = np.append(np.sin(angle / 2) * axis, np.cos(angle / 2))
    x, y = q[3:7], turn
    sim.q[:3] = q[:3] + t * R @ v[:3]
    sim.q[3:6] = x[3] * y[:3] + y[3] * x[:3] + np.cross(x[:3], y[:3])
    sim.q[6] = x[3] * y[3] - x[:3] @ y[:3]
    sim.q[7:] = q[7:] + t * v[6:]
    back = rotation_matrix(sim.q[3:7]).T
    sim.v[:3], sim.v[3:6] = back @ R @ v[:3], back @ R @ v[3:6]
    sim.stepper.observe(0.0)
    found = dict(zip(sim.stepper.problem.candidate, velocities(sim), strict=True))
    sim.q[:], sim.v[:] = q, v
    return found


def velocities(sim):
    return sim.stepper.problem.velocity.reshape(-1, 3).copy()


@each("scene", ["humanoid/standing", "coin/rolling", "ball/rolling"])
@each("seed", [0, 1, 2])
def test_jdot_v_is_the_rate_of_the_contact_velocity(scene, seed):
    """Central difference along zero mixed accelerations; step 1e-5 s: error of order 1e-8."""
    sim = lowered(scene, seed)
    sim.stepper._jdot_v()
    problem = sim.stepper.problem
    expected = dict(zip(problem.candidate, problem.jdot_v.reshape(-1, 3).copy(), strict=True))
    t = 1e-5
    ahead, behind = along(sim, t), along(sim, -t)
    compared = 0
    for candidate, value in expected.items():
        if candidate in ahead and candidate in behind:
            rate = (ahead[candidate] - behind[candidate]) / (2.0 * t)
            np.testing.assert_allclose(value, rate, atol=1e-5 * max(1.0, np.abs(rate).max()))
            compared += 1
    assert compared > 0


# All points are meant to touch: the ground is ten metres up.
@pytest.mark.filterwarnings("ignore::footfall_watch.deep_starts.DeepStartWarning")
def test_contact_frames_are_right_handed_and_depend_on_the_normal_alone():
    normals = [(0.0, 0.0, 1.0), (0.3, -0.2, 0.9), (0.7, 0.7, 0.2), (1.0, 0.0, 0.1)]
    for normal in normals:
        override = {"world.terrain.normal": list(normal), "world.terrain.offset": 10.0}
        frames = []
        for seed in (0, 1):
            sim = lowered("cube/drop", seed, **override)
            frames.append(np.array(sim.stepper.problem.frame[0]))
        E = frames[0]
        np.testing.assert_array_equal(frames[1], E)
        np.testing.assert_allclose(E @ E.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(E) == pytest.approx(1.0, abs=1e-14)
        np.testing.assert_allclose(E[2], np.array(normal) / np.linalg.norm(normal), atol=1e-14)


def test_a_dense_problem_reads_back_as_it_was_given():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(9, 9))
    problem = ContactProblem.from_dense(A @ A.T, rng.normal(size=9), np.full(3, 0.5))
    np.testing.assert_array_equal(problem.delassus(), A @ A.T)
    (group,) = problem.groups()
    np.testing.assert_array_equal(group, [0, 1, 2])


def test_groups_are_bodies_that_do_not_touch_each_other(tmp_path):
    text = "[simulation]\nduration = 1.0\n[world.terrain]\nfriction = 0.5\n"
    for i in range(3):
        text += f'[bodies.c{i}]\nrobot = "cube"\nbase_position = [{i}.0, 0.0, 0.05]\n'
    scene = tmp_path / "three.toml"
    scene.write_text(text)
    sim = footfall.load(scene)
    sim.step()
    groups = sim.stepper.problem.groups()
    assert [len(group) for group in groups] == [4, 4, 4]
    # Memory follows the groups: pairs only within them.
    assert sim.stepper.problem.arrays.size[ProblemSize.PAIRS] == 3 * 4 * 4


def test_tables_refuse_arrays_that_kernels_would_misread():
    arrays = ContactProblem.from_dense(np.eye(3), np.zeros(3), np.ones(1)).arrays
    with pytest.raises(TypeError, match="float32"):
        table_of(arrays._replace(W=arrays.W.astype(np.float32)))
    with pytest.raises(TypeError, match="contiguous"):
        table_of(arrays._replace(velocity=np.zeros(6)[::2]))


def test_the_delassus_matrix_of_some_blocks_is_a_part_of_the_whole():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(7, 9))
    kinds = (BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.CONE)
    problem = ContactProblem.from_dense(A @ A.T, np.zeros(7), np.full(3, 0.5), kinds=kinds)
    rows = [4, 5, 6, 3]
    np.testing.assert_array_equal(problem.delassus(np.array([2, 1])), (A @ A.T)[np.ix_(rows, rows)])
    assert problem.delassus(np.zeros(0, np.int64)).shape == (0, 0)


@pytest.mark.parametrize("name", ["W", "free_velocity", "velocity", "impulse", "mu", "gap"])
def test_a_problem_knows_whether_it_is_finite(name):
    problem = ContactProblem.from_dense(np.eye(6), np.zeros(6), np.full(2, 0.5))
    assert problem.is_finite()
    getattr(problem.arrays, name)[-1] = np.nan
    assert not problem.is_finite()
