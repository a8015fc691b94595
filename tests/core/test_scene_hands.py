"""The table of hands: what is wrong is said with file, line and key; the rest comes back."""

import json

import jsonschema
import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall import assemble
from footfall.errors import FootfallError
from footfall.registry.discover import discover
from footfall.scene.fingerprint import difference
from footfall.scene.load import load_scene
from footfall.scene.resolved import stored_scene
from footfall_run.listings.json_schema import json_schema

SCENE = """
[simulation]
duration = 0.1
[bodies.cube]
robot = "cube"
{hands}
"""
PULL = """[hands.right]
stiffness = 200.0
[hands.right.device]
plugin = "scripted"
link = "cube"
point = [0.0, 0.0, 0.0]
waypoints = [
    {time = 0.0, position = [0.0, 0.0, 0.05]},
    {time = 0.05, position = [0.1, 0.0, 0.2]},
    {time = 0.1, position = [0.0, 0.0, 0.3], holds = false},
]
"""


def scene(folder, hands):
    (folder / "scene.toml").write_text(SCENE.replace("{hands}", hands))
    return load_scene(folder / "scene.toml")


@each(
    ("hands", "expected"),
    [
        ("[hands.right]", ["hands.right.device", "is missing"]),
        ('[hands.right]\ndevice = {plugin = "mose"}', ["device.plugin", "did you mean 'mouse'"]),
        (
            '[hands.right]\ndevice = {plugin = "mouse"}\nstifness = 1.0',
            ["hands.right.stifness", "did you mean 'stiffness'"],
        ),
        (
            '[hands.right]\ndevice = {plugin = "mouse", port = 1}',
            ["hands.right.device.port", "unknown key"],
        ),
        ('[hands.right]\ndevice = {plugin = "mouse"}\nmode = "pull"', ["hands.right.mode"]),
        (
            '[hands.right]\ndevice = {plugin = "mouse"}\nstiffness = 0.0',
            ["hands.right.stiffness", "must be > 0"],
        ),
        ('[hands."a b"]\ndevice = {plugin = "mouse"}', ["hands", "simple name"]),
        (PULL.replace('link = "cube"', 'link = "kube"'), ["device.link", "did you mean 'cube'"]),
        (PULL.replace("time = 0.05", "time = 0.0"), ["device.waypoints", "time must increase"]),
        (PULL.replace('link = "cube"\n', ""), ["hands.right.device", "point has no effect"]),
        (
            '[hands.right]\ndevice = {plugin = "scripted", file = "no.csv"}',
            ["hands.right.device.file", "a file that exists"],
        ),
        (
            '[hands.right]\ndevice = {plugin = "scripted"}',
            ["hands.right.device", "one of: waypoints, file"],
        ),
        (
            '[hands.right]\ndevice = {plugin = "network", token = "abc"}',
            ["hands.right.device.token", "16 to 128"],
        ),
    ],
)
def test_a_hand_that_is_none_is_refused(tmp_path, hands, expected):
    with pytest.raises(FootfallError) as caught:
        assemble(scene(tmp_path, hands))
    message = str(caught.value)
    assert "\n" not in message
    assert "scene.toml:" in message
    for part in expected:
        assert part in message


def test_hands_are_in_the_resolved_scene_and_come_back(tmp_path):
    given = scene(tmp_path, PULL)
    sim = assemble(given)
    stored = json.loads(json.dumps(dict(sim.provenance.resolved)))
    assert stored["scene"]["hands"]["right"]["stiffness"] == 200.0
    assert stored["plugins"]["hands.right.device"]["plugin"] == "scripted"
    again = assemble(stored_scene(stored, discover()))
    one, other = sim.run(), again.run()
    np.testing.assert_array_equal(one.hand_force.values, other.hand_force.values)
    assert float(abs(one.hand_force).max()) > 1.0


def test_a_token_is_not_stored(tmp_path):
    hands = '[hands.arm]\ndevice = {plugin = "network", port = 0, token = "0123456789abcdef"}'
    resolved = assemble(scene(tmp_path, hands)).provenance.resolved
    assert "0123456789abcdef" not in json.dumps(resolved)


def test_only_hands_that_nobody_moves_count_for_the_fingerprint():
    plain, live, other = (
        footfall.load("cube/drop", more).provenance.resolved
        for more in (
            {},
            {"hands.mouse.device.plugin": "mouse", "hands.mouse.stiffness": 10.0},
            {
                "hands.right.device.plugin": "scripted",
                "hands.right.device.waypoints": [
                    {"time": 0.0, "position": [0, 0, 0]},
                    {"time": 1.0, "position": [0, 0, 0]},
                ],
            },
        )
    )
    assert difference(plain, live) is None
    assert difference(plain, live) is None
    assert difference(plain, other) is not None
    assert "hands.right" in difference(plain, other)


def test_a_state_is_shared_with_a_run_that_has_a_live_hand(tmp_path):
    plain = footfall.load("cube/drop")
    for _ in range(10):
        plain.step()
    plain.save(tmp_path / "state.npz")
    handy = footfall.load("cube/drop", {"hands.mouse.device.plugin": "mouse"})
    handy.resume(tmp_path / "state.npz")
    plain.step()
    handy.step()
    np.testing.assert_array_equal(plain.q, handy.q)


def test_a_scripted_hand_holds_on_to_the_bit_after_a_restore(tmp_path):
    hands = PULL.replace("stiffness = 200.0", "stiffness = 200.0\nrotational_stiffness = 0.1")
    for hand in (hands, hands.replace("point = [0.0, 0.0, 0.0]\n", "")):
        one = assemble(scene(tmp_path, hand))
        for _ in range(40):
            one.step()
        one.save(tmp_path / "state.npz", overwrite=True)
        other = assemble(scene(tmp_path, hand))
        other.resume(tmp_path / "state.npz")
        for _ in range(50):
            one.step()
            other.step()
            np.testing.assert_array_equal(one.state.vector, other.state.vector)
            np.testing.assert_array_equal(one.signal("hand_force"), other.signal("hand_force"))
        assert one.hands["right"].status.held == "cube/cube"
        # Back to before: it holds what it held then.
        other.state.restore(assemble(scene(tmp_path, hand)).state)
        assert other.time == 0.0
        other.step()
        assert other.hands["right"].status.held == "cube/cube"


def test_the_schema_knows_hands(tmp_path):
    schema = json_schema(discover())
    good = {
        "simulation": {"duration": 1.0},
        "bodies": {"cube": {"robot": "cube"}},
        "hands": {"right": {"device": {"plugin": "mouse"}, "mode": "touch"}},
    }
    jsonschema.validate(good, schema)
    good["hands"]["right"]["device"]["port"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(good, schema)
