"""Detected contacts: Jacobians of both sides, state by key, room, restore, recording."""

import numpy as np
import pytest
from tests.cases import first
from tests.physics.composed import ball, steps
from tests.physics.meeting import Ball, meeting

import footfall
from footfall.errors import PluginError
from footfall.jit.compiling import kernel
from footfall.jit.tables import opener, table_of
from footfall.problem.arrays import Factor, problem_from_arrays
from footfall.problem.blocks import times_matrix
from footfall.problem.contact_problem import ContactProblem
from footfall.recording.reader import open_run
from footfall_stepper.collision.detector import Detector
from footfall_stepper.world.collision_arrays import Room
from footfall_stepper.world.state import load_state

WEIGHTLESS = np.zeros(3)
open_factor = opener(Factor, 0)


@kernel
def product(table, factor, r, y, u):
    problem, f = problem_from_arrays(table), open_factor(factor)
    of = f.link, f.start, f.Z, f.span_start, f.span, f.link_tree, f.tree_v
    times_matrix(problem, *of, r, y, problem.free_velocity, u)


def dense_jacobian(sim):
    """J of the problem's contacts, body 2 minus body 1, from S and the contact points, dense."""
    world, problem = sim.world, sim.stepper.problem
    J, t = np.zeros((problem.n_rows, world.nv)), world.topology
    for block in range(problem.n_blocks):
        x, rows = problem.arrays.position[block], slice(3 * block, 3 * block + 3)
        for sign, link in zip((-1.0, 1.0), world.sides.link[block], strict=True):
            if link < 0:
                continue
            first = t.tree_v[t.link_tree[link]]
            for p in range(t.chain_start[link], t.chain_start[link + 1]):
                k = first + t.chain[p]
                S = world.dynamics.S[k]
                J[rows, k] += sign * problem.frame[block] @ (S[:3] + np.cross(S[3:], x))
    return J


def dense_inertia(world, dt):
    """M of all trees with implicit terms, one dense matrix."""
    M, t = np.zeros((world.nv, world.nv)), world.topology
    for k in range(len(t.free)):
        at = slice(t.tree_v[k], t.tree_v[k + 1])
        n = at.stop - at.start
        M[at, at] = world.dynamics.M[t.tree_M[k] : t.tree_M[k] + n * n].reshape(n, n)
    joints = world.joints
    return M + np.diag(dt * (joints.damping + joints.rate_gain + dt * joints.stiffness))


def crowd(seed):
    """A humanoid that touches itself, the ground and two balls, which touch each other."""
    rng = np.random.default_rng(seed)
    robot = footfall.load("humanoid/standing").stepper.world.bodies[0]
    robot.q[7:] += 0.2 * rng.normal(size=len(robot.q) - 7)
    bodies = [robot, ball(1.0, 0.2).at((0.3, 0, 1.0), name="b"), ball(2.0, 0.2).at((0.5, 0, 1.2))]
    n = robot.model.n_links
    links = rng.choice(np.arange(1, n), 6, replace=False)
    shapes = [
        Ball(f"humanoid/l{k}/s", 20 + i, int(k), 0.3, tuple(0.05 * rng.normal(size=3)))
        for i, k in enumerate(links)
    ]
    shapes += [Ball("b/body/s", 40, n, 0.3), Ball("body/body/s", 41, n + 1, 0.3)]
    shapes += [Ball("wall/fixed/s", 42, -1, 0.5, (0.0, 1.0, 1.0))]
    sim = meeting(bodies, shapes)
    sim.v[:] = rng.normal(size=len(sim.v))
    sim.q[2] -= sim.world.candidates.gap.min() + 2e-3
    sim.stepper.observe(0.0)
    return sim


