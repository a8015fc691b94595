"""Frames are packed as the page unpacks them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.scene_graphs import frame, primitives

from footfall.interfaces.visualizer import Frame
from footfall_meshcat.messages import FramePacker


def test_a_packed_frame_holds_every_number():
    shown = replace(
        frame(1.25, (0.1, -0.2, 0.3)),
        serial=2**40,
        hand=np.arange(12.0),
        values=np.array([7.0, 8.0]),
    )
    data = FramePacker(primitives()).pack(shown, 3)
    header = np.frombuffer(data, "<f8", 4)
    assert (header[0], header[2], header[3]) == (1.25, 2**40, 3)
    values = np.frombuffer(data, "<f4", offset=32)
    parts = [shown.poses, shown.com, shown.contact_position, shown.contact_force, shown.hand]
    expected = np.concatenate([np.ravel(part) for part in [*parts, shown.values]])
    assert np.array_equal(values, expected.astype(np.float32))


def test_a_frame_without_a_hand_says_so():
    values = np.frombuffer(FramePacker(primitives()).pack(frame()), "<f4", offset=32)
    assert np.isnan(values[-12:]).all()
    assert np.isfinite(values[:-12]).all()


def test_the_number_of_watched_values_may_change():
    packer, shown = FramePacker(primitives()), frame(2.0)
    plain = packer.pack(shown)
    longer = packer.pack(replace(shown, values=np.array([5.0])))
    assert len(longer) == len(plain) + 4
    assert np.frombuffer(longer, "<f4")[-1] == 5.0
    assert len(packer.pack(shown)) == len(plain)


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
    values = np.frombuffer(FramePacker(primitives()).pack(wild), "<f4", offset=32)
    assert np.isinf(values[0])


def test_a_frame_of_another_scene_is_refused():
    small = frame()
    wrong = Frame(0.0, small.poses[:3], small.contact_position, small.contact_force, small.com)
    with pytest.raises(ValueError, match="shape"):
        FramePacker(primitives()).pack(wrong)
