"""Continuous time: declared orders, tolerances, the rolling disc, events, energy, restoring."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import first

import footfall
from footfall.errors import SceneError, SimulationError, SolverError
from footfall.recording.reader import table_rows
from footfall_check.kit.bench import advance, free_body, simulator
from footfall_check.kit.integrator import COM, GRAVITY, INERTIA, MASS, START, spinning_body
from footfall_integrators.adaptive import DormandPrince, DormandPrinceConfig
from footfall_integrators.integrator import RungeKutta4, RungeKutta4Config

FILE = Path(__file__).parents[3] / "shared" / "reference" / "rolling_disc_traj.json"
ADAPTIVE = {"integrator.plugin": "dormand_prince", "simulation.time_step": 1e-3}
RK4 = {"integrator.plugin": "rk4", "simulation.time_step": 1e-4}
PAIRS = ("5(4)", "8(5,3)")


def spun(integrator, time_step):
    """Return the error of a spinning body, its centre of mass off its origin, after 0.1 s."""
    body = free_body("body", START, (), mass=MASS, com=COM, inertia=INERTIA)
    sim = simulator([body], integrator=integrator, gravity=GRAVITY, time_step=time_step)
    advance(sim, round(0.1 / time_step))
    R = Rotation.from_quat(sim.q[3:7])
    end = [sim.q[:3], R.as_matrix().ravel(), R.apply(sim.v[:3]), R.apply(sim.v[3:])]
    return np.abs(np.concatenate(end) - spinning_body(0.1, 4000)).max()


@pytest.mark.long
def test_rk4_is_of_fourth_order():
    errors = [spun(RungeKutta4(RungeKutta4Config()), dt) for dt in (1e-2, 5e-3, 2.5e-3)]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 4.0, atol=0.1)


@pytest.mark.parametrize("pair", first(*PAIRS))
def test_the_error_of_an_adaptive_pair_follows_its_tolerance(pair):
    for tolerance in (1e-6, 1e-8, 1e-10):
        config = DormandPrinceConfig(pair=pair, rtol=tolerance, atol=tolerance)
        assert spun(DormandPrince(config), 5e-2) <= 10.0 * tolerance


def spatial(sim):
    """Return the state as the reference has it: quaternion w first, spatial velocity at 0."""
    q, R = sim.q, Rotation.from_quat(sim.q[3:7])
    v, w = R.apply(sim.v[:3]), R.apply(sim.v[3:])
    return np.concatenate([q[[6, 3, 4, 5]], q[:3], w, v - np.cross(w, q[:3])])


@pytest.mark.skipif(not FILE.is_file(), reason="needs ../shared/reference, which is not copied")
def test_the_rolling_disc_follows_the_reference_at_every_sample():
    """Featherstone's example 7 at the default tolerances, 1.5 s, 301 samples."""
    reference = np.array(json.loads(FILE.read_text())["x"])
    sim = footfall.load("disc/rolling", ADAPTIVE)
    for expected in reference:
        found = spatial(sim)
        found[:4] *= np.sign(found[:4] @ expected[:4])
        np.testing.assert_allclose(found, expected, atol=1e-4, rtol=0.0)
        advance(sim, 5)


def test_the_energy_of_the_disc_never_rises_and_the_balance_closes():
    run = footfall.load("disc/rolling", ADAPTIVE).run(0.5)
    held = run.kinetic_energy + run.potential_energy + run.elastic_energy
    balance = held + run.dissipated_energy - run.work - run.integration_energy_error
    assert float(run.elastic_energy.max()) > 0.01
    assert float(np.abs(balance - balance[0]).max()) <= 1e-12
    assert float(held.diff("time").max()) <= 1e-9
    assert abs(float(run.integration_energy_error[-1])) <= 1e-9


def test_events_follow_each_other_and_lie_in_their_rows():
    run = footfall.load("disc/rolling", ADAPTIVE).run(0.5)
    assert run.sizes["events_row"] > 10
    mode = np.zeros(run.sizes["contact"], int)
    for k in range(run.sizes["time"]):
        rows = table_rows(run, "events", k)
        for t, c, before, after in zip(
            *(rows[f"events_{name}"].values for name in ("time", "contact", "from", "to")),
            strict=True,
        ):
            assert float(run.time[k]) <= t <= float(run.time[k]) + 1.001e-3
            assert mode[c] == before != after
            mode[c] = after


def test_a_point_touches_when_its_fall_ends():
    """The disc's lowest points fall 0.05 m from rest; they are level to rounding."""
    sim = footfall.load("disc/rolling", ADAPTIVE)
    while not sim.stepper.events:
        sim.step()
    time, _, before, _ = sim.stepper.events[0]
    assert before == 0
    assert time == pytest.approx(np.sqrt(2.0 * 0.05 / 9.81), abs=3e-10)


@pytest.mark.parametrize(
    "settings", first(*[ADAPTIVE | {"integrator.pair": pair} for pair in PAIRS] + [RK4])
)
def test_a_restored_run_goes_on_bit_for_bit_in_contact(settings, tmp_path):
    steps = round(0.35 / settings["simulation.time_step"])
    whole, again = (footfall.load("disc/rolling", settings) for _ in range(2))
    advance(whole, steps)
    assert whole.state["touching"].any()
    whole.save(tmp_path / "state")
    advance(whole, steps)
    again.resume(tmp_path / "state")
    advance(again, steps)
    assert whole.state.vector.tobytes() == again.state.vector.tobytes()


def test_steps_that_are_too_long_for_the_ground_end_the_run():
    """iCub on the compliant ground's default stiffness: 1 ms is too long for a fixed step."""
    settings = {"contact.plugin": "compliant", "integrator.plugin": "rk4"}
    sim = footfall.load("icub/standing", settings)
    with pytest.raises(
        SimulationError, match=r"step \d+, t = .*not finite.*too long for the forces"
    ):
        sim.record(1.0)
    assert np.isfinite(sim.state.vector).all()


def test_a_law_that_refuses_what_is_not_finite_is_not_where_that_comes_from(monkeypatch):
    """Which of an inner step's evaluations overflows first depends on roundings."""
    settings = {"contact.plugin": "compliant", "integrator.plugin": "rk4"}
    sim = footfall.load("pendulum/swing", settings)

    def refuse(*arguments):
        sim.stepper.world.dynamics.h[0] = np.inf
        raise SolverError("the contact problem holds values that are not finite")

    monkeypatch.setattr(sim.stepper.integrator, "step", refuse)
    with pytest.raises(SimulationError, match=r"bias force h.*too long for the forces"):
        sim.step()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "contact plugins that fit: .*compliant.*integrators that fit this law: .*euler"),
        ({"contact.plugin": "gauss"}, "supports no impacts"),
        (
            {"contact.plugin": "compliant", "simulation.impact_order": "before_contact"},
            "has no effect",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(settings, says):
    with pytest.raises(SceneError, match=says):
        footfall.load("cube/drop", {"integrator.plugin": "rk4"} | settings)