@pytest.mark.parametrize("seed", range(3))
def test_jacobians_and_delassus_of_two_sided_contacts_equal_the_dense_ones(seed):
    sim = crowd(seed)
    problem, world = sim.stepper.problem, sim.world
    links = world.sides.link[: problem.n_blocks]
    trees = np.where(links < 0, -1, world.topology.link_tree[links])
    assert ((trees[:, 0] == trees[:, 1]) & (links[:, 0] != links[:, 1])).any(), "no self-contact"
    assert ((trees[:, 0] >= 0) & (trees[:, 0] != trees[:, 1])).any(), "no contact of two trees"
    assert (problem.candidate < world.n_contacts).any(), "no declared contact"
    J = dense_jacobian(sim)
    W = J @ np.linalg.solve(dense_inertia(world, sim.time_step), J.T)
    close = 1e-11 * np.abs(W).max()
    assert problem.arrays.pending[0] == 1, "not so many rows that coulomb is given a part of W"
    for b, p in enumerate(problem.arrays.pair_start[: problem.n_blocks]):
        own = p + list(problem.arrays.pair_block[p:]).index(b)
        at, rows = problem.arrays.pair_data[own], slice(3 * b, 3 * b + 3)
        block = problem.arrays.W[at : at + 9].reshape(3, 3)
        np.testing.assert_allclose(block, W[rows, rows], atol=close)
    f, (r, u) = problem.factor, np.random.default_rng(seed).normal(size=(2, problem.n_rows))
    product(problem.table, table_of(f), r, np.zeros(world.nv), u)
    np.testing.assert_allclose(u, W @ r + problem.free_velocity, atol=10 * close)
    np.testing.assert_allclose(problem.delassus(), W, atol=close)
    assert problem.arrays.pending[0] == 0
    np.testing.assert_allclose(problem.velocity, J @ sim.v, atol=1e-12)
    np.testing.assert_allclose(problem.free_velocity, J @ world.dynamics.v_free, atol=1e-11)


def test_an_impulse_on_both_sides_changes_velocities_as_the_dense_formula_says():
    sim = crowd(5)
    J, M = dense_jacobian(sim), dense_inertia(sim.world, sim.time_step)
    sim.step()
    r = sim.stepper.problem.impulse
    change = np.linalg.solve(M, J.T @ r)
    dynamics = sim.world.dynamics
    np.testing.assert_allclose(dynamics.v_new - dynamics.v_free, change, atol=1e-10)
    assert np.abs(r).max() > 0.0


