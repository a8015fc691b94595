"""What waits for the run is bounded, and a release is never lost."""

import logging
import threading

import numpy as np
import pytest

from footfall.interfaces.input_device import Reading
from footfall.interfaces.interactive_visualizer import (
    DeleteObject,
    HandMove,
    HandRelease,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    WatchSignals,
)
from footfall.listening import RateLimit
from footfall_meshcat.server.complaints import Complaints
from footfall_meshcat.server.hand import Hand
from footfall_meshcat.server.inbox import MOST, Inbox
from footfall_meshcat.server.page_messages import Grab, Move


def move(serial):
    return HandMove(serial, Reading(True, np.zeros(3)))


def filled(*commands):
    inbox = Inbox()
    for command in commands:
        assert inbox.put(1, command)
    return inbox


def test_commands_come_out_once_and_in_order():
    inbox = filled(Pause(), SingleStep(2), Play())
    assert inbox.take() == (Pause(), SingleStep(2), Play())
    assert inbox.take() == ()


def test_of_moves_only_the_newest_waits():
    first, second = move(1), move(2)
    taken = filled(first, Pause(), second).take()
    assert taken[0] == Pause()
    assert taken[1] is second
    assert len(taken) == 2


def test_a_release_takes_the_moves_before_it_away():
    again = move(3)
    taken = filled(move(1), HandRelease(2), again).take()
    assert taken == (HandRelease(2), again)
    assert filled(again, HandRelease(4), HandRelease(5)).take() == (HandRelease(5),)


def test_of_values_of_one_tunable_only_the_newest_waits():
    commands = Tune("a", 1.0), Tune("b", 2.0), Restart(), Tune("a", 3.0)
    assert filled(*commands).take() == (Tune("b", 2.0), Restart(), Tune("a", 3.0))
    assert filled(Speed(1.0), Speed(2.0)).take() == (Speed(2.0),)
    lists = WatchSignals(("a",)), WatchSignals(("b",))
    assert filled(*lists).take() == lists[1:]


def test_each_page_has_room_for_so_many_and_no_more():
    inbox = filled(*[SingleStep(k) for k in range(1, MOST + 1)])
    assert not inbox.put(1, Pause())
    assert inbox.put(2, Pause())
    assert len(inbox.take()) == MOST + 1
    assert inbox.put(1, Pause())


def test_the_hand_always_has_room():
    inbox = filled(*[DeleteObject("a")] * MOST)
    assert inbox.put(1, move(1))
    assert inbox.put(1, HandRelease(2))
    for k in range(1000):
        inbox.put(1, move(k))
        inbox.put(1, HandRelease(k))
    assert len(inbox.take()) == MOST + 1


def test_nothing_is_lost_between_threads():
    inbox, taken, over = Inbox(), [], threading.Event()

    def drain():
        while not over.is_set():
            taken.extend(inbox.take())
        taken.extend(inbox.take())

    drains = threading.Thread(target=drain)
    drains.start()
    accepted = [k for k in range(1, 20_001) if inbox.put(1, SingleStep(k))]
    over.set()
    drains.join()
    assert [step.n for step in taken] == accepted


def test_an_allowance_comes_back_with_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("footfall.listening.time.monotonic", lambda: now[0])
    allowance = RateLimit(rate=2.0, burst=3.0)
    assert [allowance.spend() for _ in range(5)] == [True] * 3 + [False] * 2
    now[0] = 1.0
    assert [allowance.spend() for _ in range(3)] == [True, True, False]
    now[0] = 1000.0
    assert [allowance.spend() for _ in range(4)] == [True] * 3 + [False]


def test_the_log_is_never_flooded(caplog, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("footfall.listening.time.monotonic", lambda: now[0])
    complaints = Complaints()
    with caplog.at_level(logging.WARNING):
        for _ in range(10_000):
            complaints.about("1", "babbles")
        now[0] = 5.0
        complaints.about("1", "still babbles")
    assert len(caplog.records) == 21
    assert "still babbles (9980 earlier warnings left out)" in caplog.records[-1].message


def grab(serial):
    return Grab(serial, Reading(True, np.array([0.0, 0.0, 1.0]), link="cube/cube", mode="drag"))


def test_a_move_still_holds_what_was_grabbed():
    hand = Hand()
    asked = hand.grab(1, grab(1))
    assert (asked.serial, asked.reading.link, asked.reading.holds) == (1, "cube/cube", True)
    moved = hand.move(1, Move(2, Reading(True, np.ones(3))))
    assert (moved.serial, moved.reading.link, moved.reading.mode) == (2, "cube/cube", "drag")
    assert moved.reading.position.tolist() == [1, 1, 1]


def test_only_who_has_the_hand_moves_it():
    hand = Hand()
    assert hand.take(1)
    assert not hand.take(2)
    assert hand.grab(2, grab(1)) is None
    assert hand.move(1, Move(1, Reading(True, np.ones(3)))) is None  # it holds nothing yet
    hand.grab(1, grab(3))
    assert hand.move(2, Move(9, Reading(True, np.ones(3)))) is None
    assert hand.release(2, 9) is None
    assert hand.holder == 1
    assert hand.release(1, 4) == HandRelease(4)
    assert hand.grab(2, grab(1)).serial == 1  # serials begin anew


def test_serials_do_not_fall():
    hand = Hand()
    hand.grab(1, grab(5))
    with pytest.raises(ValueError, match="serial falls"):
        hand.move(1, Move(4, Reading(True, np.ones(3))))
    assert hand.release(1) == HandRelease(5)


def test_a_hand_that_held_nothing_needs_no_release():
    hand = Hand()
    hand.take(1)
    assert hand.release(1) is None
    assert hand.holder is None


def test_a_page_that_was_silent_has_the_hand_again_if_it_is_free():
    hand = Hand()
    hand.grab(1, grab(5))
    assert hand.lose() == HandRelease(5)
    assert hand.holder is None
    assert hand.move(2, Move(6, Reading(True, np.ones(3)))) is None
    again = hand.move(1, Move(6, Reading(True, np.ones(3))))
    assert (again.serial, again.reading.link, hand.holder) == (6, "cube/cube", 1)


def test_a_page_that_was_silent_does_not_take_the_hand_from_another():
    hand = Hand()
    hand.grab(1, grab(5))
    hand.lose()
    hand.grab(2, grab(1))
    assert hand.move(1, Move(6, Reading(True, np.ones(3)))) is None
    hand.release(2)
    assert hand.move(1, Move(7, Reading(True, np.ones(3)))) is None  # it has to grab anew


def test_a_page_that_was_silent_and_let_go_holds_nothing():
    hand = Hand()
    hand.grab(1, grab(5))
    hand.lose()
    assert hand.release(1, 6) is None
    assert hand.move(1, Move(7, Reading(True, np.ones(3)))) is None
