"""The inbox of pages' requests that the run has not yet taken: bounded, whatever they do."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from footfall.api.visualizer import Command, HandMove, HandRelease, Speed, Tune, WatchSignals

MOST = 32
"""Commands of one page that may wait, [-]; beyond them its commands are dropped."""


class Inbox:
    """Commands of all pages, oldest first, on their way from the server's thread to the run's.

    A newer command takes the place, at the end, of an older one that it makes pointless: of moves
    of the hand only the newest waits, and of the values of one tunable, of speeds, of lists of
    signals. A release takes away what the hand did before it, and is never dropped.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, Command]] = []

    def put(self, page: int, command: Command) -> bool:
        """Leave a command of a page; return False if too many of its wait."""
        with self._lock:
            left = [item for item in self._waiting if not _overtakes(command, item[1])]
            hand = isinstance(command, HandMove | HandRelease)
            if not hand and sum(1 for owner, _ in left if owner == page) >= MOST:
                return False
            self._waiting = [*left, (page, command)]
            return True

    def take(self) -> Sequence[Command]:
        """Return all commands and keep none. Nothing but a look, if there are none."""
        if not self._waiting:
            return ()
        with self._lock:
            taken, self._waiting = self._waiting, []
        return tuple(command for _, command in taken)


def _overtakes(newer: Command, older: Command) -> bool:
    """Whether a command makes an older one pointless."""
    match newer, older:
        case (HandMove(), HandMove()) | (HandRelease(), HandMove() | HandRelease()):
            return True
        case (Speed(), Speed()) | (WatchSignals(), WatchSignals()):
            return True
        case Tune(path=path), Tune(path=before):
            return path == before
    return False
