"""Objects come and go while a simulation runs; what they do not meet does not notice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall import restore, with_object, without_object
from footfall.errors import SceneError, SimulationError
from footfall.scene.load import scene_from_dict
from footfall_stepper.simulation.simulator import StepperSimulator

BALL = {
    "shape": {"type": "sphere", "radius": 0.1},
    "base_position": [5.0, 0.0, 0.3],
    "friction": 0.5,
}
LAWS = ["coulomb", "compliant", "lcp", "ccp"]


def boxes(law: str = "coulomb", **more: Any) -> StepperSimulator:
    """A box that lies on another, and a third that goes to sliding, after a while."""
    shape = {"type": "box", "size": [0.2, 0.2, 0.1]}
    scene = {
        "simulation": {"duration": 1.0},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {
            "below": {"shape": shape, "base_position": [0, 0, 0.05], "friction": 0.5},
            "spare": {"shape": shape, "base_position": [0, 2, 0.05], "friction": 0.5},
            "above": {
                "shape": shape,
                "base_position": [0.02, 0.01, 0.15],
                "base_linear_velocity": [0.1, 0.05, 0],
                "friction": 0.5,
            },
        },
        "contact": {"plugin": law},
        **more,
    }
    sim = footfall.assemble(scene_from_dict(scene))
    for _ in range(100):
        sim.step()
    return sim


def body(sim: StepperSimulator, name: str) -> bytes:
    index = sim.world.index(name)
    q, v = sim.q[sim.world.q_slice(index)], sim.v[sim.world.v_slice(index)]
    return q.tobytes() + v.tobytes()


@pytest.mark.parametrize("law", LAWS)
def test_bodies_that_are_not_concerned_go_on_bit_for_bit(law: str) -> None:
    plain = boxes(law)
    more = with_object(plain, "ball", BALL)
    fewer = without_object(without_object(more, "spare"), "ball")
    more = without_object(more, "ball")
    assert [b.name for b in fewer.world.bodies] == ["below", "above"]
    for _ in range(200):
        for sim in (plain, more, fewer):
            sim.step()
        for name in ("below", "above"):
            assert body(plain, name) == body(more, name) == body(fewer, name)


def test_contacts_keep_what_is_known_of_them() -> None:
    """Warm starts move with their keys, also where the shapes' numbers have changed."""
    sim = boxes()
    without = without_object(sim, "spare")
    count = sim.stepper.collisions.count
    assert count >= 4
    assert without.stepper.collisions.count == count
    before, after = sim.state["detected_impulse"][:count], without.state["detected_impulse"][:count]
    assert np.abs(before).max() > 0.0
    np.testing.assert_array_equal(after, before)
    assert (sim.stepper.collisions.keys != without.stepper.collisions.keys).any()


def test_the_old_simulator_stays_as_it_was() -> None:
    sim, other = boxes(), boxes()
    with_object(sim, "ball", BALL).step()
    for _ in range(50):
        sim.step()
        other.step()
    assert sim.state.vector.tobytes() == other.state.vector.tobytes()


def test_a_new_object_falls_bounces_and_rests_on_what_is_there() -> None:
    sim = with_object(boxes(), "ball", {**BALL, "base_position": [0.02, 0.02, 0.4]})
    start = sim.time
    for _ in range(3000):
        sim.step()
    height = sim.q[sim.world.q_slice(sim.world.index("ball"))][2]
    assert height == pytest.approx(0.3, abs=1e-3)
    assert sim.time == pytest.approx(start + 3.0)


def test_collisions_are_looked_for_from_the_first_object_on() -> None:
    sim = footfall.load("cube/drop")
    assert sim.world.collider is None
    new = with_object(sim, "plate", {
        "shape": {"type": "box", "size": [1.0, 1.0, 0.1]}, "base_position": [0, 0, 0.05],
        "friction": 0.5,
    })  # fmt: skip
    half = sim.q[2]
    for _ in range(3000):
        new.step()
    assert new.world.collider is not None
    assert new.q[new.world.q_slice(new.world.index("cube"))][2] > 0.1
    assert half > 0.1


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"base_position": [0.0, 0.0, 0.22]}, r"ball would be 80 mm deep where .*above.* and ball"),
        ({"base_position": [3.0, 0.0, 0.05]}, r"50 mm deep where ball.* and the ground"),
    ],
)
def test_what_would_be_deep_in_something_is_refused(table: dict[str, Any], said: str) -> None:
    sim = boxes()
    with pytest.raises(SimulationError, match=said):
        with_object(sim, "ball", {**BALL, **table})


def test_what_touches_is_taken() -> None:
    sim = with_object(boxes(), "ball", {**BALL, "base_position": [3.0, 0.0, 0.1]})
    for _ in range(100):
        sim.step()
    place = sim.q[sim.world.q_slice(sim.world.index("ball"))][:3]
    np.testing.assert_allclose(place, [3.0, 0.0, 0.1], atol=1e-4)  # it lies where it was put


