"""How strong a hand is whose gains follow the weight of what it holds can be changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.errors import SceneError
from footfall.interfaces.input_device import LiveDevice, Reading
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall_hands.drag import LIFTS, SAG
from footfall_hands.touch import DEPTH
from footfall_stepper.simulation.simulator import StepperSimulator

PATH = "hands.mouse.strength"
MOUSE = {"hands.mouse.device.plugin": "mouse"}


def cube(**hand: Any) -> StepperSimulator:
    given = {f"hands.mouse.{key}": value for key, value in hand.items()}
    still = {"bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0]}
    return footfall.load("cube/sliding", {**MOUSE, **still, **given})


def put(sim: StepperSimulator, height: float, mode: Any = "drag") -> None:
    device = sim.hands["mouse"].device
    assert isinstance(device, LiveDevice)
    held = {"link": "cube", "point": np.zeros(3)} if mode == "drag" else {}
    device.put(Reading(True, np.array([0.0, 0.0, height]), mode=mode, **held))


def gains(sim: StepperSimulator) -> tuple[float, float]:
    """Stiffness, and damping, of the last step."""
    return tuple(float(sim.signal(f"hand_{name}")[0]) for name in ("stiffness", "damping"))  # type: ignore[return-value]


@pytest.mark.parametrize("strength", [0.5, 1.0, 4.0])
def test_stiffness_and_limit_are_that_many_times_those_of_the_weight(strength: float) -> None:
    sim = cube(strength=strength)
    weight = 9.81 * sim.world.mass
    put(sim, 0.06)
    sim.step()
    assert gains(sim)[0] == pytest.approx(strength * weight / SAG)
    put(sim, 0.06 + 0.9)
    sizes = []
    for _ in range(100):
        sim.step()
        sizes.append(float(np.linalg.norm(sim.hands["mouse"].status.force)))
    assert max(sizes) == pytest.approx(LIFTS * strength * weight)


def test_a_ball_is_as_much_stronger() -> None:
    sim = cube(strength=3.0)
    put(sim, 0.1 + 0.01 - 1e-3, "touch")
    sim.step()
    assert gains(sim)[0] == pytest.approx(3.0 * 9.81 * sim.world.mass / DEPTH)


def test_a_new_strength_counts_from_the_next_step_on_for_what_is_held() -> None:
    sim = cube()
    put(sim, 0.08)
    for _ in range(20):
        sim.step()
    stiffness, damping = gains(sim)
    sim.tune(PATH, 4.0)
    sim.step()
    np.testing.assert_allclose(gains(sim), (4.0 * stiffness, 2.0 * damping))
    assert sim.hands["mouse"].status.held == "cube/cube"


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ({}, True),
        ({"stiffness": 300.0}, True),
        ({"force_limit": 30.0}, True),
        ({"stiffness": 300.0, "force_limit": 30.0}, False),
    ],
)
def test_it_is_offered_where_it_acts(given: dict[str, float], offered: bool) -> None:
    sim = cube(**given)
    found = {one.path: one for one in sim.tunables()}
    assert (PATH in found) == offered
    if offered:
        assert (found[PATH].value, found[PATH].label) == (1.0, "hand mouse: strength")
    for name in ("stiffness", "force_limit"):
        assert (f"hands.mouse.{name}" in found) == (name in given)


def test_where_it_does_not_act_it_is_refused() -> None:
    with pytest.raises(SceneError, match="strength has no effect beside stiffness and force_limit"):
        cube(strength=2.0, stiffness=300.0, force_limit=30.0)


def test_it_is_recorded_and_part_of_a_saved_state(tmp_path: Path) -> None:
    sim = cube()
    sim.tune(PATH, 2.5)
    assert sim.run(0.002).attrs["tuned"] == [[0.0, PATH, 1.0, 2.5]]
    sim.save(tmp_path / "state")
    again = footfall.restore(tmp_path / "state")
    assert again.hands["mouse"].settings.strength == 2.5


@pytest.mark.parametrize("live", [True, False])
def test_a_scene_that_goes_on_from_a_state_has_what_was_tuned(tmp_path: Path, live: bool) -> None:
    """Also if that scene gives its hand itself, or its hand is moved by a script."""
    points = [{"time": t, "position": (0.0, 0.0, 0.1)} for t in (0.0, 1.0)]
    device = {"plugin": "mouse"} if live else {"plugin": "scripted", "waypoints": points}
    changes = {f"hands.mouse.device.{key}": value for key, value in device.items()}
    registry = discover()
    scene = load_scene("cube/sliding", changes)
    sim = footfall.assemble(scene, registry)
    sim.tune(PATH, 2.5)
    sim.tune("bodies.cube.friction", 0.1)
    sim.save(tmp_path / "state")
    again = footfall.restore(tmp_path / "state", registry, scene)
    assert again.hands["mouse"].settings.strength == 2.5
    assert [one.path for one in again.provenance.tuned] == [PATH, "bodies.cube.friction"]
