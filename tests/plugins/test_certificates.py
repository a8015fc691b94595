"""Certificates: margins, ranks, errors of steps, and no false claim on the problems of the kit."""

import numpy as np
import pytest
from tests.physics.composed import simulator, table

import footfall
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.cases import chain, foot, limits, plate, point_masses, tower
from footfall.testing.problems.residuals import natural_map
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_watch.certificates import Mode, certify, judge

CASES = [*(chain(seed) for seed in range(12)), *(foot(seed) for seed in range(12))]
CASES += [plate(4), plate(9), tower(1, 10.0), tower(2, 100.0)]
CERTIFIED = {"recorder.certificates": True}


def solved(case):
    """Return a case's problem with the answer of the exact cone."""
    problem = case.problem()
    law = Coulomb(CoulombConfig())
    law.allocate(problem.n_blocks, problem.n_rows)
    law.solve(problem, {})
    return problem


def missed(case, problem):
    """Return the natural map of a problem's answer, [m/s]."""
    u = problem.delassus() @ problem.impulse + problem.free_velocity + problem.offset
    return natural_map(case, problem.impulse, u)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_certain_answer_has_another_mode_than_the_solution(case):
    """Answers that are wrong by 1e-12 to 1 of their size, in 60 random ways."""
    rng = np.random.default_rng(1)
    problem = solved(case)
    right = problem.impulse.copy()
    modes, certain = certify(problem).mode, 0
    for k in range(60):
        size = 10.0 ** (-12.0 * rng.random()) if k else 0.0
        problem.impulse[:] = right * (1.0 + size * rng.normal(size=len(right)))
        problem.impulse[:] += size * np.abs(right).max() * rng.normal(size=len(right))
        found = certify(problem)
        if found.is_certain(missed(case, problem)):
            certain += 1
            assert (found.mode == modes).all()
    assert certain < 60


def test_most_exact_answers_are_certain():
    answers = [(case, solved(case)) for case in CASES]
    found = [certify(problem).is_certain(missed(case, problem)) for case, problem in answers]
    assert sum(found) >= 0.8 * len(found)


def test_points_are_as_far_from_another_mode_as_their_speeds_and_impulses_say():
    """1 kg on the ground: pulled with 0.3 of what holds it, sliding at 1 m/s, leaving at 2 m/s."""
    mu, down = 0.5, 0.01
    problem = solved(point_masses([[0.3 * mu * down, 0, -down], [1, 0, -down], [0, 0, 2]], mu=mu))
    found, scale = certify(problem), np.hypot(1.0, mu)
    assert found.mode.tolist() == [Mode.STICK, Mode.SLIP, Mode.OPEN]
    slides = scale * min(1.0 - mu * down, down)
    expected = [0.7 * mu * down / scale, slides, 2.0 / scale]
    np.testing.assert_allclose(found.margin, expected, rtol=1e-6)
    assert (found.rows, found.rank) == (4, 4)


def test_a_point_between_modes_has_no_margin():
    assert judge(np.zeros(3), np.zeros(3), 0.5, 1.0)[1] == 0.0
    assert judge(np.array([0.5, 0.0, 1.0]), np.zeros(3), 0.5, 1.0)[1] == pytest.approx(0.0)


def test_a_run_records_them_and_says_so_in_a_line():
    sim = footfall.load("humanoid/standing", CERTIFIED | {"simulation.duration": 0.4})
    recorded = sim.run(0.4)
    standing = recorded.isel(time=slice(100, None))
    assert (standing.least_margin.values > 0.0).all()
    assert standing.certain.values.mean() > 0.9
    assert np.median(standing.active_rows.values) == 24  # two feet of four points that stick
    assert (standing.active_rank.values <= 12).all()
    assert np.median(standing.active_rank.values) == 12
    errors = standing.local_error.values
    assert 1e-14 < np.nanmax(errors) < 1e-5
    assert np.isfinite(errors).sum() == 3


def test_errors_by_halving_are_those_of_the_order():
    """Of a step of semi-implicit Euler they are of second order in it."""
    worst = []
    for dt in (2e-3, 1e-3):
        sim = footfall.load("pendulum/swing", CERTIFIED | {"simulation.time_step": dt})
        rows = sim.run(0.202 * dt / 1e-3)
        errors = rows.local_error.values
        first = int(np.flatnonzero(np.isfinite(errors))[0])
        angle = float(rows.q.values[first, 0])
        worst.append(errors[first] / abs(np.sin(angle)))
    assert worst[0] / worst[1] == pytest.approx(4.0, rel=0.1)


