"""Postures on one leg, and other numbers of feet."""

import numpy as np
import pytest
from tests.cases import first
from tests.robot_packages import need_package

import footfall

LEFT, RIGHT = slice(0, 4), slice(4, 8)


@pytest.fixture(scope="module")
def yoga():
    need_package("icub/yoga")
    sim = footfall.load("icub/yoga")
    return sim, sim.run()


@pytest.mark.parametrize(
    ("time", "moved"),
    first(
        (9.9, (-0.14, -0.02, 0.1)), (13.9, (0.0, -0.08, 0.08)), (17.9, (0.1, -0.02, 0.1)), names=2
    ),
)
def test_the_free_foot_is_where_the_schedule_wants_it(yoga, time, moved):
    """Within a centimetre: the frame of its sole, from where it stood; the foot may turn."""
    sim, run = yoga
    signals, kept, places = sim.signals("icub"), sim.q.copy(), []
    for row in (0, round(1e3 * time)):
        sim.q[:] = run.q.values[row]
        places.append(signals.feet["r_sole"].pose[:3, 3].copy())
    sim.q[:] = kept
    np.testing.assert_allclose(places[1] - places[0], moved, atol=0.01)


def test_one_leg_carries_alone_for_fifteen_seconds(yoga):
    _, run = yoga
    alone = slice(5000, 20400)
    assert run.gap.values[alone, RIGHT].min() > 0.015
    assert np.abs(run.gap.values[:, LEFT]).max() < 1e-4
    moved = run.contact_position.values[:, LEFT, :2] - run.contact_position.values[0, LEFT, :2]
    assert np.abs(moved).max() < 1e-3


def test_it_ends_on_both_feet(yoga):
    _, run = yoga
    assert np.abs(run.gap.values[-1]).max() < 1e-4
    assert np.abs(run.v.values[-1]).max() < 0.02


def test_joints_and_motors_keep_within_their_limits(yoga):
    sim, run = yoga
    model = sim.world.bodies[0].model
    s, tau = run.q.values[:, 7:], run.tau.values[:, 6:]
    assert (s >= model.position_lower).all()
    assert (s <= model.position_upper).all()
    assert (np.abs(tau).max(axis=0) <= model.effort_limit * (1.0 + 1e-9)).all()


FEET = ["fl_foot", "fr_foot", "rl_foot", "rr_foot"]
THREE = dict.fromkeys(FEET[1:], 1.0)
PHASES = [
    {"start": 0.0, "feet": FEET},
    {"start": 0.5, "feet": FEET, "over": THREE, "transition": 1.0},
    {"start": 1.7, "feet": FEET[1:], "lift": {"fl_foot": [0.0, 0.0, 0.06]}, "transition": 0.6},
    {"start": 4.0, "feet": FEET[1:], "transition": 0.6},
    {"start": 4.8, "feet": FEET, "transition": 1.0},
]


@pytest.mark.parametrize("degrees", first(90, 0, 180, 270))
def test_a_quadruped_balances_on_three_points(degrees):
    """Pushed with 10 N for 0.2 s on four feet and on three."""
    along = [10.0 * np.cos(np.radians(degrees)), 10.0 * np.sin(np.radians(degrees)), 0.0]
    pushes = [{"link": "trunk", "force": along, "start": at, "duration": 0.2} for at in (0.2, 3.0)]
    controller = {"plugin": "momentum_balance", "rate": 200.0, "phases": PHASES}
    settings = {"bodies.quadruped.controller": controller, "pushes": pushes}
    run = footfall.load("quadruped/standing", settings).run(6.5)
    gap = run.gap.values
    assert gap[2500:4000, 0].min() > 0.05
    assert np.abs(gap[:, 1:]).max() < 2e-3
    assert np.abs(gap[-1]).max() < 1e-4
    assert np.abs(run.v.values[-1]).max() < 0.02
