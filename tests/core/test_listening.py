"""A listener's connections are limited, whatever its clients do."""

import contextlib
import math
import os
import resource
import signal
import socket
import time

import pytest

from footfall import listening
from footfall.listening import Listener


@pytest.fixture
def listener(monkeypatch):
    """A listener that takes at most three connections."""
    monkeypatch.setattr(listening, "MOST", 3)
    with Listener(socket.create_server(("127.0.0.1", 0))) as one:
        yield one


def taken(listener):
    """Accept as a server does: until nothing waits, closing connections that have ended."""
    found = []
    for _ in range(50):
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(listener.accept()[0])
                assert sum(one.fileno() >= 0 for one in found) <= 2 * listening.MOST
        for one in found:
            if one.fileno() >= 0 and ended(one):
                one.close()
    return [one for one in found if one.fileno() >= 0]


def ended(one):
    """Return whether the other side has ended a connection, without waiting."""
    one.setblocking(False)
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_silent_connections_make_room_for_new_ones(listener):
    clients = [socket.create_connection(listener.getsockname()) for _ in range(10)]
    held = taken(listener)
    assert [one.getpeername() for one in held] == [c.getsockname() for c in clients[-3:]]
    for one in [*clients, *held]:
        one.close()


def test_admitted_connections_stay_and_others_are_closed(listener):
    clients = [socket.create_connection(listener.getsockname()) for _ in range(3)]
    held = taken(listener)
    for one in held:
        one.until = math.inf
    late = socket.create_connection(listener.getsockname(), timeout=5)
    assert taken(listener) == []
    assert late.recv(1) == b""
    assert not any(ended(one) for one in clients)
    for one in [*clients, *held, late]:
        one.close()


def test_whoever_comes_when_no_file_can_be_opened_waits_and_costs_nothing(listener):
    client = socket.create_connection(listener.getsockname(), timeout=5)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened, began, worked = [], time.monotonic(), time.process_time()
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    try:
        with contextlib.suppress(OSError):
            while True:
                opened.append(socket.socket())
        for _ in range(20):
            with pytest.raises(BlockingIOError):
                listener.accept()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for one in opened:
            one.close()
    assert time.process_time() - worked < 0.5 * (time.monotonic() - began)
    (held,) = taken(listener)
    for one in (client, held):
        one.close()


def test_files_are_kept_back_for_the_process(monkeypatch):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = [os.dup(0) for _ in range(listening.KEPT + 5)]
    for file in spare:
        os.close(file)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(spare) + 1, limits[1]))
    with contextlib.ExitStack() as ends, Listener(socket.create_server(("127.0.0.1", 0))) as one:
        ends.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        address = one.getsockname()
        child = os.fork()
        if child == 0:  # its files are its own
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            clients = [socket.create_connection(address) for _ in range(30)]
            time.sleep(60.0)
            os._exit(len(clients))
        ends.callback(os.waitpid, child, 0)
        ends.callback(os.kill, child, signal.SIGKILL)
        held = []
        for _ in range(300):
            with contextlib.suppress(BlockingIOError):
                held.append(one.accept()[0])
            time.sleep(0.002)
        assert 1 <= len(held) <= 5
        for _ in range(listening.KEPT - 1):
            ends.callback(os.close, os.dup(0))
        for client in held:
            client.close()


def test_a_client_that_has_gone_away_is_no_error_of_the_server(listener, monkeypatch):
    def aborted(self):
        raise ConnectionAbortedError

    monkeypatch.setattr(socket.socket, "accept", aborted)
    with pytest.raises(ConnectionAbortedError):  # Tornado takes the next one
        listener.accept()
