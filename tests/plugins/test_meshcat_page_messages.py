"""Messages of pages are understood exactly as documented, or refused."""

import json

import numpy as np
import pytest
from tests.cases import each

from footfall.interfaces.interactive_visualizer import (
    CreateObject,
    DeleteObject,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    WatchSignals,
)
from footfall_meshcat.server.page_messages import (
    Grab,
    Move,
    Ping,
    Ready,
    Release,
    Shown,
    Take,
    parse,
)

BOX = {"type": "create", "kind": "box", "size": [0.1, 0.2, 0.3], "position": [0, 0, 1]}
GRAB = {"type": "grab", "serial": 1, "position": [0, 0, 1]}
MOVE = {"type": "move", "serial": 2, "position": [0, 0, 1]}


def said(**content):
    return parse(json.dumps(content))


@each(
    ("content", "expected"),
    [
        ({"type": "ready", "scene": "abc"}, Ready("abc")),
        ({"type": "shown"}, Shown()),
        ({"type": "ping", "serial": 7}, Ping(7)),
        ({"type": "take"}, Take()),
        ({"type": "release", "serial": 3}, Release(3)),
        ({"type": "play"}, Play()),
        ({"type": "pause"}, Pause()),
        ({"type": "step"}, SingleStep(1)),
        ({"type": "step", "n": 20}, SingleStep(20)),
        ({"type": "restart"}, Restart()),
        ({"type": "speed", "value": 0}, Speed(0.0)),
        ({"type": "tune", "path": "a.friction", "value": 0.5}, Tune("a.friction", 0.5)),
        ({"type": "delete", "body": "box"}, DeleteObject("box")),
        ({"type": "watch", "signals": []}, WatchSignals(())),
        ({"type": "watch", "signals": ["energy", "tau[3]"]}, WatchSignals(("energy", "tau[3]"))),
        (BOX, CreateObject("box", (0.1, 0.2, 0.3), (0.0, 0.0, 1.0))),
        (
            {
                "type": "create",
                "kind": "mesh",
                "size": [1],
                "position": [0, 0, 1],
                "velocity": [1, 0, 0],
                "density": 1000,
                "color": [1, 0.5, 0],
                "mesh": "meshes/cup.stl",
                "name": "cup",
            },
            CreateObject(
                "mesh", (1.0,), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 1000.0, (1.0, 0.5, 0.0),
                "meshes/cup.stl", "cup",
            ),
        ),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else None,
)  # fmt: skip
def test_every_message_is_understood(content, expected):
    assert parse(json.dumps(content)) == expected


def test_a_grab_says_what_is_held_and_where():
    grab = said(**GRAB, link="cube/cube", point=[0.05, 0, 0], mode="drag")
    assert isinstance(grab, Grab)
    assert (grab.serial, grab.reading.link, grab.reading.mode) == (1, "cube/cube", "drag")
    assert grab.reading.position.tolist() == [0, 0, 1]
    assert grab.reading.point.tolist() == [0.05, 0, 0]
    assert grab.reading.rotation is None


def test_a_grab_may_leave_open_what_it_holds():
    grab = said(**GRAB, link=None, point=None, mode="touch", force=[0, 0, -3])
    assert (grab.reading.link, grab.reading.point, grab.reading.mode) == (None, None, "touch")
    assert grab.reading.force.tolist() == [0, 0, -3]


def test_a_rotation_is_that_of_its_quaternion():
    half = np.sqrt(0.5)
    move = said(**MOVE, rotation=[0, 0, half, half])  # a quarter turn about z
    assert isinstance(move, Move)
    assert np.allclose(move.reading.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


@each(
    "message",
    [
        b'{"type": "shown"}',
        "",
        "shown",
        "null",
        "[]",
        '"shown"',
        "{}",
        '{"type": "Shown"}',
        '{"type": ["shown"]}',
        '{"type": {}}',
        '{"type": "shown"',
        "[" * 4000,
        '{"a":' * 800,
        "[" * 100_000,
        "1" * 10_000,
        "9" * 4090,
        "\ud800",
        '{"type": "speed", "value": NaN}',
        '{"type": "speed", "value": Infinity}',
        '{"type": "speed", "value": -Infinity}',
        '{"type": "speed", "value": 1e999}',
        '{"type": "speed", "value": ' + "9" * 4000 + "}",
    ],
    ids=lambda message: repr(message[:40]),
)
def test_what_is_no_message_is_refused(message):
    with pytest.raises(ValueError, match=r"binary|not JSON|known type|longer than|value must"):
        parse(message)


@each(
    ("content", "reason"),
    [
        ({"type": "ready"}, "scene must be a"),
        ({"type": "ready", "scene": 3}, "scene must be a"),
        ({"type": "ready", "scene": "x" * 65}, "scene must be a"),
        ({"type": "shown", "extra": 1}, "unknown key"),
        ({"type": "step", "n": 0}, "n must be a whole"),
        ({"type": "step", "n": 1.5}, "n must be a whole"),
        ({"type": "step", "n": True}, "n must be a whole"),
        ({"type": "step", "n": 10**9}, "n must be a whole"),
        ({"type": "speed"}, "value must be a number"),
        ({"type": "speed", "value": -1}, "value must be a number"),
        ({"type": "speed", "value": "1"}, "value must be a number"),
        ({"type": "speed", "value": True}, "value must be a number"),
        ({"type": "speed", "value": None}, "value must be a number"),
        ({"type": "release"}, "serial must be a"),
        ({"type": "release", "serial": 0}, "serial must be a"),
        ({"type": "release", "serial": 2**53 + 1}, "serial must be a"),
        ({**GRAB, "position": None}, "position must be a list"),
        ({**GRAB, "position": [0, 0]}, "position must be a list"),
        ({**GRAB, "position": [0, 0, 0, 0]}, "position must be a list"),
        ({**GRAB, "position": [0, 0, [0]]}, "position must be a list"),
        ({**GRAB, "position": [0, 0, 1e6]}, "position must be a list"),
        ({**GRAB, "position": {"0": 0, "1": 0, "2": 0}}, "position must be a list"),
        ({**GRAB, "link": ""}, "link must be a printable"),
        ({**GRAB, "link": "a\nb"}, "link must be a printable"),
        ({**GRAB, "link": "x" * 201}, "link must be a printable"),
        ({**GRAB, "point": [0, 0, 0]}, "point without link"),
        ({**GRAB, "mode": "pull"}, "mode must be one of"),
        ({**GRAB, "mode": ["drag"]}, "mode must be one of"),
        ({**GRAB, "force": [0, 0, 1e9]}, "force must be a list"),
        ({**MOVE, "rotation": [0, 0, 0, 0]}, "unit length"),
        ({**MOVE, "rotation": [1, 0, 0, 0, 1, 0, 0, 0, 1]}, "rotation must be a list"),
        ({**MOVE, "link": "cube/cube"}, "unknown key"),
        ({"type": "tune", "path": "a", "value": 1e300}, "value must be a number"),
        ({"type": "tune", "path": 1, "value": 1}, "path must be a printable"),
        ({**BOX, "kind": "cone"}, "kind must be one of"),
        ({**BOX, "size": [0.1]}, "size must be a list of 3 numbers"),
        ({**BOX, "size": [0.1, 0.1, 0]}, "size must be a list of 3 numbers"),
        ({**BOX, "size": [0.1, 0.1, -1]}, "size must be a list of 3 numbers"),
        ({**BOX, "density": 0}, "density must be a number"),
        ({**BOX, "color": [2, 0, 0]}, "color must be a list"),
        ({**BOX, "mesh": "a.stl"}, "unknown key"),
        ({**BOX, "kind": "mesh"}, "mesh must be a printable"),
        ({**BOX, "kind": "mesh", "mesh": "/etc/passwd"}, "mesh must be the path"),
        ({**BOX, "kind": "mesh", "mesh": "a/../../b.stl"}, "mesh must be the path"),
        ({**BOX, "kind": "mesh", "mesh": "file:///a.stl"}, "mesh must be the path"),
        ({**BOX, "kind": "mesh", "mesh": "..\\a.stl"}, "mesh must be the path"),
        ({"type": "delete", "body": None}, "body must be a printable"),
        ({"type": "watch", "signals": "energy"}, "signals must be a list"),
        ({"type": "watch", "signals": ["a"] * 17}, "signals must be a list"),
        ({"type": "watch", "signals": ["a", "a"]}, "signals has a duplicate"),
        ({"type": "watch", "signals": [["a"]]}, "signals must be a printable"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else None,
)
def test_a_field_that_is_not_as_documented_is_refused(content, reason):
    with pytest.raises(ValueError, match=reason):
        parse(json.dumps(content))


def test_a_message_is_never_quoted_in_its_refusal():
    for content in [
        {"type": "\x1b[2Jevil"},
        {"type": "delete", "body": "evil\n"},
        {**BOX, "evil": 1},
    ]:
        with pytest.raises(ValueError, match=r"known type|body must|unknown key") as caught:
            parse(json.dumps(content))
        assert "evil" not in str(caught.value)
