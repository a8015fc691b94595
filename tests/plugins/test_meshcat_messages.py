"""Messages of pages are understood or refused; frames are packed as the page unpacks them."""

import json

import numpy as np
import pytest
from tests.scene_graphs import frame, primitives

from footfall.roles.visualizer import Frame
from footfall_meshcat.messages import FramePacker, Ready, Shown, parse


def test_the_two_messages_are_understood():
    assert parse('{"type": "ready", "scene": "abc"}') == Ready("abc")
    assert parse('{"type": "shown"}') == Shown()


@pytest.mark.parametrize(
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
        '{"type": "ready"}',
        '{"type": "ready", "scene": 3}',
        '{"type": "shown", "extra": 1}',
        '{"type": "shown"',
        "[" * 100_000,
        "1" * 10_000,
        "\ud800",
    ],
)
def test_anything_else_is_refused(message):
    with pytest.raises(ValueError, match=r"binary message|not JSON|neither 'ready' nor 'shown'"):
        parse(message)


def test_a_packed_frame_holds_every_number():
    shown = frame(1.25, (0.1, -0.2, 0.3))
    data = FramePacker(primitives()).pack(shown)
    assert np.frombuffer(data, "<f8", 1)[0] == 1.25
    values = np.frombuffer(data, "<f4", offset=16)
    parts = [shown.poses, shown.com, shown.contact_position, shown.contact_force]
    expected = np.concatenate([np.ravel(part) for part in parts])
    assert np.array_equal(values, expected.astype(np.float32))


def test_a_packed_frame_is_a_copy():
    packer, shown = FramePacker(primitives()), frame()
    first = packer.pack(shown)
    kept = bytes(first)
    shown.poses[:] = 9.0
    packer.pack(shown)
    assert first == kept


def test_a_simulation_that_explodes_can_still_be_packed():
    wild = frame()
    wild.poses[0, 0], wild.poses[1, 1], wild.com[2] = 1e300, np.nan, np.inf
    values = np.frombuffer(FramePacker(primitives()).pack(wild), "<f4", offset=16)
    assert np.isinf(values[0])


def test_a_frame_of_another_scene_is_refused():
    small = frame()
    wrong = Frame(0.0, small.poses[:3], small.contact_position, small.contact_force, small.com)
    with pytest.raises(ValueError, match="shape"):
        FramePacker(primitives()).pack(wrong)


def test_a_message_is_never_quoted_in_its_refusal():
    with pytest.raises(ValueError, match="neither") as caught:
        parse(json.dumps({"type": "\x1b[2Jevil"}))
    assert "evil" not in str(caught.value)
