"""Each number of a saved state, forged in turn with a right hash, is refused in a line or taken.

The states are read in a process of their own, so that a signal is seen (``forging_child.py``).
"""

import datetime
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cases import first

CHILD = Path(__file__).parent / "forging_child.py"
DAY = str(datetime.date.today().toordinal())
TWO = """
[simulation]
duration = 0.1
[world.terrain]
friction = 0.5
[bodies.a]
shape = { type = "box", size = [0.1, 0.1, 0.1] }
mass = 1.0
friction = 0.5
base_position = [0.0, 0.0, 0.05]
[bodies.b]
shape = { type = "box", size = [0.1, 0.1, 0.1] }
mass = 1.0
friction = 0.5
base_position = [0.0, 0.0, 0.15]
"""
HANDS = """
[hands.right]
stiffness = 200.0
[hands.right.device]
plugin = "scripted"
link = "a/object"
point = [0.0, 0.0, 0.0]
waypoints = [{time = 0.0, position = [0.0, 0.0, 0.05]}, {time = 0.1, position = [0.1, 0.0, 0.3]}]
[hands.left]
mode = "touch"
[hands.left.device]
plugin = "scripted"
waypoints = [{time = 0.0, position = [0.0, 0.0, 0.2]}, {time = 0.1, position = [0.0, 0.0, 0.1]}]
"""
MOTORS = {
    "bodies.quadruped.actuators": [
        {"joints": ["*"], "plugin": "dc_motor", "voltage": 12.0, "torque_constant": 0.5}
        | {"resistance": 1.0, "delay": 0.004}
    ]
}
CONTINUOUS = {"integrator.plugin": "dormand_prince", "contact.plugin": "compliant"}


def forge(scene, overrides=None, places=4):
    """Forge the states of a scene; return how many were refused and taken."""
    command = [sys.executable, CHILD, str(scene), json.dumps(overrides or {})]
    command += [DAY, str(places)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{done.stdout}\nlast: {done.stderr.splitlines()[-1:]}"
    return json.loads(done.stdout.splitlines()[0])


@pytest.mark.parametrize("places", first(2, 4))
def test_forged_contacts_and_hands_are_refused_or_taken(places, tmp_path):
    (tmp_path / "two.toml").write_text(TWO + HANDS)
    counts = forge(tmp_path / "two.toml", places=places)
    assert min(counts.values()) > 100


@pytest.mark.long
@pytest.mark.parametrize(
    ("scene", "overrides"),
    [
        ("cube/drop", {"contact.plugin": "gauss"}),
        ("cube/drop", CONTINUOUS),
        ("quadruped/scanning", {}),
        ("quadruped/trot", MOTORS),
        ("pendulum/swing", {}),
        ("icub/standing", {}),
    ],
)
def test_forged_states_of_other_scenes_are_refused_or_taken(scene, overrides):
    assert min(forge(scene, overrides).values()) > 50  # of a pendulum there are 160


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs mujoco")
def test_forged_states_of_a_guest_are_refused_or_taken():
    assert min(forge("cube/drop", {"simulator.plugin": "mujoco"}).values()) > 100
