"""A status is JSON, whatever the run does, and has every field."""

import json
import time
from dataclasses import fields, replace

import numpy as np
import pytest

from footfall.interfaces.interactive_visualizer import LiveHand, LiveStatus, LiveTunable
from footfall_meshcat.server.status import StatusWriter, status_text


def test_a_status_has_every_field():
    hand = LiveHand("cube/cube", force=(3.0, 0.0, 4.0), position=(0.0, 0.0, 1.0), mass=2.0)
    status = LiveStatus(
        time=1.5,
        bodies={"cube": True},
        tunables=(LiveTunable("bodies.cube.friction", 0.5, 0.0, 2.0, "-", "friction"),),
        signals=(("energy", "J", "all of it", ()),),
        watched=("energy",),
        hand=hand,
    )
    told = json.loads(status_text(*StatusWriter().write(status, 4), holder="other"))
    assert {entry.name for entry in fields(LiveStatus)} | {"type", "holder", "watch"} == set(told)
    assert (told["type"], told["holder"], told["watch"], told["time"]) == (
        "status",
        "other",
        4,
        1.5,
    )
    assert told["bodies"] == [{"name": "cube", "deletable": True}]
    assert told["tunables"][0]["unit"] == "-"
    assert told["signals"] == [["energy", "J", "all of it", []]]
    assert told["hand"]["size"] == 5.0
    assert told["hand"]["held"] == "cube/cube"


def test_what_is_not_finite_becomes_null():
    wild = LiveStatus(rate=np.inf, hand=LiveHand(force=(np.nan, 0.0, 0.0), mass=float("inf")))
    written = status_text(*StatusWriter().write(wild, 0), holder=None)
    told = json.loads(written, parse_constant=pytest.fail)
    assert told["rate"] is None
    assert told["hand"]["force"] == [None, 0.0, 0.0]
    assert told["hand"]["mass"] is told["hand"]["size"] is told["holder"] is None


def test_numbers_of_numpy_are_numbers():
    written = StatusWriter().write(LiveStatus(time=np.float64(0.5)), 0)
    told = json.loads(status_text(*written, holder="you"))
    assert told["time"] == 0.5


def many(friction, cubes=300):
    """The status of a world of many cubes."""
    return LiveStatus(
        bodies={f"cube{k}": True for k in range(cubes)},
        tunables=tuple(
            LiveTunable(f"bodies.cube{k}.friction", friction, 0.0, 2.0, "-", "friction")
            for k in range(cubes)
        ),
    )


def test_what_has_changed_is_written_anew():
    writer = StatusWriter()
    for friction in [0.5, 0.5, 0.7]:
        told = json.loads(status_text(*writer.write(many(friction), 0), holder=None))
        assert {entry["value"] for entry in told["tunables"]} == {friction}
    fewer = replace(many(0.7), bodies={"cube3": False}, playing=False)
    told = json.loads(status_text(*writer.write(fewer, 0), holder=None))
    assert told["bodies"] == [{"name": "cube3", "deletable": False}]
    assert told["playing"] is False


def test_what_has_not_changed_costs_little():
    writer, took = StatusWriter(), {"first": [], "again": []}
    for k in range(20):
        status, same = many(float(k)), many(float(k))
        for name, told in [("first", status), ("again", same)]:
            start = time.perf_counter()
            writer.write(told, 0)
            took[name].append(time.perf_counter() - start)
    assert min(took["again"]) < min(took["first"]) / 3
