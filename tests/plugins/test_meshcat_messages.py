"""Frames are packed as the page unpacks them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.scene_graphs import frame, primitives

from footfall.interfaces.visualizer import Frame
from footfall_meshcat.server.messages import FramePacker


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
    pairs = np.zeros((4, 7))  # four contacts between bodies of which nothing else is known
    contacts = [[4.0], shown.contact_position, shown.contact_force, pairs]
    parts = [shown.poses, shown.com, *contacts, shown.hand]
    expected = np.concatenate([np.ravel(part) for part in [*parts, shown.values]])
    assert np.array_equal(values, expected.astype(np.float32))


def test_contacts_between_bodies_are_sent_up_to_the_last_that_there_is():
    """Of room for ten beside two points, three: one presses, one does not, one is told by force."""
    graph = replace(primitives(), n_contacts=12, points=(("cube/a", 0.5, 0.5, np.nan),) * 2)
    position, force, between = np.ones((12, 3)), np.zeros((12, 3)), np.zeros((10, 7))
    between[:2] = [0, 0, 1, 0.5, 1, 0, 1], [1, 0, 0, np.nan, 0, -1, 2]
    force[2], force[4] = [0, 0, 3], [0, 0, 1]
    shown = replace(frame(), contact_position=position, contact_force=force, between=between)
    data = FramePacker(graph).pack(shown)
    values = np.frombuffer(data, "<f4", offset=32)[7 * 4 + 3 :]
    assert values[0] == 5
    np.testing.assert_array_equal(values[1:31].reshape(10, 3), [*position[:5], *force[:5]])
    np.testing.assert_array_equal(values[31:52], between[:3].astype("f4").ravel())
    assert len(values) == 52 + 12
    nothing = replace(shown, contact_force=np.zeros((12, 3)), between=np.zeros((0, 7)))
    assert np.frombuffer(FramePacker(graph).pack(nothing), "<f4", offset=32)[7 * 4 + 3] == 2


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
