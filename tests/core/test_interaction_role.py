"""A scene chooses how hands reach into it, among what is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import footfall
from footfall import assemble
from footfall.api.advanced import HandPlan, HandsWorld, Interaction, Variable
from footfall.api.plugin import Floats, PluginConfig, Tunable
from footfall.errors import PluginError, SceneError
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.load import load_scene
from footfall_stepper.simulation.simulator import StepperSimulator

MOUSE = {"hands.right.device.plugin": "mouse"}


class LiftConfig(PluginConfig):
    """How hard it lifts."""

    force: float = 3.0
    """Upwards, [N]."""


class Lift(Interaction):
    """Lifts the first link, as long as it is there."""

    name = "lift"
    Config = LiftConfig

    def __init__(self, hands: Sequence[HandPlan]) -> None:
        self.hands = tuple(hands)

    def connect(self, reach: HandsWorld) -> None:
        self.reach = reach
        reach.hold(len(self.hands))

    def begin(self, time: float) -> None:
        """It always acts."""

    def pull(self, dt: float) -> None:
        for hand in self.hands:
            assert isinstance(hand.settings, LiftConfig)
            wrench = np.array([0.0, 0.0, hand.settings.force, 0.0, 0.0, 0.0])
            self.reach.act(0, np.zeros(3), wrench, dt)

    def end(self, time: float, row: Floats) -> None:
        forces = [hand.settings.force for hand in self.hands]  # type: ignore[attr-defined]
        self.reach.layout.view(row, "lift")[:] = forces

    def variables(self, links: Sequence[str]) -> tuple[Variable, ...]:
        return (Variable("lift", ("hand",), (len(self.hands),), "N", f"of {links[0]}"),)

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"hand": tuple(hand.name for hand in self.hands)}


@pytest.fixture
def registry() -> Registry:
    found = discover()
    found.interaction.add("lift", lambda: Lift, summary="lifts")
    return found


def lifted(registry: Registry, **hand: object) -> StepperSimulator:
    keys = {f"hands.right.{key}": value for key, value in {"plugin": "lift", **hand}.items()}
    return assemble(load_scene("cube/drop", {**MOUSE, **keys}, registry), registry)


def test_an_interaction_of_somebody_else_acts_and_is_recorded(registry: Registry) -> None:
    sim, plain = lifted(registry, force=2.0), footfall.load("cube/drop")
    for one in (sim, plain):
        one.step()
    gained = float(np.linalg.norm(sim.v[:3] - plain.v[:3]))
    assert gained == pytest.approx(2.0 / sim.world.mass * sim.time_step, rel=1e-9)
    run = sim.run(0.01)
    np.testing.assert_array_equal(run.lift.sel(hand="right"), 2.0)
    resolved = sim.provenance.resolved
    assert resolved["scene"]["hands"]["right"]["plugin"] == "lift"
    assert resolved["plugins"]["hands.right"] == {"plugin": "lift"}


def test_its_settings_are_its_own(registry: Registry) -> None:
    with pytest.raises(SceneError, match=r"hands\.right\.stiffness.*unknown key"):
        lifted(registry, stiffness=1.0)


def test_what_the_default_stores_names_no_interaction() -> None:
    resolved = footfall.load("cube/drop", MOUSE).provenance.resolved
    assert "plugin" not in resolved["scene"]["hands"]["right"]
    assert [key for key in resolved["plugins"] if key.startswith("hands")] == ["hands.right.device"]


def test_all_hands_of_a_scene_need_the_same(registry: Registry) -> None:
    more = {"hands.left.device.plugin": "mouse", "hands.right.plugin": "lift"}
    with pytest.raises(SceneError, match=r"hands\.left.*plugin.*all hands"):
        load_scene("cube/drop", {**MOUSE, **more}, registry)
    with pytest.raises(SceneError, match="did you mean 'lift'"):
        lifted(registry, plugin="lft")


def test_a_grip_needs_an_interaction_and_a_run_without_hands_needs_none() -> None:
    found = discover()
    found.interaction = type(found.interaction)("interaction", found.interaction.base)
    sim = assemble(load_scene("cube/drop", {}, found), found)
    sim.record(0.002)
    assert sim.interaction is None
    with pytest.raises(PluginError, match='no interaction plugin "hands"'):
        sim.grab("cube")


def test_a_field_that_has_no_effect_is_not_offered() -> None:
    assert Tunable(0.0, 1.0).acts == ""
    given = {f"hands.right.{key}": 10.0 for key in ("stiffness", "force_limit")}
    offered = [one.path for one in footfall.load("cube/drop", {**MOUSE, **given}).tunables()]
    assert "hands.right.stiffness" in offered
    assert "hands.right.strength" not in offered