def pool(n=8, seed=0):
    """Balls that roll into a notch and strike each other: contacts come, stay and go."""
    rng = np.random.default_rng(seed)
    bodies = [
        ball(1.0, 0.1).at(
            (0.25 * (k % 3), 0.25 * (k // 3), 0.1), linear=(*rng.normal(size=2), 0.0), name=f"b{k}"
        )
        for k in range(n)
    ]
    shapes = [Ball(f"b{k}/body/s", 10 + k, k, 0.1, friction=0.4, restitution=0.3) for k in range(n)]
    notch = [Ball(f"wall/{y}/s", 50 + k, -1, 0.5, (1.1, y, 0.1)) for k, y in enumerate((-0.2, 0.6))]
    return meeting(bodies, shapes + notch, gravity=(4.0, 0.0, -9.81))


def test_contacts_keep_what_is_known_of_them_by_key():
    sim = pool()
    known, changes = {}, 0
    for _ in range(400):
        before = dict(known)
        sim.step()
        keys = sim.stepper.collisions.keys.tolist()
        changes += set(keys) != set(before)
        assert keys == sorted(set(keys))
        touching = sim.state["detected_touching"]
        assert not touching[len(keys) :].any()
        assert not sim.state["detected_impulse"][len(keys) :].any()
        known = dict(zip(keys, touching.tolist(), strict=False))
    assert changes > 10


@pytest.mark.parametrize("law", first("coulomb", "compliant"))
def test_a_run_restored_in_the_middle_of_contacts_goes_on_bit_for_bit(law, tmp_path):
    from footfall_compliant.contact import Compliant

    def make():
        sim = pool()
        if law == "coulomb":
            return sim
        bodies, shapes = sim.world.bodies, sim.world.collider.shapes
        return meeting(bodies, shapes, law=Compliant(Compliant.Config()), gravity=(4, 0, -9.81))

    whole, first, rest = make(), make(), make()
    counts = set()
    for _ in range(600):
        whole.step()
        counts.add(whole.stepper.collisions.count)
    assert len(counts) > 2, "the number of contacts does not change"
    steps(first, 370)
    while not first.state["detected_touching"].any():
        first.step()
    first.save(tmp_path / "state.npz")
    rest.state.restore(load_state(tmp_path / "state.npz")[0])
    steps(rest, 600 - first.state.tick)
    assert rest.state.vector.tobytes() == whole.state.vector.tobytes()
    assert rest.state.grown.tobytes() == whole.state.grown.tobytes()


def test_a_restored_state_of_fewer_contacts_replaces_one_of_more():
    sim = pool(3)
    start = sim.state.copy()
    other = pool(8)
    with pytest.raises(footfall.FootfallError, match="does not fit"):
        other.state.restore(start)
    again = pool(3)
    steps(again, 200)
    again.state.restore(start)
    steps(again, 100)
    steps(sim, 100)
    assert again.state.vector.tobytes() == sim.state.vector.tobytes()


def test_room_grows_rarely_and_the_problem_is_sparse():
    n = 40
    bodies = [ball(1.0, 0.1).at((0.2 * k, 0, 0.1), name=f"b{k}") for k in range(n)]
    shapes = [Ball(f"b{k}/body/s", 100 + k, k, 0.1, friction=0.4) for k in range(n)]
    sim = meeting(bodies, shapes)
    room = sim.world.room
    assert sim.stepper.collisions.count == n - 1
    assert n - 1 <= room.contacts <= 2 * n
    steps(sim, 20)
    assert sim.world.room == room
    # Each ball has its own ground contact and two neighbours: at most 3 blocks a tree.
    assert sim.stepper.problem.arrays.W.size <= 9 * (1.5 * 9 * n + 9 * n)


def test_room_is_made_for_what_contacts_take_at_once():
    """It runs out part by part, and each time arrays are made anew."""
    assert Room(10, 200, 300).stretched(Room(12, 150, 290)) == Room(38, 495, 600)
    assert Room(10, 200, 300).stretched(Room(9, 150, 301)) == Room(10, 245, 471)
    assert Room(10, 900, 300).stretched(Room(9, 150, 301)) == Room(10, 900, 471)
    assert Room(0, 0, 0).stretched(Room(0, 0, 1920)) == Room(0, 20, 2900)


def test_contacts_keep_their_links_and_places_when_room_is_made():
    """A contact that goes in the look that makes room is still written to its bodies."""
    sim = pool()
    steps(sim, 40)
    count = sim.stepper.collisions.count
    before = [array[:count].copy() for array in sim.world.detected]
    assert (before[0] >= 0).any(), "no contact between bodies"
    sim.state.reserve(2 * sim.world.room.contacts)
    for old, new in zip(before, sim.world.detected, strict=True):
        np.testing.assert_array_equal(new[:count], old)


def test_a_detector_with_keys_out_of_order_is_refused():
    sim = pool()
    steps(sim, 500)
    detector = sim.world.collider.detector
    right = detector.detect

    def wrong(poses):
        found = right(poses)
        found.arrays.key[:] = found.arrays.key[::-1].copy()

    detector.detect = wrong
    sim.q[2] += 1e-6
    assert sim.stepper.collisions.count > 1
    with pytest.raises(PluginError, match="not unique and ascending"):
        sim.step()


def test_a_detector_is_called_by_address_or_in_python_with_the_same_bits(monkeypatch):
    compiled = footfall.load("cube/stack")
    assert "collision detection" not in compiled.stepper.program.python
    monkeypatch.setattr(Detector, "bound", lambda self, poses: None)
    python = footfall.load("cube/stack")
    assert "collision detection" in python.stepper.program.python
    for _ in range(200):
        compiled.step()
        python.step()
    assert compiled.stepper.collisions.count > 0
    assert (compiled.state.vector == python.state.vector).all()
    assert (compiled.row == python.row).all()


def test_rows_kept_in_many_steps_of_one_call_are_those_of_single_steps(tmp_path):
    """Also where more rows come than there was room for, and where only some rows are kept."""
    for interval in (1, 3):
        recorder = {"recorder.interval": interval}
        footfall.load("cube/stack", recorder).record(0.3, tmp_path / f"{interval}.zarr")
        run, sim = open_run(tmp_path / f"{interval}.zarr"), footfall.load("cube/stack")
        start = [*run["collisions_start"].to_numpy(), run.sizes["collisions_row"]]
        for k in range(300):
            sim.step()
            if k % interval == 0:
                rows = sim.stepper.collisions.rows(sim.time_step)
                of = slice(start[k // interval], start[k // interval + 1])
                for name in ("key", "gap", "position", "force", "status"):
                    assert (run[f"collisions_{name}"].to_numpy()[of] == rows[name]).all(), (k, name)
    assert start[-1] > 256 / 3


def test_detected_contacts_are_recorded_as_a_table_of_any_length(tmp_path):
    sim = pool()
    sim.record(0.6, tmp_path / "run.zarr")
    run = open_run(tmp_path / "run.zarr")
    start = run["collisions_start"].to_numpy()
    assert len(start) == 600
    assert len(np.unique(np.diff(start))) > 1
    one, two = run["collisions_body_1"].to_numpy(), run["collisions_body_2"].to_numpy()
    force = run["collisions_force"].to_numpy()
    total = np.zeros((600, len(sim.world.bodies), 3))
    step = np.repeat(np.arange(600), np.diff(np.append(start, len(one))))
    np.add.at(total, (step, two), force)
    moving = one >= 0
    np.subtract.at(total, (step[moving], one[moving]), force[moving])
    np.testing.assert_allclose(run["collision_wrench"].to_numpy()[:, :, :3], total, atol=1e-9)
    assert np.abs(total).max() > 1.0
    along = np.sum(force * run["collisions_normal"].to_numpy(), axis=1)
    across = np.sqrt(np.maximum(np.sum(force**2, axis=1) - along**2, 0.0))
    assert (across <= (1.0 + 1e-6) * 0.4 * along + 1e-9).all()
    np.testing.assert_allclose(run["collisions_friction"].to_numpy(), 0.4, rtol=1e-15)
    gap, normal = run["collisions_gap"].to_numpy(), run["collisions_normal"].to_numpy()
    unsplit = moving & (run["impact_splits"].to_numpy()[step] == 0)
    centre, (step, one, two) = (
        run["base_position"].to_numpy(),
        (a[unsplit] for a in (step, one, two)),
    )
    way = centre[step, two] - centre[step, one]
    assert len(way) > 100
    np.testing.assert_allclose((0.2 + gap[unsplit])[:, None] * normal[unsplit], way, atol=1e-12)


def test_a_problem_without_detection_has_no_state_of_it():
    sim = footfall.load("cube/drop")
    assert "detected" not in sim.state
    assert sim.state.grown.size == 0
    assert isinstance(sim.stepper.problem, ContactProblem)
    assert sim.stepper.tables == ()


def forces_by_body(sim):
    """Sum of the recorded rows' forces on every body, [N]."""
    total = np.zeros((len(sim.world.bodies), 3))
    for row in sim.stepper.collisions.rows(sim.time_step):
        total[row["body_2"]] += row["force"]
        if row["body_1"] >= 0:
            total[row["body_1"]] -= row["force"]
    return total


def test_rows_of_a_step_are_of_that_step_where_contacts_go():
    sim = footfall.load("cube/stack")
    sim.record(0.7)
    counts = set()
    for _ in range(400):
        sim.step()
        counts.add(sim.stepper.collisions.count)
        wrench = sim.signal("collision_wrench")[:, :3]
        np.testing.assert_allclose(forces_by_body(sim), wrench, atol=1e-9)
    assert min(counts) < 30 < max(counts), "the ball does not knock cubes off"


def test_impulses_of_contacts_that_go_within_a_step_are_in_the_rows_and_in_the_wrenches():
    # One ball meets the other, then the wall: by then they are farther apart than is looked.
    bodies = [
        ball(1.0, 0.1).at((-0.105, 0, 1.0), linear=(6.0, 0, 0), name="a"),
        ball(1.0, 0.1).at((0.105, 0, 1.0), linear=(-6.0, 0, 0), name="b"),
    ]
    shapes = [
        Ball(f"{name}/body/s", k + 1, k, 0.1, friction=0.0, restitution=1.0)
        for k, name in enumerate("ab")
    ]
    wall = Ball("wall/fixed/s", 9, -1, 0.5, (-0.708, 0.0, 1.0), friction=0.0, restitution=1.0)
    sim = meeting(bodies, [*shapes, wall], gravity=WEIGHTLESS, dt=1e-2)
    steps(sim, 1)
    rows = sim.stepper.collisions.rows(sim.time_step).copy()
    assert sim.state["detected"].view(np.int64)[0] < len(rows), "no contact has gone"
    np.testing.assert_allclose(
        forces_by_body(sim), sim.signal("collision_wrench")[:, :3], atol=1e-9
    )
    # Each ball reverses: twice its momentum a meeting, over the step.
    struck = rows[rows["body_1"] == 0]
    assert np.abs(struck["force"][:, 0]).max() == pytest.approx(2 * 1.0 * 6.0 / 1e-2)


def test_links_of_contacts_are_right_after_a_restore_to_other_contacts():
    sim = pool()
    steps(sim, 150)
    start, first = sim.state.copy(), sim.stepper.collisions.keys.tolist()
    steps(sim, 450)
    assert sim.stepper.collisions.keys.tolist() != first
    assert sim.state.room == start.room
    end = sim.state.copy()
    sim.state.restore(start)
    steps(sim, 450)
    assert sim.state.vector.tobytes() == end.vector.tobytes()


def test_coefficients_are_those_of_the_pair_the_sides_or_one_side():
    nan = np.nan
    shapes = [
        Ball("a/body/s", 1, 0, 0.1, friction=0.2),
        Ball("b/body/s", 2, 1, 0.1, friction=0.6, restitution=0.5),
        Ball("c/body/s", 3, 2, 0.1),
    ]
    bodies = [ball(1.0, 0.1).at((0.2 * k, 0, 1.0), name=n) for k, n in enumerate("abc")]
    sim = meeting(bodies, shapes, pairs={("b", "c"): (0.9, nan)})
    got = {}
    for row in range(sim.stepper.collisions.count):
        one, two = (int(k) for k in sim.world.detected.link[row])
        got["abc"[one] + "abc"[two]] = (
            sim.world.detected.friction[row],
            sim.world.detected.restitution[row],
        )
    assert got == {"ab": (pytest.approx(0.3), 0.5), "bc": (0.9, 0.5)}


def test_a_recorded_row_is_laid_out_as_kernels_write_it():
    from footfall_stepper.kernels.contact.match import ContactWord
    from footfall_stepper.stepping.detected_contacts import COLLISIONS
    from footfall_stepper.world.collision_arrays import RECORD_WORDS

    fields = COLLISIONS.dtype.fields
    assert COLLISIONS.dtype.itemsize == 8 * RECORD_WORDS
    for name in fields:
        assert fields[name][1] == 8 * ContactWord[name.upper()], name
