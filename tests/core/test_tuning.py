"""Settings that change while a simulation runs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.config.toml import parse_key
from footfall.errors import SceneError, SimulationError
from footfall.interfaces.plugin import Plugin, PluginConfig, Tunable
from footfall.registry.discover import discover
from footfall.scene.load import scene_from_dict
from footfall.testing.declarations import plugin_mistakes
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.simulation.tuning import MOST_NOTED

BOX = {"type": "box", "size": [0.2, 0.2, 0.1]}


def scene(**more: Any) -> dict[str, Any]:
    """A box that slides on another, with friction of sides, of a pair and of the ground."""
    return {
        "simulation": {"duration": 1.0},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {
            "below": {"shape": BOX, "base_position": [0, 0, 0.05], "friction": 0.5},
            "above": {
                "shape": BOX,
                "base_position": [0, 0, 0.15],
                "base_linear_velocity": [0.5, 0.0, 0.0],
                "friction": 0.5,
            },
            "beside": {
                "shape": BOX,
                "base_position": [0, 1, 0.05],
                "base_linear_velocity": [0.5, 0.0, 0.0],
                "friction": 0.5,
            },
        },
        **more,
    }


def boxes(**more: Any) -> StepperSimulator:
    return footfall.assemble(scene_from_dict(scene(**more)))


def steps(sim: StepperSimulator, n: int) -> StepperSimulator:
    for _ in range(n):
        sim.step()
    return sim


def value(sim: StepperSimulator, path: str) -> float:
    return {one.path: one.value for one in sim.tunables()}[path]


def given_from_the_start(sim: StepperSimulator, path: str, new: float) -> StepperSimulator:
    """A simulator of the same scene with another value, in the state that ``sim`` is in."""
    tables = copy.deepcopy(dict(sim.provenance.resolved["scene"]))
    keys = parse_key(path)
    table = tables
    for key in keys[:-1]:
        table = table[key]
    table[keys[-1]] = new
    other = footfall.assemble(scene_from_dict(tables))
    other.state.restore(sim.state)
    return other


PAIRS = {"above/below": {"friction": 0.4}, "beside/terrain": {"friction": 0.3}}
CASES: list[tuple[dict[str, Any], str, float]] = [
    ({}, "bodies.above.friction", 0.1),
    ({}, "bodies.beside.friction", 1.5),
    ({}, "world.terrain.friction", 0.05),
    ({"collisions": {"ground": "shapes"}}, "world.terrain.friction", 0.05),
    ({"collisions": {"ground": "shapes"}}, "bodies.beside.friction", 0.05),
    ({"pairs": PAIRS}, 'pairs."above/below".friction', 0.01),
    ({"pairs": PAIRS}, 'pairs."beside/terrain".friction', 0.9),
    ({"contact": {"plugin": "compliant"}}, "contact.stiffness", 3e5),
    ({"contact": {"plugin": "compliant"}}, "contact.damping", 5e3),
    ({"contact": {"plugin": "regularized"}}, "contact.stiffness", 1e4),
    ({"contact": {"plugin": "regularized"}}, "contact.slip_speed", 0.1),
    (
        {"world": {"terrain": {"plugin": "steps", "friction": 0.5}}},
        "world.terrain.friction",
        0.05,
    ),
]


@pytest.mark.parametrize(("more", "path", "new"), first(*CASES, runs=3, names=3))
def test_a_tuned_run_moves_as_one_that_was_given_the_value(
    more: dict[str, Any], path: str, new: float
) -> None:
    sim = steps(boxes(**more), 50)
    plain = steps(boxes(**more), 50)
    other = given_from_the_start(sim, path, new)
    sim.tune(path, new)
    assert value(sim, path) == new
    for one in (sim, other, plain):
        steps(one, 100)
    assert sim.q.tobytes() == other.q.tobytes()
    assert sim.v.tobytes() == other.v.tobytes()
    assert np.abs(sim.q - plain.q).max() > 1e-6  # it does something


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("bodies.pendulum.controller.stiffness", 5.0),
        ("bodies.pendulum.controller.damping", 3.0),
    ],
)
def test_gains_act_from_the_next_step_on(path: str, new: float) -> None:
    tables = {
        "simulation": {"duration": 1.0},
        "bodies": {
            "pendulum": {
                "robot": "rrbot",
                "controller": {"plugin": "posture", "stiffness": 50.0, "damping": 1.0},
            }
        },
    }
    sim = steps(footfall.assemble(scene_from_dict(tables)), 20)
    other = given_from_the_start(sim, path, new)
    sim.tune(path, new)
    steps(sim, 50)
    steps(other, 50)
    assert sim.q.tobytes() == other.q.tobytes()


def test_what_is_tunable_is_listed_with_unit_range_and_label() -> None:
    sim = boxes(contact={"plugin": "compliant"})
    found = {one.path: one for one in sim.tunables()}
    stiffness = found["contact.stiffness"]
    assert (stiffness.value, stiffness.unit) == (1e6, "N/m^1.5")
    assert stiffness.logarithmic
    assert stiffness.low < stiffness.value < stiffness.high
    assert stiffness.label == "compliant: stiffness"
    assert found["bodies.above.friction"].unit == "-"
    assert found["world.terrain.friction"].label == "ground: friction"


def test_numbers_of_a_table_are_tuned_one_by_one() -> None:
    """Gains by pattern, every joint's posture, every point's friction; kept by what is saved."""
    base = "bodies.humanoid.controller"
    new = {f'{base}.stiffness."*_knee"': 500.0, f"{base}.target.l_knee": 0.6}
    new['bodies.humanoid.contacts."l_sole/0".friction'] = 0.2
    sim = footfall.load("humanoid/standing")
    starts = {one.path: one.value for one in sim.tunables()}
    assert starts[f"{base}.target.l_knee"] == pytest.approx(sim.q[7 + joint_of(sim, "l_knee")])
    for path, number in new.items():
        sim.tune(path, number)
    told = {one.path: (one.value, one.start) for one in sim.tunables()}
    assert {path: told[path] for path in new} == {p: (v, starts[p]) for p, v in new.items()}
    untouched = {path for path, (now, start) in told.items() if now == start}
    assert untouched == set(starts) - set(new)
    # What was tuned is as if the scene had said so.
    said = {f"{base}.stiffness": {**gains_of(sim)["stiffness"]}, f"{base}.target.l_knee": 0.6}
    said["bodies.humanoid.contacts"] = {"l_sole/0": {"friction": 0.2}}
    other = steps(footfall.load("humanoid/standing", said), 30)
    assert steps(sim, 30).q.tobytes() == other.q.tobytes()
    fresh = steps(footfall.load("humanoid/standing"), 30)
    assert not np.array_equal(fresh.q, other.q)


def joint_of(sim: StepperSimulator, name: str) -> int:
    return sim.world.bodies[0].model.joint_names.index(name)


def gains_of(sim: StepperSimulator) -> Any:
    return sim.provenance.resolved["scene"]["bodies"]["humanoid"]["controller"]


def test_friction_of_a_body_leaves_points_that_have_their_own() -> None:
    sim = footfall.load("quadruped/standing", {"bodies.quadruped.friction": 0.8})
    sim.tune('bodies.quadruped.contacts."fl_foot/0".friction', 0.3)
    sim.tune("bodies.quadruped.friction", 0.7)
    values = {one.path: one.value for one in sim.tunables()}
    points = {p: v for p, v in values.items() if p.startswith("bodies.quadruped.contacts")}
    assert sorted(points.values()) == [0.3, 0.7, 0.7, 0.7]


def test_what_the_table_gives_otherwise_is_not_offered() -> None:
    """Stiffness beside force and compression would be refused, so there is no slider for it."""
    law = {"plugin": "compliant", "force": 10.0, "compression": 1e-3}
    assert "contact.stiffness" not in {one.path for one in boxes(contact=law).tunables()}


@pytest.mark.parametrize(
    ("path", "new", "error", "said"),
    first(
        ("bodies.abov.friction", 1.0, SimulationError, "did you mean 'bodies.above.friction'"),
        ("simulation.time_step", 1e-4, SimulationError, "cannot be tuned"),
        ("bodies.above.friction", float("nan"), SimulationError, "finite number, got nan"),
        ("bodies.above.friction", True, SimulationError, "finite number, got True"),
        ("bodies.above.friction", -0.1, SceneError, r"bodies\.above\.friction: must be >= 0"),
        ("world.terrain.friction", -0.1, SceneError, r"world\.terrain\.friction: must be >= 0"),
        runs=2,
        names=4,
    ),
)
def test_bad_values_are_refused_and_change_nothing(
    path: str, new: float, error: type[Exception], said: str
) -> None:
    sim, plain = boxes(), boxes()
    with pytest.raises(error, match=said) as raised:
        sim.tune(path, new)
    assert "\n" not in str(raised.value)
    assert sim.provenance.resolved == plain.provenance.resolved
    assert not sim.provenance.tuned
    assert steps(sim, 50).q.tobytes() == steps(plain, 50).q.tobytes()


def test_a_recording_says_what_was_tuned_and_when(tmp_path: Path) -> None:
    sim = steps(boxes(), 10)
    sim.tune("bodies.above.friction", 0.2)
    sim.tune("bodies.above.friction", 0.1)
    steps(sim, 10)
    sim.tune("bodies.above.friction", 0.3)
    run = sim.run(0.01, tmp_path / "run.zarr")
    path = "bodies.above.friction"
    assert run.attrs["tuned"] == [[0.01, path, 0.5, 0.1], [0.02, path, 0.1, 0.3]]
    assert run.attrs["resolved_scene"]["scene"]["bodies"]["above"]["friction"] == 0.3


def test_a_tuned_state_goes_on_with_its_values(tmp_path: Path) -> None:
    sim = steps(boxes(contact={"plugin": "compliant"}), 20)
    sim.tune("contact.stiffness", 4e5)
    sim.tune("world.terrain.friction", 0.1)
    sim.save(tmp_path / "state")
    again = footfall.restore(tmp_path / "state")
    assert value(again, "contact.stiffness") == 4e5
    assert steps(again, 50).q.tobytes() == steps(sim, 50).q.tobytes()


def test_what_the_scene_had_left_out_is_in_a_tuned_state_too(tmp_path: Path) -> None:
    sim = footfall.load("cube/sliding")
    sim.tune("bodies.cube.friction", 0.1)
    sim.save(tmp_path / "state")
    again = footfall.restore(tmp_path / "state")
    assert steps(again, 50).q.tobytes() == steps(sim, 50).q.tobytes()


def test_a_simulator_made_of_objects_has_nothing_to_tune() -> None:
    from tests.physics.composed import box, simulator

    sim = simulator(box().at((0, 0, 1.0)))
    assert sim.tunables() == ()
    with pytest.raises(SimulationError, match="cannot be tuned"):
        sim.tune("contact.stiffness", 1.0)


class _Marked(PluginConfig):
    gain: Annotated[float, Tunable(1.0, 0.0)] = 1.0
    """A gain, [N/m]."""


def test_a_plugin_that_marks_fields_must_take_new_values() -> None:
    class Careless(Plugin):
        """Marks a field and has no retune."""

        name: ClassVar[str] = "careless"
        Config = _Marked

    mistakes = plugin_mistakes(Careless)
    assert any("has no retune" in mistake for mistake in mistakes)
    assert any("1.0 to 0.0" in mistake for mistake in mistakes)


def test_every_bundled_plugin_that_marks_fields_takes_new_values() -> None:
    from footfall.registry.catalog import tunable_fields

    registry, marked = discover(), 0
    for catalog in (registry.controller, registry.contact, registry.terrain):
        for _, cls in catalog.loadable():
            if list(tunable_fields(cls.Config)):
                marked += 1
                assert cls.retune is not Plugin.retune, cls
    assert marked >= 9


@pytest.mark.long
def test_a_slider_that_is_dragged_for_hours_is_noted_in_bounded_memory() -> None:
    sim = boxes()
    sim.tune("world.terrain.friction", 0.7)
    for k in range(MOST_NOTED + 10):
        sim.step()
        sim.tune("bodies.above.friction", 0.2 + 1e-4 * k)
    first, drag, *after = sim.provenance.tuned
    assert first.path == "world.terrain.friction"
    # Up to the moment of the last that was merged, then one by one again.
    assert (drag.path, drag.old) == ("bodies.above.friction", 0.5)
    assert drag.time == pytest.approx(MOST_NOTED * sim.time_step)
    assert [one.old for one in after] == [drag.new, *(one.new for one in after[:-1])]
    assert len(after) == 10
    for k in range(MOST_NOTED):  # two at a time: nothing is in a row
        sim.step()
        sim.tune(("world.terrain.friction", "bodies.above.friction")[k % 2], 0.3 + 1e-4 * k)
    assert len(sim.provenance.tuned) <= MOST_NOTED
