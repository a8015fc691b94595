"""Frames are packed as the page unpacks them; a status is JSON whatever the run does."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from tests.scene_graphs import frame, primitives

from footfall.roles.commands import LiveBody, LiveHand, LiveStatus, LiveTunable
from footfall.roles.visualizer import Frame
from footfall_meshcat.messages import FramePacker, status_fields, status_text


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


def test_a_status_has_every_field():
    hand = LiveHand("cube/cube", force=(3.0, 0.0, 4.0), position=(0.0, 0.0, 1.0), mass=2.0)
    status = LiveStatus(
        time=1.5,
        bodies=(LiveBody("cube", True),),
        tunables=(LiveTunable("bodies.cube.friction", 0.5, 0.0, 2.0, "-", "friction"),),
        signals=(("energy", 1),),
        watched=("energy",),
        hand=hand,
    )
    told = json.loads(status_text(status_fields(status, 4), "other"))
    assert {entry.name for entry in fields(LiveStatus)} | {"type", "holder", "watch"} == set(told)
    assert (told["type"], told["holder"], told["watch"], told["time"]) == (
        "status",
        "other",
        4,
        1.5,
    )
    assert told["bodies"] == [{"name": "cube", "deletable": True}]
    assert told["tunables"][0]["unit"] == "-"
    assert told["signals"] == [["energy", 1]]
    assert told["hand"]["size"] == 5.0
    assert told["hand"]["held"] == "cube/cube"


def test_what_is_not_finite_becomes_null():
    wild = LiveStatus(rate=np.inf, hand=LiveHand(force=(np.nan, 0.0, 0.0), mass=float("inf")))
    told = json.loads(status_text(status_fields(wild, 0), None), parse_constant=pytest.fail)
    assert told["rate"] is None
    assert told["hand"]["force"] == [None, 0.0, 0.0]
    assert told["hand"]["mass"] is told["hand"]["size"] is told["holder"] is None


def test_numbers_of_numpy_are_numbers():
    told = json.loads(status_text(status_fields(LiveStatus(time=np.float64(0.5)), 0), "you"))
    assert told["time"] == 0.5
