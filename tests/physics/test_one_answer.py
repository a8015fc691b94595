"""Contacts that share a load have one answer: no listing, frame or unit changes the motion.

It is that of uniform pressure where nothing tips the foot. The convex laws have it too, and the
impact model with its own solver.
"""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    Shape,
    box,
    corners,
    points,
    rigid_model,
    rotation_quaternion,
    simulator,
    world_velocity,
)

from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete
from footfall_impacts.restitution.impact import Restitution, RestitutionConfig
from footfall_qp.proxqp import ProxQP, ProxQPConfig
from footfall_small_laws.ccp.contact import CCPConfig, ConeComplementarity
from footfall_standard.terrain import Plane, PlaneConfig
from footfall_watch.certificates import certify

DT = 1e-3
DEEP = 1e-9
"""Depth at which feet start, [m]: gaps of 1e-17 m, from rounding, would press on single points."""


LAWS = {
    "coulomb": lambda: Coulomb(CoulombConfig()),
    "gauss": lambda: Gauss(GaussConfig(), ProxQP(ProxQPConfig())),
    "gauss_discrete": lambda: GaussDiscrete(GaussConfig(), ProxQP(ProxQPConfig())),
    "ccp": lambda: ConeComplementarity(CCPConfig()),
}
EACH_LAW = pytest.mark.parametrize("law", LAWS)