def test_the_summary_is_a_note(tmp_path):
    report = footfall.load("cube/sliding", CERTIFIED).record(0.3)
    (line,) = (note for note in report.notes if note.startswith("certificates"))
    assert "of 300 steps" in line
    assert not any("certificates" in n for n in footfall.load("cube/sliding").record(0.1).notes)


@pytest.mark.parametrize("length", [1e-2, 1e-6])
def test_moments_of_friction_are_of_the_same_cone(length):
    """A ball with torsional and without rolling friction pushes in four directions."""
    friction = {"world.terrain.torsional_friction": length, "world.terrain.rolling_friction": 0.0}
    still = {"bodies.ball.base_linear_velocity": [0.0, 0.0, 0.0]}
    recorded = footfall.load("ball/rolling", CERTIFIED | friction | still).run(0.02)
    last = recorded.isel(time=-2)
    assert (int(last.active_rows), int(last.active_rank)) == (4, 4)
    assert 0.0 < float(last.least_margin) < 1.0


def test_laws_of_forces_have_no_modes_to_be_certain_of():
    sim = footfall.load("cube/sliding", CERTIFIED | {"contact.plugin": "compliant"})
    recorded = sim.run(0.02)
    assert np.isnan(recorded.contact_margin.values).all()
    assert not recorded.certain.values.any()


def test_nothing_is_recorded_that_was_not_asked_for():
    sim = footfall.load("cube/sliding")
    assert "contact_margin" not in sim.run(0.01)
    assert not sim.participants.certificates
    with_them = footfall.load("cube/sliding", CERTIFIED)
    sim.record(0.29)
    with_them.record(0.30)
    assert sim.q.tobytes() == with_them.q.tobytes()


def spinning(recorder=None, **start):
    """Return a simulator of a cube of 10 cm and 1 kg that starts on the ground, mu 0.3."""
    cube = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass": 1.0}
    scene = {
        "simulation": {"duration": 1.0, "time_step": 1e-3},
        "world": {"terrain": {"friction": 0.3}},
        "bodies": {"cube": {**cube, "base_position": [0.0, 0.0, 0.05], **start}},
        "recorder": recorder or {},
    }
    registry = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(scene, registry), registry)


SPINS = {"base_linear_velocity": [1.0, 0.5, 0.0], "base_angular_velocity": [0.0, 0.0, 12.0]}


def shared(W, q, r, mu):
    """Return an exact answer with the normal impulses nearest to r of contacts that all slip."""
    n = len(r) // 3
    load = r[2::3].copy()
    for _ in range(60):
        u = (W @ r + q).reshape(n, 3)
        d = u[:, :2] / np.linalg.norm(u[:, :2], axis=1)[:, None]
        D = np.zeros((n, 3, n))
        D[range(n), :2, range(n)], D[range(n), 2, range(n)] = -mu * d, 1.0
        D = D.reshape(3 * n, n)
        normal = (W @ D)[2::3]
        load -= np.linalg.lstsq(normal, q[2::3] + normal @ load, rcond=1e-9)[0]
        r = D @ load
    return r, (W @ r + q).reshape(n, 3)


def turn_rate(problem, u):
    """Return the rate of turn about the vertical of a flat foot with contact velocities u."""
    arm = (problem.arrays.position[: len(u)] - problem.arrays.position[: len(u)].mean(axis=0))[
        :, :2
    ]
    along = np.einsum("nij,ni->nj", problem.frame, u)[:, :2]
    along = along - along.mean(axis=0)
    return (arm[:, 0] * along[:, 1] - arm[:, 1] * along[:, 0]).sum() / (arm**2).sum()