def test_names_must_be_free_or_there() -> None:
    sim = boxes()
    with pytest.raises(SimulationError, match="there is a body 'above' already"):
        with_object(sim, "above", BALL)
    with pytest.raises(SimulationError, match="no body 'abov', did you mean 'above'"):
        without_object(sim, "abov")
    with pytest.raises(SimulationError, match="'cube' is a robot"):
        without_object(footfall.load("cube/drop"), "cube")
    with pytest.raises(SceneError, match=r"bodies\.ball"):
        with_object(sim, "ball", {"shape": {"type": "sphere"}})


def test_what_names_a_body_goes_with_it() -> None:
    push = {"body": "spare", "link": "object", "force": [1.0, 0.0, 0.0]}
    pairs = {"spare/below": {"friction": 0.1}, "above/below": {"friction": 0.2}}
    sim = boxes(pushes=[push], pairs=pairs, collisions={"ignore": [["spare", "above"]]})
    tables = without_object(sim, "spare").provenance.resolved["scene"]
    assert list(tables["pairs"]) == ["above/below"]
    assert not tables.get("pushes")
    assert not tables["collisions"].get("ignore")


def test_what_the_only_body_leaves_out_is_written_out_for_it() -> None:
    scene = scene_from_dict({
        "simulation": {"duration": 1.0},
        "world": {"terrain": {"friction": 0.5}},
        "bodies": {
            "box": {
                "shape": {"type": "box", "size": [0.1, 0.1, 0.1]},
                "base_position": [0.0, 0.0, 1.0],
            }
        },
        "pushes": [{"link": "object", "force": [1.0, 0.0, 0.0]}],
        "recorder": {"signals": ["mass_matrix"]},
    })  # fmt: skip
    tables = with_object(footfall.assemble(scene), "ball", BALL).provenance.resolved["scene"]
    assert tables["pushes"][0]["body"] == "box"
    assert tables["recorder"]["signals"] == ["box/mass_matrix"]


def test_a_simulator_without_a_scene_is_refused() -> None:
    from tests.physics.composed import box, simulator

    with pytest.raises(SimulationError, match="only in a simulator that was made from a scene"):
        with_object(simulator(box().at((0, 0, 1.0))), "ball", BALL)


def test_controllers_of_what_has_no_joints_are_refused() -> None:
    table = {**BALL, "controller": {"plugin": "posture"}}
    with pytest.raises(SceneError, match=r"controller: has no effect: ball has no joints"):
        with_object(boxes(), "ball", table)


GO_ON = """
import sys
from footfall import restore
sim = restore(sys.argv[1])
for _ in range(150):
    sim.step()
sim.save(sys.argv[2])
"""


def test_a_saved_state_has_its_objects_and_settings_in_another_process(tmp_path: Path) -> None:
    sim = with_object(boxes(), "ball", {**BALL, "base_position": [0.1, 0.0, 0.31]})
    for _ in range(30):
        sim.step()
    sim.tune("bodies.ball.friction", 0.05)
    sim.tune("bodies.above.friction", 0.9)
    sim.save(tmp_path / "state")
    arguments = [str(tmp_path / "state"), str(tmp_path / "after")]
    subprocess.run([sys.executable, "-c", GO_ON, *arguments], check=True)
    for _ in range(150):
        sim.step()
    after = restore(tmp_path / "after")
    assert after.state.vector.tobytes() == sim.state.vector.tobytes()
    assert after.state.grown.tobytes() == sim.state.grown.tobytes()
    assert {t.path: t.value for t in after.tunables()}["bodies.ball.friction"] == 0.05
    assert [one.path for one in after.provenance.tuned] == [
        "bodies.ball.friction",
        "bodies.above.friction",
    ]


def test_a_scene_as_it_was_given_says_how_to_go_on_with_what_came(tmp_path: Path) -> None:
    sim = footfall.load("cube/drop")
    with_object(sim, "ball", BALL).save(tmp_path / "state")
    with pytest.raises(SimulationError, match=r"footfall\.restore"):
        footfall.load("cube/drop").resume(tmp_path / "state")


def test_the_command_line_goes_on_with_what_came(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from footfall.cli.main import app

    sim = with_object(footfall.load("cube/drop"), "ball", BALL)
    for _ in range(10):
        sim.step()
    sim.save(tmp_path / "state")
    end = tmp_path / "end"
    line = ["run", "cube/drop", "--resume", str(tmp_path / "state"), "--duration", "0.02"]
    done = CliRunner().invoke(app, [*line, "--no-record", "--save", str(end)])
    assert done.exit_code == 0, done.output
    for _ in range(20):
        sim.step()
    assert restore(end).state.vector.tobytes() == sim.state.vector.tobytes()
    line[1] = "cube/sliding"
    wrong = CliRunner().invoke(app, [*line, "--no-record"])
    assert "is of another scene or version: bodies.cube" in str(wrong.exception)
