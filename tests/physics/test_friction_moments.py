"""Torsional and rolling friction of a ball of radius r on a plane, against closed forms.

The cone is ``|(f_t / mu, m_n / b, m_r / c)| <= f_n``. A ball's inertia is ``2/5 m r^2``.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from tests.physics.composed import two_ends

import footfall
from footfall.errors import SceneError

G, R, DT = 9.81, 0.1, 1e-3
AT_REST = {"bodies.ball.base_linear_velocity": [0.0, 0.0, 0.0]}


def ball(**changes):
    keys = {"world.terrain.friction": 0.5, **AT_REST}
    return footfall.load(
        "ball/rolling", keys | {k.replace("__", "."): v for k, v in changes.items()}
    )


def spinning(omega, **changes):
    return ball(bodies__ball__base_angular_velocity=[0.0, 0.0, omega], **changes)


def velocities(run):
    return run.base_velocity.values.reshape(len(run.time), 6)


def spin_of(run):
    return velocities(run)[:, 5]


@pytest.mark.parametrize(("b", "mu"), [(0.002, 0.5), (0.005, 0.1), (0.002, 1e3)])
def test_a_ball_spinning_in_place_stops_after_2_r2_omega_over_5_g_b(b, mu):
    sim = spinning(10.0, world__terrain__friction=mu, bodies__ball__torsional_friction=b)
    run = sim.run(2.5)
    stops = 2.0 * R**2 * 10.0 / (5.0 * G * b)
    spin = spin_of(run)
    assert run.time.values[np.argmax(spin < 1e-9)] == pytest.approx(stops, abs=DT)
    assert np.allclose(np.diff(spin)[:100] / DT, -5.0 * G * b / (2.0 * R**2), rtol=1e-9)
    assert float(run.residual_natural_map.max()) < 1e-9
    assert float(run.dissipated_energy[-1]) == pytest.approx(0.5 * 0.4 * R**2 * 100.0, rel=1e-9)
    assert run.contact_moment.values[5] == pytest.approx(np.array([[0.0, 0.0, -b * G]]))


def steady_rolling(c, mu):
    """Return the deceleration of a ball that rolls with the creep that the one cone asks for.

    With friction ``mu N s`` and moment ``c N q``, ``s^2 + q^2 = 1``: slip and rolling are as
    ``v - r w = (c / mu) (s / q) w``, and ``m v' = -mu N s``, ``I w' = mu N s r - c N q``.
    """

    def away(ratio):
        reach = R + c / mu * ratio  # v / w
        return mu * ratio - c * reach / (0.4 * R**2 + R * reach)

    ratio = brentq(away, 0.0, 1.0, xtol=1e-15)
    return mu * G * ratio / np.hypot(1.0, ratio)


@pytest.mark.parametrize(("c", "mu"), [(0.003, 0.5), (0.001, 0.2), (0.02, 0.8)])
def test_a_rolling_ball_is_slowed_by_5_g_c_over_7_r_but_for_the_coupling(c, mu):
    sim = ball(
        world__terrain__friction=mu,
        bodies__ball__rolling_friction=c,
        bodies__ball__base_linear_velocity=[2.0, 0.0, 0.0],
        bodies__ball__base_angular_velocity=[0.0, 20.0, 0.0],
    )
    v = velocities(sim.run(0.61))[:, 0]
    slowed = (v[200] - v[600]) / 0.4
    assert slowed == pytest.approx(steady_rolling(c, mu), rel=1e-6)
    assert slowed == pytest.approx(5.0 * G * c / (7.0 * R), rel=2.0 * (c / (mu * R)) ** 2 + c / R)


@pytest.mark.parametrize(("c", "mu"), [(0.003, 0.5), (0.05, 0.3)])
def test_a_ball_stays_on_a_slope_below_the_coupled_angle(c, mu):
    steepest = (c / R) / np.sqrt(1.0 + (c / (mu * R)) ** 2)
    moved = []
    for part in (0.995, 1.005):
        angle = np.arctan(part * steepest)
        gravity = [G * np.sin(angle), 0.0, -G * np.cos(angle)]
        keys = {"world__terrain__friction": mu, "bodies__ball__rolling_friction": c}
        run = ball(world__gravity=gravity, **keys).run(1.0)
        moved.append(float(run.q[-1, 0] - run.q[0, 0]))
    # The force along the plane beyond what is held is 0.005 of itself; rolling halves little.
    assert abs(moved[0]) < 1e-12
    assert moved[1] > 1e-4 * steepest


def test_a_ball_that_slides_and_spins_is_slowed_along_the_slip_of_the_one_cone():
    mu, b = 0.3, 0.02
    sim = ball(
        world__terrain__friction=mu,
        bodies__ball__torsional_friction=b,
        bodies__ball__base_linear_velocity=[2.0, 0.0, 0.0],
        bodies__ball__base_angular_velocity=[0.0, 0.0, 60.0],
    )
    velocity = velocities(sim.run(0.121))
    slip, spin = velocity[:, 0] - R * velocity[:, 4], velocity[:, 5]

    def rates(_, y):
        size = np.hypot(y[0], b / mu * y[1])
        return [-3.5 * mu * G * y[0] / size, -2.5 * b * G / R**2 * (b / mu * y[1]) / size]

    exact = solve_ivp(rates, (0.0, 0.12), [2.0, 60.0], rtol=1e-10, atol=1e-12).y[:, -1]
    assert exact[0] > 0.5
    assert (slip[-1], spin[-1]) == pytest.approx(exact, rel=2e-3)


def test_a_round_patch_of_uniform_pressure_is_near_the_one_cone():
    """With ``b = 2/3 mu R`` its force and moment are within 0.9 to 1.0 of the ellipsoid."""
    radius = np.sqrt((np.arange(400) + 0.5) / 400.0)  # equal areas, R = 1
    angle = 2.0 * np.pi * (np.arange(400) + 0.5) / 400.0
    x, y = np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))
    sizes = []
    for turn in np.linspace(0.0, 20.0, 81):  # w R / v
        u, v = 1.0 - turn * y, turn * x
        speed = np.hypot(u, v)
        force = (u / speed).mean()
        moment = ((x * v - y * u) / speed).mean() / (2.0 / 3.0)
        sizes.append(np.hypot(force, moment))
        if turn == 1.0:
            # Of its friction, and of the moment about its normal where it spins in place.
            assert (force, moment) == pytest.approx((0.85, 0.42), abs=0.01)
    assert min(sizes) > 0.9
    assert max(sizes) < 1.0 + 1e-3


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.8])
def test_a_bounce_takes_b_times_its_impulse_from_the_spin(phase):
    """``I (w+ - w-) = -b m (1 + e) |v_n|``, wherever in the step the ball lands."""
    e, b, height = 0.6, 0.002, 0.05
    speed = np.sqrt(2.0 * G * height)
    land = speed / G
    dt = land / (40.0 + phase)
    sim = spinning(
        20.0,
        simulation__time_step=dt,
        bodies__ball__torsional_friction=b,
        bodies__ball__restitution=e,
        world__terrain__restitution=e,
        bodies__ball__base_position=[0.0, 0.0, R + height],
    )
    sim.run(45.0 * dt)
    lost = b * (1.0 + e) * speed / (0.4 * R**2)
    assert 20.0 - sim.v[5] == pytest.approx(lost, rel=1e-4)


def test_moments_are_in_the_wrench_of_a_foot_and_one_call_makes_the_steps():
    b = 0.002
    sim = spinning(10.0, bodies__ball__torsional_friction=b)
    run = sim.run(0.05)
    assert not sim.stepper.program.python
    wrench = run.foot_wrench.values.reshape(len(run.time), 6)
    R_0 = run.contact_moment.values[10, 0]
    assert np.linalg.norm(wrench[10, 3:] - np.cross([0, 0, -R], wrench[10, :3])) == pytest.approx(
        np.linalg.norm(R_0), rel=1e-9
    )


def test_a_restored_run_goes_on_bit_for_bit():
    sim = spinning(
        10.0, bodies__ball__torsional_friction=0.002, bodies__ball__rolling_friction=0.001
    )
    first, again = two_ends(sim)
    assert (first == again).all()


def test_a_batch_has_the_bits_of_single_runs():
    spins = np.array([[0.0, 5.0, 20.0], [1.0, 0.0, 3.0], [0.0, 0.0, -8.0]])
    with footfall.Batch("ball/spinning", 3) as batch:
        v = batch.v.copy()
        v[:, 3:] = spins
        batch.reset(v=v)
        batch.step(substeps=200)
        for k, spin in enumerate(spins):
            sim = footfall.load("ball/spinning")
            sim.v[3:] = spin
            sim.observe_start()
            for _ in range(200):
                sim.step()
            assert (batch.v[k] == sim.v).all()


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "moreau_midpoint"])
def test_energy_is_booked_in_every_scheme_of_steps(integrator):
    run = footfall.load("ball/spinning", {"integrator.plugin": integrator}).run(1.0)
    energy = run.kinetic_energy + run.potential_energy
    booked = run.work - run.dissipated_energy + run.integration_energy_error
    assert np.allclose(energy - energy[0], booked, atol=1e-12)
    assert float(run.residual_natural_map.max()) < 1e-9


def test_lengths_of_both_sides_combine_as_coefficients_do_and_a_pair_goes_before():
    def slowed(**keys):
        sim = spinning(10.0, **keys)
        sim.step()
        sim.step()
        return (10.0 - sim.v[5]) / 2.0

    one = slowed(bodies__ball__torsional_friction=0.002)
    assert slowed(world__terrain__torsional_friction=0.002) == pytest.approx(one)
    both = {"bodies__ball__torsional_friction": 0.001, "world__terrain__torsional_friction": 0.003}
    assert slowed(**both) == pytest.approx(0.75 * one)
    pair = {'pairs__"ball/terrain"__torsional_friction': 0.004}
    assert slowed(**both, **pair) == pytest.approx(2.0 * one)
    own = {'bodies__ball__contacts__"*"__torsional_friction': 0.002}
    assert slowed(bodies__ball__torsional_friction=0.05, **own) == pytest.approx(one)


MOMENTS = "torsional and rolling friction"


@pytest.mark.parametrize("law", ["bisection", "lcp", "ccp", "compliant", "regularized"])
def test_laws_that_have_no_moments_refuse_them_by_name(law):
    told = f'"{law}" cannot do {MOMENTS}, needed because bodies.ball.rolling_friction'
    with pytest.raises(SceneError, match=f"{told} is 0.001 .*contact plugins that can: coulomb"):
        ball(contact__plugin=law, bodies__ball__rolling_friction=0.001)


def test_an_impact_model_without_moments_is_refused():
    with pytest.raises(SceneError, match=f'impact "restitution" cannot do {MOMENTS}'):
        ball(impact__plugin="restitution", bodies__ball__torsional_friction=0.001)


def test_a_ground_that_moves_refuses_them():
    keys = {"world__terrain__plugin": "moving", "bodies__ball__torsional_friction": 0.001}
    with pytest.raises(SceneError, match="moves, and its rotation is not known"):
        ball(**keys)
