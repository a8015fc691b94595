"""Steps that are split at impacts: exact times, exact books, no side effects."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import G, ball, box, simulator, steps, world_velocity

import footfall
from footfall.api.advanced import DelassusMethod
from footfall_stepper.world.step_arrays import RunSum, StepFigure

E_PAIR = 0.6


def bounced(t, h, e):
    """Return height and velocity at a time t after the release from h, before a second impact."""
    fall = np.sqrt(2.0 * h / G)
    if t < fall:
        return h - 0.5 * G * t * t, -G * t
    rise, up = t - fall, e * G * fall
    return up * rise - 0.5 * G * rise * rise, up - G * rise


@each("h", [0.1, 0.1003, 0.10071, 0.1234])
@each("dt", [1e-3, 3e-3])
def test_the_flight_after_an_impact_is_exact_wherever_it_falls_in_the_step(h, dt):
    """Two parabolas that meet at the instant of the impact: to rounding, not to the step."""
    sim = simulator(ball().at((0, 0, 0.1 + h)), e=E_PAIR, dt=dt)
    fall = np.sqrt(2.0 * h / G)
    for _ in range(int(fall * (1.0 + 1.5 * E_PAIR) / dt)):
        sim.step()
        z, v = bounced(sim.time, h, E_PAIR)
        assert sim.q[2] - 0.1 == pytest.approx(z, abs=1e-11)
        assert sim.v[2] == pytest.approx(v, abs=1e-10)


def test_impacts_at_different_times_of_one_step_are_separate():
    """Three balls that land 0.2 ms apart: each as if it were alone."""
    heights = 0.2 + np.array([0.0, 4e-4, 8e-4])
    sim = simulator(
        [ball().at((k, 0, 0.1 + h), name=f"b{k}") for k, h in enumerate(heights)], e=E_PAIR
    )
    splits = 0
    for _ in range(250):
        sim.step()
        splits = max(splits, int(sim.stepper.monitor.step[StepFigure.SPLITS]))
    assert splits >= 2
    for k, h in enumerate(heights):
        z, v = bounced(sim.time, h, E_PAIR)
        assert sim.q[7 * k + 2] - 0.1 == pytest.approx(z, abs=1e-10)
        assert sim.v[6 * k + 2] == pytest.approx(v, abs=1e-9)


def test_a_split_step_of_one_body_leaves_the_others_on_their_way():
    """A box that slides while a ball bounces stops where it would have stopped alone."""
    sliding = box(1.0, (0.2, 0.2, 0.04)).at((0, 5, 0.02), linear=(1, 0, 0), name="box")
    both = simulator([ball().at((0, 0, 0.3), name="ball"), sliding], e=E_PAIR)
    alone = simulator(sliding, e=E_PAIR)
    for sim in (both, alone):
        steps(sim, 300)
    at = both.world.q_slice(both.world.index("box"))
    # A split step moves it in two parts: 1/4 a dt^2 further, at most, in each of some ten.
    np.testing.assert_allclose(both.q[at][:3], alone.q[:3], atol=10 * 0.25 * 4.9 * 1e-6)
    assert np.abs(world_velocity(both, both.world.index("box"))).max() < 1e-9


def test_the_recorded_impulse_of_a_split_step_is_that_of_the_whole_step():
    """``m (v+ - v) + m g dt = r``, with the impact and the weight in it."""
    sim = simulator(ball(2.0).at((0, 0, 0.15)), e=E_PAIR)
    for _ in range(300):
        v = sim.v[2]
        sim.step()
        expected = 2.0 * (sim.v[2] - v + G * sim.time_step)
        assert sim.signal("impulse")[0, 2] == pytest.approx(expected, abs=1e-12)
        force = sim.signal("contact_force")[0, 2]
        assert force == pytest.approx(expected / sim.time_step, abs=1e-9)


def test_impacts_up_to_the_threshold_are_inelastic():
    for speed, returns in ((0.9e-2, False), (1.1e-2, True)):
        sim = simulator(ball().at((0, 0, 0.1), linear=(0, 0, -speed)), e=1.0, gravity=np.zeros(3))
        sim.q[2] += 0.5 * speed * sim.time_step
        steps(sim, 3)
        assert (sim.v[2] > 0.5 * speed) == returns
        assert sim.v[2] >= 0.0


def test_nothing_is_split_where_that_is_asked_for():
    for most in (4, 0):
        tilted = box().at((0, 0, 0.3), (0.1, 0.2, 0, np.sqrt(0.95)))
        sim = simulator(tilted, max_impact_splits=most)
        steps(sim, 600)
        assert bool(sim.stepper.monitor.run[RunSum.IMPACTS]) == bool(most)
        assert bool(sim.stepper.monitor.run[RunSum.SPLITS]) == bool(most)


@pytest.mark.parametrize("restitution", [0.2, 0.8])
def test_a_humanoid_that_bounces_gains_no_energy(restitution):
    """Articulated impacts with implicit gains: energy falls, but for what the motors do."""
    sim = footfall.load(
        "humanoid/drop",
        {
            "world.terrain.restitution": restitution,
            "bodies.humanoid.controller": {"plugin": "zero"},
        },
    )
    sim.stepper.world.joints.damping[:] = 0.0
    report = sim.record(0.4)
    assert report.impacts > 0
    assert report.work == 0.0
    assert report.energy_end < report.energy_start + abs(report.integration_error)
    assert report.dissipated > 0.0
    assert report.natural_map_worst <= 1e-5


def test_the_order_of_the_parts_of_a_step_does_not_depend_on_the_recorder(tmp_path):
    """Splits and their counters are the same with and without a recording."""
    reports, states = [], []
    for output in (None, tmp_path / "run.zarr"):
        sim = simulator(ball().at((0, 0, 0.3)), e=E_PAIR)
        reports.append(sim.record(1.0, output))
        states.append(sim.state.vector.tobytes())
    assert states[0] == states[1]
    assert (reports[0].impacts, reports[0].splits) == (reports[1].impacts, reports[1].splits)
    assert reports[0].impacts > 5


@pytest.mark.parametrize(
    ("contact", "order"),
    [
        ("gauss", "before_contact"),
        ("gauss", "after_contact"),
        ("gauss_discrete", "before_contact"),
    ],
)
def test_an_inelastic_impact_stops_a_landing_cube(contact, order):
    """In both orders of impact and forces: velocities of touching points are zero after it."""
    sim = footfall.load(
        "cube/drop",
        {
            "contact.plugin": contact,
            "impact.plugin": "inelastic",
            "simulation.impact_order": order,
            "bodies.cube.base_position": [0.0, 0.0, 0.0521],
            "bodies.cube.base_orientation": [0.0, 0.0, 0.0],
            "bodies.cube.base_linear_velocity": [0.3, 0.0, -1.0],
            "bodies.cube.base_angular_velocity": [0.0, 0.0, 0.0],
        },
    )
    landed = 0.0
    while landed == 0.0:
        sim.step()
        landed = float(sim.signal("impacts"))
        assert sim.time < 0.02
    # What forces add in the step of the impact: at most a step of gravity.
    assert np.abs(world_velocity(sim)).max() < 2.0 * G * sim.time_step


class Watched(DelassusMethod):
    """The step's own method, which notes what is made."""

    name, made = "watched", []

    def __init__(self, table):
        """Need nothing."""

    def after_settling(self, settle, tree):
        return lambda dt: (self.made.append("velocity"), settle(dt))[1]

    def after_building(self, build):
        return lambda *given: (self.made.append("matrix"), build(*given))[1]


@each("height, parts", [(0.1, 1), (5e-4, 3)])
def test_only_parts_that_are_made_and_impacts_have_a_matrix(height, parts):
    """A ball at 1 m/s lands after 0.5 ms: before, impact, rest; the whole step only looks ahead."""
    falling = ball().at((0, 0, 0.1 + height), linear=(0, 0, -1.0))
    sim = simulator(falling, settings={"delassus": Watched})
    Watched.made.clear()
    sim.step()
    looks = ["velocity"] if parts > 1 else []
    assert Watched.made == [*looks, *["velocity", "matrix"] * parts]
