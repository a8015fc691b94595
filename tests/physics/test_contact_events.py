"""The instants at which a point touches, leaves, begins to slip or to stick, by closed forms."""

import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.physics.composed import G, Shape, points, rigid_model, simulator

import footfall
from footfall.errors import RecordingError
from footfall.recording.reader import open_run, table_rows
from footfall_compliant.contact import Compliant, CompliantConfig
from footfall_integrators.adaptive import DormandPrince, DormandPrinceConfig
from footfall_integrators.integrator import RungeKutta4, RungeKutta4Config
from footfall_small_laws.regularized import Regularized, RegularizedConfig

OPEN, STICK, SLIP = range(3)
MU, DT = 0.5, 5e-3
SLED = Shape(
    rigid_model(1.0, (0.01, 0.01, 0.02)),
    points([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]),
)
"""Four points at the height of the mass centre: friction does not tip it."""
POINT = Shape(rigid_model(1.0, (0.01, 0.01, 0.01)), points([(0.0, 0.0, 0.0)]))
SCHEMES = {
    "rk4": (lambda: RungeKutta4(RungeKutta4Config(substeps=50)), 1e-7),
    "5(4)": (lambda: DormandPrince(DormandPrinceConfig(pair="5(4)", rtol=1e-10)), 1e-9),
    "8(5,3)": (lambda: DormandPrince(DormandPrinceConfig(rtol=1e-10)), 1e-9),
}
"""Integrators, and how far off an event may be: the width of its interval and the scheme's error.

0.1 ms is a twentieth of the ground's time constant: (1/20)^4 of it, 1e-8 s, and as much again."""


@pytest.fixture(params=SCHEMES)
def scheme(request):
    """Return an integrator and the accuracy of its events, [s]."""
    make, accuracy = SCHEMES[request.param]
    return make(), accuracy


def soft(**settings):
    return Regularized(RegularizedConfig(**settings))


def events_of(body, law, integrator, duration, gravity=(0.0, 0.0, -G)):
    """Return all events, in order."""
    sim = simulator(body, law=law, integrator=integrator, gravity=gravity, mu=MU, dt=DT)
    found = []
    for _ in range(round(duration / DT)):
        sim.step()
        found += sim.stepper.events
    assert [event.time for event in found] == sorted(event.time for event in found)
    return found


def first(events, before, after):
    """Return the times of each point's first event of a kind."""
    times = {}
    for event in events:
        if (event.before, event.after) == (before, after):
            times.setdefault(event.contact, event.time)
    return np.array(list(times.values()))


@pytest.mark.parametrize("height", [1e-3, 0.3])
def test_a_point_touches_after_the_time_of_its_fall(scheme, height):
    """``sqrt(2 h / g)``"""
    integrator, accuracy = scheme
    fall = np.sqrt(2.0 * height / G)
    events = events_of(POINT.at((0, 0, height)), soft(), integrator, fall + DT)
    assert (events[0].before, events[0].contact) == (OPEN, 0)
    assert events[0].time == pytest.approx(fall, abs=accuracy)


def test_a_point_leaves_when_its_damper_would_pull(scheme):
    """``m z'' = -k z - d z'`` without weight, from z = 0 at -w; it leaves at ``k z + d z' = 0``.

    ``z = -w/s e^(-c t) sin(s t)`` with ``c = d / 2 m`` and ``s^2 = k/m - c^2``.
    """
    integrator, accuracy = scheme
    k, d, w = 2e4, 50.0, 1.0
    c = 0.5 * d
    s = np.sqrt(k - c * c)

    def pulls(t):
        z = -w / s * np.exp(-c * t) * np.sin(s * t)
        speed = -w / s * np.exp(-c * t) * (s * np.cos(s * t) - c * np.sin(s * t))
        return k * z + d * speed

    start = 0.01
    expected = start / w + brentq(pulls, 0.5 * np.pi / s, np.pi / s, xtol=1e-14)
    body = POINT.at((0, 0, start), linear=(0, 0, -w))
    law = soft(stiffness=k, damping=d)
    events = events_of(body, law, integrator, expected + DT, gravity=(0.0, 0.0, 0.0))
    assert [(e.before == OPEN, e.after == OPEN) for e in events] == [(True, False), (False, True)]
    assert events[1].time == pytest.approx(expected, abs=accuracy)


def test_what_slides_sticks_when_friction_has_stopped_it(scheme):
    """``(v0 - v_s) / (mu g)`` with friction regularised below v_s."""
    integrator, accuracy = scheme
    law, v0 = soft(), 0.4
    body = SLED.at((0, 0, -law.rest_depth(G / 4)), linear=(v0, 0, 0))
    times = first(events_of(body, law, integrator, 0.1), SLIP, STICK)
    assert len(times) == 4
    np.testing.assert_allclose(times, (v0 - law.config.slip_speed) / (MU * G), atol=accuracy)


