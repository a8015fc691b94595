"""The bounded inbox of pages' commands that the run has not yet taken."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from footfall.api.advanced import HandMove, HandRelease, Speed, Tune, ViewerCommand, WatchSignals

MOST = 32
"""Largest number of waiting commands of one page, [-]; further ones are dropped."""


class Inbox:
    """Commands of all pages, oldest first, from the server's thread to the run's.

    A newer command replaces an older one that it supersedes, and goes to the end. So only the
    newest waits of the hand's moves, of the values of one tunable, of speeds and of lists of
    signals. A release supersedes all earlier commands of the hand, and is never dropped.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, ViewerCommand]] = []

    def put(self, page: int, command: ViewerCommand) -> bool:
        """Queue a command of a page; return False if too many of its commands wait."""
        with self._lock:
            left = [item for item in self._waiting if not _overtakes(command, item[1])]
            hand = isinstance(command, HandMove | HandRelease)
            if not hand and sum(1 for owner, _ in left if owner == page) >= MOST:
                return False
            self._waiting = [*left, (page, command)]
            return True

    def take(self) -> Sequence[ViewerCommand]:
        """Return all commands and remove them; nearly free if there are none."""
        if not self._waiting:
            return ()
        with self._lock:
            taken, self._waiting = self._waiting, []
        return tuple(command for _, command in taken)


def _overtakes(newer: ViewerCommand, older: ViewerCommand) -> bool:
    """Return whether a command supersedes an older one."""
    match newer, older:
        case (HandMove(), HandMove()) | (HandRelease(), HandMove() | HandRelease()):
            return True
        case (Speed(), Speed()) | (WatchSignals(), WatchSignals()):
            return True
        case Tune(path=path), Tune(path=before):
            return path == before
    return False
