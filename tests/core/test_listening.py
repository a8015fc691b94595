"""A listener's connections are limited, whatever its clients do."""

import contextlib
import math
import resource
import socket

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


def test_a_connection_is_refused_when_no_file_can_be_opened(listener):
    client = socket.create_connection(listener.getsockname(), timeout=5)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    try:
        with contextlib.suppress(OSError):
            while True:
                opened.append(socket.socket())
        with pytest.raises(BlockingIOError):
            listener.accept()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for one in opened:
            one.close()
    assert client.recv(1) == b""
    again = socket.create_connection(listener.getsockname())
    (held,) = taken(listener)
    for one in (client, again, held):
        one.close()
