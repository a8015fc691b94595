"""What a live run compiles before anybody sees it."""

import numpy as np

import footfall
from footfall_hands.live_run import warm_up
from footfall_stepper.kernels.dynamics.point_mobility import point_mobility


def test_the_hand_is_compiled_before_it_holds_anything_and_the_run_stays_as_it_was():
    sim = footfall.load("cube/sliding")
    point_mobility.entries.clear()
    plain = footfall.load("cube/sliding")
    warm_up(sim)
    assert point_mobility.entries
    assert sim.time == 0.0
    np.testing.assert_array_equal(sim.step(), plain.step())


def test_devices_are_left_alone(monkeypatch):
    opened = []
    sim = footfall.load("cube/drop", {"hands.mouse.device.plugin": "mouse"})
    device = sim.hands["mouse"].device
    monkeypatch.setattr(type(device), "open", lambda self: opened.append(self))
    warm_up(sim)
    assert opened == []


def test_what_cannot_be_made_again_is_left_to_the_run():
    sim = footfall.load("cube/drop")
    sim.provenance.resolved["scene"]["bodies"]["cube"]["robot"] = "no such robot"
    warm_up(sim)
    sim.step()
    assert sim.time > 0.0