def test_the_range_of_motions_holds_every_exact_answer_and_ends_where_a_corner_lifts():
    """A cube that slides and spins: its load is moved along (1, -1, 1, -1) until a corner lifts."""
    sim = spinning(**SPINS)
    for _ in range(20):
        sim.step()
    problem = sim.stepper.problem
    W, q, r = problem.delassus(), problem.free_velocity.copy(), problem.impulse.copy()
    (found,) = certify(problem, sim.world.sides.link).motions
    normals = W[2::3, 2::3]
    free = np.linalg.svd(normals)[2][-1]
    rates, least = [], []
    for part in np.linspace(-1.0, 1.0, 41):
        start = r.copy()
        start[2::3] += 2.0 * part * np.abs(r).max() * free / np.abs(free).max()
        answer, u = shared(W, q, start, 0.3)
        assert np.abs(u[:, 2]).max() < 1e-12
        rates.append(turn_rate(problem, u))
        least.append(answer[2::3].min())
    rates, least = np.array(rates), np.array(least)
    width = found.turn_high - found.turn_low
    assert width > 1e-3
    holds = least >= 0.0
    assert 5 < holds.sum() < 36
    inside = (rates > found.turn_low - 1e-2 * width) & (rates < found.turn_high + 1e-2 * width)
    assert inside[holds].all()
    most = int(least.argmax())
    sides = slice(0, most + 1), slice(None, most - 1 if most else None, -1)
    ends = [np.interp(0.0, least[side], rates[side]) for side in sides]
    np.testing.assert_allclose(sorted(ends), [found.turn_low, found.turn_high], atol=1e-2 * width)


def test_a_run_says_when_the_motion_was_decided_by_how_the_load_is_shared():
    """Four corners that slide and spin; not three points, a straight slide, a ball, or standing."""
    sim = spinning({"certificates": True}, **SPINS)
    (line,) = (note for note in sim.record(0.05).notes if note.startswith("motion decided"))
    assert "in 50 of 50 steps" in line
    assert "turn rate of cube between" in line
    recorded = spinning({"certificates": True}, **SPINS).run(0.05)
    assert recorded.canonical_choice.values.all()
    rate = recorded.v.values[1:, 5]
    assert (recorded.turn_low.values[:-1] < rate).all()
    assert (rate < recorded.turn_high.values[:-1]).all()
    assert (recorded.undecided_link.values == 0).all()


@pytest.mark.parametrize("name", ["humanoid/standing", "ball/rolling", "cube/sliding"])
def test_a_run_whose_motion_is_unique_says_nothing_of_it(name):
    sim = footfall.load(name, CERTIFIED)
    assert not any(note.startswith("motion") for note in sim.record(0.05).notes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answers_of_coulomb_are_canonical(case):
    """Not judged where a contact sticks on the edge of its cone: one box of CASES."""
    residual = certify(solved(case)).canonical_residual
    assert residual < 1e-6 or (np.isnan(residual) and "load" in case.name)


def test_rows_of_joints_without_load_are_no_reason_to_doubt():
    problem = limits(4).problem()
    problem.impulse[:] = 0.0
    assert certify(problem).canonical_residual == 0.0


def test_contacts_of_bodies_that_nothing_moves_have_a_certificate():
    """Two contacts; one is between prescribed bodies, or both are."""
    for moves in (1.0, 0.0):
        W = np.kron(np.diag([moves, 0.0]), np.eye(3))
        problem = ContactProblem.from_dense(W, np.tile([0.1, 0.0, -0.01], 2), np.full(2, 0.5))
        problem.impulse[2] = 0.01 * moves
        problem.impulse[0] = -0.005 * moves
        found = certify(problem)
        assert found.motions == []
        assert found.canonical_residual == 0.0


def test_three_points_that_slide_and_spin_have_one_motion():
    shape = table(3)
    sim = simulator(shape.at((0, 0, 0.2), linear=(1.0, 0.3, 0), angular=(0, 0, 2)), mu=0.2)
    for _ in range(10):
        sim.step()
    found = certify(sim.stepper.problem)
    assert (found.rows, found.rank, found.motions) == (3, 3, [])


def test_springs_under_the_contacts_leave_nothing_to_decide():
    turns = {"bodies.cube.base_angular_velocity": [0.0, 0.0, 5.0]}
    for compliance, decides in ((0.0, True), (1e-7, False)):
        sim = footfall.load("cube/sliding", CERTIFIED | turns | {"contact.compliance": compliance})
        assert sim.run(0.02).canonical_choice.values.any() == decides