def test_the_compliant_ground_sticks_when_the_slip_is_over(scheme):
    """``v0 / (mu g)``: the deformation has come to ``mu f_n / (K sqrt(d))`` long before."""
    integrator, accuracy = scheme
    law, v0 = Compliant(CompliantConfig()), 0.4
    body = SLED.at((0, 0, -law.rest_depth(G / 4)), linear=(v0, 0, 0))
    times = first(events_of(body, law, integrator, 0.1), SLIP, STICK)
    assert len(times) == 4
    np.testing.assert_allclose(times, v0 / (MU * G), atol=10 * accuracy)


def test_what_is_pulled_slips_when_it_creeps_fast_enough(scheme):
    """``v' = F/m - mu g v / v_s`` from rest: v_s is at ``-v_s / (mu g) ln(1 - mu m g / F)``."""
    integrator, accuracy = scheme
    law, pull = soft(), 1.5 * MU * G
    body = SLED.at((0, 0, -law.rest_depth(G / 4)))
    events = events_of(body, law, integrator, 2 * DT, gravity=(pull, 0.0, -G))
    expected = -law.config.slip_speed / (MU * G) * np.log(1.0 - MU * G / pull)
    times = first(events, STICK, SLIP)
    assert len(times) == 4
    np.testing.assert_allclose(times, expected, atol=accuracy)


def test_a_recording_holds_the_events_in_the_rows_they_belong_to(tmp_path):
    law = soft()
    body = SLED.at((0, 0, 0.01), linear=(0.4, 0, 0))
    sims = [
        simulator(body, law=law, integrator=SCHEMES["5(4)"][0](), mu=MU, dt=DT) for _ in range(2)
    ]
    run, told = sims[0].run(0.2, tmp_path / "run"), []
    for k in range(40):
        sims[1].step()
        rows = table_rows(run, "events", k)
        told += sims[1].stepper.events
        assert rows["events_time"].values.tolist() == [e.time for e in sims[1].stepper.events]
        assert rows["events_to"].values.tolist() == [e.after for e in sims[1].stepper.events]
    assert {(e.before, e.after) for e in told} >= {(OPEN, SLIP), (SLIP, STICK)}


ENDLESS = """
import sys
import footfall
import footfall.recording.writer as writer
writer.COMMIT_INTERVAL = 0.002
print("go", flush=True)
footfall.load("disc/rolling", {"simulation.time_step": 1e-3}).record(100.0, sys.argv[1])
"""


@pytest.mark.long
def test_a_killed_run_keeps_its_events_up_to_its_last_row(tmp_path):
    path = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"go\n"
        while rows_of(path) < 150:
            assert p.poll() is None
            time.sleep(0.05)
        p.kill()
    run = open_run(path)
    assert run.attrs["recording_closed"] == 0
    whole = footfall.load("disc/rolling", {"simulation.time_step": 1e-3})
    events = 0
    for k in range(run.sizes["time"]):
        whole.step()
        expected, rows = whole.stepper.events, table_rows(run, "events", k)
        assert rows["events_time"].values.tolist() == [event.time for event in expected]
        assert rows["events_contact"].values.tolist() == [event.contact for event in expected]
        events += len(expected)
    assert events == run.sizes["events_row"] > 0


def rows_of(path):
    """Return the rows that can be read, 0 while there is no recording."""
    try:
        return int(open_run(path).sizes["time"])
    except RecordingError:
        return 0


class Flicker(Regularized):
    """Goes over between stick and slip with each tenth of a micrometre of its way."""

    name = "flicker"

    def switching(self, problem, state, out):
        """Overwrite ``out``: always in contact."""
        out[problem.candidate, 0] = 1.0
        out[problem.candidate, 1] = np.sin(problem.gap / 1e-7 * np.pi)


def flickering(integrator):
    """Return a point that falls through 1e5 changes of mode a tick."""
    body = POINT.at((0, 0, 5e-4), linear=(0, 0, -2.0))
    law = Flicker(RegularizedConfig())
    return simulator(body, law=law, integrator=integrator, mu=MU, dt=DT)


def test_a_tick_is_stopped_at_200_events_and_the_rest_told_at_the_ends_of_steps():
    sim = flickering(RungeKutta4(RungeKutta4Config(substeps=500)))
    sim.step()
    steps, evaluations, told = sim.stepper.inner
    times = np.array([event.time for event in sim.stepper.events])
    assert told == len(times) > 250
    assert (np.diff(times) >= 0.0).all()
    assert 500 < steps <= 500 + 200
    assert evaluations < 60 * steps
    # Behind the last stop, events lie where steps end: 10 us apart, but for the rest of the tick.
    steps_apart = np.diff(times[-20:-1]) / 1e-5
    np.testing.assert_allclose(steps_apart, np.round(steps_apart), atol=1e-6)
    assert np.isfinite(sim.q).all()


@pytest.mark.parametrize("pair", ["5(4)", "8(5,3)"])
def test_contacts_that_chatter_do_not_hold_an_adaptive_tick_up(pair):
    sim = flickering(SCHEMES[pair][0]())
    for k in range(1, 5):
        sim.step()
        assert sim.stepper.inner[0] <= 300 * k
    assert sim.stepper.inner[2] > 50
    assert np.isfinite(sim.q).all()