def grid(n, length, width, height=0.0):
    """Return n x n points of a flat sole below the origin, (n^2, 3), [m]."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n) * length, np.linspace(-0.5, 0.5, n) * width)
    return np.column_stack([x.ravel(), y.ravel(), np.full(n * n, -height)])


def disc(n, radius):
    """Return n points spread evenly over a disc, (n, 3), [m]."""
    r, angle = radius * np.sqrt((np.arange(n) + 0.5) / n), np.arange(n) * np.pi * (3 - np.sqrt(5))
    there = np.column_stack([r * np.cos(angle), r * np.sin(angle), np.zeros(n)])
    return there - there.mean(axis=0)


def sole(places, inertia, mass=1.0, com=(0.0, 0.0, 0.0)):
    """Return a body that touches with points; inertia by mass, [m^2]."""
    return Shape(rigid_model(mass, mass * np.array(inertia), com), points(places))


CUBE = corners((0.1, 0.1, 0.1))[:4], (1 / 600, 1 / 600, 1 / 600), (1.0, 0.5), 12.0, 0.05
SOLE = grid(4, 0.2, 0.12, 0.05), (0.01, 0.01, 0.01), (0.6, 0.2), 8.0, 0.05


def slide(
    case, steps, *, order=None, turn=0.0, mirror=False, shift=(0.0, 0.0), mass=1.0, **physics
):
    """Return velocity after a step, place and turn after all of them, in the frame of the start."""
    places, inertia, linear, spin, height = case
    fall = -0.5 if "impact" in physics else 0.0
    side = -1.0 if mirror else 1.0
    frame = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    frame = frame @ np.diag([1.0, side])
    body = sole(places if order is None else places[order], inertia, mass)
    start = rotation_quaternion((0.0, 0.0, turn))
    linear = (*frame @ linear, fall)
    place = (*shift, height - DEEP)
    body = body.at(place, start, linear=linear, angular=(0.0, 0.0, side * spin))
    sim, turned, first = simulator(body, mu=0.3, **physics), 0.0, None
    for _ in range(steps):
        sim.step()
        u = world_velocity(sim)
        first = u if first is None else first
        turned += DT * u[5]
    first = np.concatenate([frame.T @ first[:2], first[2:3], side * first[5:]])
    return first, np.array([*frame.T @ (sim.q[:2] - shift), side * turned])


@pytest.mark.parametrize("case", [CUBE, SOLE], ids=["cube", "sole of 16 points"])
@pytest.mark.parametrize("way", [*LAWS, "newton", "poisson"])
def test_listing_turns_mirror_translation_and_masses_change_nothing(case, way):
    """``coulomb`` alone slides for the whole second; impacts strike at once, and bounce.

    ``ccp`` lifts what slides: rounding decides in which step it enters the problem again, after 44.
    """
    steps, turns = (1000, 0.4) if way == "coulomb" else (40, 0.2)
    quarters = [{"turn": 0.5 * np.pi * k} for k in (1, 2, 3)]

    def moved(**change):
        if way in LAWS:
            return slide(case, steps, law=LAWS[way](), **change)
        impact = Restitution(RestitutionConfig(hypothesis=way))
        return slide(case, steps, impact=impact, e=0.5, **change)

    step, motion = moved()
    assert motion[2] > turns
    for change in (
        {"order": np.random.default_rng(1).permutation(len(case[0]))},
        *quarters,
        *([] if way.startswith("gauss") else [{"turn": 0.3}]),  # a pyramid is not round
        {"mirror": True},
        {"shift": (3.7, -1.3)},
        {"mass": 1e3},
    ):
        other, reached = moved(**change)
        np.testing.assert_allclose(other, step, rtol=0.0, atol=1e-9, err_msg=str(change))
        np.testing.assert_allclose(reached, motion, rtol=0.0, atol=1e-6, err_msg=str(change))


def test_a_cube_turns_as_on_stiff_springs():
    """Equal compliances of 1e-7 m/N, at which four corners have one answer."""
    places, inertia, linear, spin, height = CUBE
    turns = []
    for compliance in (0.0, 1e-7):
        body = sole(places, inertia).at(
            (0.0, 0.0, height), linear=(*linear, 0.0), angular=(0.0, 0.0, spin)
        )
        sim, turned = simulator(body, mu=0.3, law={"compliance": compliance}), 0.0
        for _ in range(1000):
            sim.step()
            turned += DT * world_velocity(sim)[5]
        turns.append(np.degrees(turned))
    assert turns[0] == pytest.approx(turns[1], abs=0.01)


def pressing(sim):
    """Return places and normal impulses of the contacts, and the certificate of the last step."""
    problem = sim.stepper.problem
    return problem.arrays.position[: problem.n_blocks], problem.impulse[2::3], certify(problem)


@EACH_LAW
def test_a_rigid_foot_presses_evenly_and_affinely_if_loaded_off_centre(law):
    for com in ((0.0, 0.0), (0.02, -0.01)):
        foot = sole(grid(2, 0.2, 0.12), (0.01,) * 3, 3.0, (*com, 0.1))
        sim = simulator(foot.at((0, 0, -DEEP)), law=LAWS[law]())
        for _ in range(5):
            sim.step()
        place, load, found = pressing(sim)
        arm = np.array([0.1, 0.06])
        share = 1.0 + (place[:, :2] / arm) @ (np.array(com) / arm)
        np.testing.assert_allclose(load, 3.0 * G * DT * share / 4, rtol=1e-6)
        assert found.canonical_residual < 1e-6


@EACH_LAW
def test_a_sole_loaded_near_its_edge_presses_affinely_where_it_presses(law):
    """36 points; the load is outside the middle third, so that a part of them carries nothing."""
    foot = sole(grid(6, 0.2, 0.12), (0.01,) * 3, 3.0, (0.06, 0.01, 0.1))
    sim = simulator(foot.at((0, 0, -DEEP)), law=LAWS[law]())
    for _ in range(5):
        sim.step()
    place, load, found = pressing(sim)
    pushes = load > 1e-9
    assert 6 < pushes.sum() < 36
    plane = np.column_stack([np.ones(36), place[:, :2]])
    fit = np.linalg.lstsq(plane[pushes], load[pushes], rcond=None)[0]
    np.testing.assert_allclose(plane[pushes] @ fit, load[pushes], atol=1e-6 * load.max())
    assert (plane[~pushes] @ fit < 1e-6 * load.max()).all()
    assert found.canonical_residual < 1e-6


@pytest.mark.parametrize("case", [CUBE, SOLE], ids=["cube", "sole of 16 points"])
def test_answers_of_sliding_feet_are_the_canonical_ones(case):
    """And another exact answer is not: the certificate tells them apart."""
    places, inertia, linear, spin, height = case
    body = sole(places, inertia, com=(0.01, 0.005, 0.0))
    body = body.at((0, 0, height - DEEP), linear=(*linear, 0), angular=(0, 0, spin))
    sim = simulator(body, mu=0.3)
    for _ in range(100):
        sim.step()
        problem = sim.stepper.problem
        assert certify(problem).canonical_residual < 1e-6
    free = np.linalg.svd(problem.delassus()[2::3, 2::3])[2][-1]
    problem.impulse[2::3] += 0.1 * problem.impulse.max() * free
    assert certify(problem).canonical_residual > 1e-3


def until_rest(sim):
    """Return time, way and turn until the body rests."""
    turned = 0.0
    for _ in range(2000):
        sim.step()
        u = world_velocity(sim)
        turned += DT * u[5]
        if np.abs(u).max() < 1e-3:
            break
    return np.array([sim.time, *sim.q[:2], turned])


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_sole_of_a_hundred_points_that_spins_in_place_stops_as_under_uniform_pressure(shuffled):
    """t = w I / (mu m g a), turn w t / 2, with a the mean arm of the points."""
    places, spin, mu, inertia = grid(10, 0.2, 0.2, 0.05), 15.0, 0.5, 0.0075
    order = np.random.default_rng(1).permutation(100) if shuffled else slice(None)
    body = sole(places[order], (0.005, 0.005, inertia), 2.0)
    found = until_rest(simulator(body.at((0, 0, 0.05), angular=(0, 0, spin)), mu=mu))
    time = spin * inertia / (mu * G * np.hypot(*places[:, :2].T).mean())
    np.testing.assert_allclose(found[[0, 3]], [time, 0.5 * spin * time], rtol=0.01)
    assert np.abs(found[1:3]).max() < 1e-6


def under_uniform_pressure(places, linear, spin, mu, inertia, dt=2e-4):
    """Return time, way and turn until a body rests that presses evenly, by inertia over mass."""
    v, w, x, turned, t = np.array(linear), spin, np.zeros(2), 0.0, 0.0
    while t < 2.0:
        c, s = np.cos(turned), np.sin(turned)
        arm = places[:, :2] @ np.array([[c, s], [-s, c]])
        u = v + w * np.column_stack([-arm[:, 1], arm[:, 0]])
        speed = np.linalg.norm(u, axis=1)
        if speed.max() < 2e-3:
            break
        a = -mu * G * u / np.maximum(speed, 1e-9)[:, None] / len(places)
        v, w = (
            v + dt * a.sum(axis=0),
            w + dt * (arm[:, 0] * a[:, 1] - arm[:, 1] * a[:, 0]).sum() / inertia,
        )
        x, turned, t = x + dt * v, turned + dt * w, t + dt
    return np.array([t, *x, turned])


def test_a_disc_that_slides_and_spins_moves_as_under_uniform_pressure():
    places = disc(36, 0.1)
    body = sole(places, (0.01,) * 3).at((0, 0, 0), linear=(0.6, 0, 0), angular=(0, 0, 8.0))
    expected = under_uniform_pressure(places, (0.6, 0.0), 8.0, 0.3, 0.01)
    np.testing.assert_allclose(until_rest(simulator(body, mu=0.3)), expected, rtol=0.01, atol=1e-5)


def test_a_disc_stops_sliding_and_spinning_at_the_same_time():
    """At v / (w R) = 0.653 (Farkas, Bartels, Unger and Wolf 2003, Frictional coupling between
    sliding and spinning motion, for a disc of uniform pressure)."""
    body = sole(disc(60, 0.1), (0.005,) * 3)
    sim = simulator(body.at((0, 0, 0), linear=(0.6, 0, 0), angular=(0, 0, 8.0)), mu=0.3)
    for _ in range(1000):
        sim.step()
        u = world_velocity(sim)
        if np.hypot(*u[:2]) < 3e-3:
            break
    assert np.hypot(*u[:2]) / (0.1 * abs(u[5])) == pytest.approx(0.653, rel=0.02)


@pytest.mark.parametrize(("lengths", "mu"), [((0.3, 0.2, 0.1), 0.8), ((0.1, 0.1, 0.1), 0.5)])
def test_a_straight_slide_onto_ice_does_not_turn(lengths, mu):
    ice = [{"x": (0.2, 9.0), "y": (-1.0, 1.0), "friction": 0.0}]
    body = box(1.0, lengths).at((0, 0, 0.5 * lengths[2] - DEEP), linear=(2.0, 0, 0))
    sim, crossed = simulator(body, terrain=Plane(PlaneConfig(friction=mu, patches=ice))), 0
    while sim.q[0] < 0.21 + 0.5 * lengths[0]:
        sim.step()
        crossed += 0.2 - 0.5 * lengths[0] < sim.q[0] < 0.2 + 0.5 * lengths[0]
        assert abs(2.0 * np.arctan2(sim.q[5], sim.q[6])) < 1e-9
    assert crossed > 50


def test_a_flat_landing_that_slides_and_turns_converges_with_the_step():
    """Of first order: place and turn change by half as much from step to halved step."""
    ends = []
    for dt in (4e-3, 2e-3, 1e-3, 5e-4):
        cube = sole(*CUBE[:2]).at(
            (0.0, 0.0, 0.06), linear=(1.0, 0.5, -0.3), angular=(0.0, 0.0, 8.0)
        )
        sim = simulator(cube, mu=0.3, dt=dt)
        turn = 0.0
        for _ in range(round(0.4 / dt)):
            sim.step()
            turn += dt * sim.v[5]
        ends.append([*sim.q[:2], turn])
    moved = np.abs(np.diff(ends, axis=0))
    assert np.all(moved[1:] < 0.55 * moved[:-1])
    assert np.all(moved[1:] > 0.45 * moved[:-1])


def test_a_foot_tilted_by_its_gaps_can_turn_flat_without_slipping():
    tilt = 1e-4
    turned = rotation_quaternion((tilt, 0.5 * tilt, 0.0))
    height = 0.05 + 0.1 * tilt
    body = sole(grid(3, 0.2, 0.12, 0.05), (0.01, 0.01, 0.01)).at((0.0, 0.0, height), turned)
    sim = simulator(body, mu=0.5)
    sim.step()
    problem = sim.stepper.problem
    W, wanted = problem.delassus(), np.zeros(3 * problem.n_blocks)
    wanted[2::3] = -problem.arrays.gap[: problem.n_blocks] / DT
    assert problem.n_blocks == 9
    assert np.ptp(wanted) > 1e-2
    size, direction = np.linalg.eigh(W)
    none = direction[:, size < 1e-9 * size.max()]
    assert none.shape[1] == 27 - 6
    # At the points themselves u_t = w x gap: 1e-7 m/s that no rigid foot can have.
    assert abs(none.T @ wanted).max() < 1e-13
