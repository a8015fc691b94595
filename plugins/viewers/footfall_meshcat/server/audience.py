"""The open pages, and the data for all of them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from footfall.api.advanced import HandRelease
from footfall_meshcat.server.complaints import Complaints
from footfall_meshcat.server.hand import Hand
from footfall_meshcat.server.inbox import Inbox
from footfall_meshcat.server.status import Holder

if TYPE_CHECKING:
    from footfall_meshcat.server.page_socket import PageSocket

MOST_PAGES = 32
"""Largest number of connected pages, [-]."""
BUSY = 1.0
"""Time between two checks above which the machine counts as busy, [s]."""


class Audience:
    """The open pages; use only ``somebody`` and ``inbox`` outside the server's thread.

    Attributes:
        scene: identity of the served scene.
        version: number of that scene in this run; frames of other scenes are not sent.
        patience: longest time in which a page may leave messages unread, [s].
        somebody: set once a page has built the scene.
        inbox: commands of pages for the run.
        pages: the connected pages.
        hand: the hand, with its holder.
        complaints: log of wrong messages; partings: log of disconnected pages.
        frame: version of its scene, and bytes, of the newest frame; None before the first.
        frame_serial: number of that frame.
        status: status of the run, as ``StatusWriter`` writes it; None before the first.
        status_serial: number of that status.
    """

    def __init__(self, scene: str, patience: float) -> None:
        self.scene, self.patience = scene, patience
        self.version = 0
        self.past: set[str] = {scene}
        self.somebody = threading.Event()
        self.inbox = Inbox()
        self.pages: set[PageSocket] = set()
        self.hand = Hand()
        self.complaints, self.partings = Complaints(), Complaints()
        self.frame: tuple[int, bytes] | None = None
        self.frame_serial = 0
        self.status: tuple[str, str] | None = None
        self.status_serial = 0
        self._joined = 0
        self._checked = time.monotonic()

    def join(self, page: PageSocket) -> int:
        """Add a page and return its number."""
        self.pages.add(page)
        self._joined += 1
        return self._joined

    def leave(self, page: PageSocket) -> None:
        """Remove a page; free the hand if the page had it."""
        self.pages.discard(page)
        if self.hand.holder == page.number:
            self.free_hand(self.hand.release(page.number))

    @property
    def lagging(self) -> bool:
        """Return whether some page still lacks the newest frame."""
        return any(page.lags for page in self.pages)

    def publish(self, version: int, frame: bytes) -> None:
        """Offer a newer frame of that version of the scene to every page."""
        self.frame = version, frame
        self.frame_serial += 1
        self._push()

    def tell(self, status: tuple[str, str]) -> None:
        """Offer a newer status to every page."""
        self.status = status
        self.repeat_status()

    def repeat_status(self) -> None:
        """Send the status again after the hand changed its holder."""
        self.status_serial += 1
        self._push()

    def change_scene(self, scene: str, version: int) -> None:
        """Announce another scene to every page; each gets its frames once it is ready."""
        self.scene, self.version = scene, version
        self.past.add(scene)
        self._push()

    def holder(self, page: PageSocket) -> Holder:
        """Return the holder of the hand from a page's point of view."""
        if self.hand.holder is None:
            return None
        return "you" if self.hand.holder == page.number else "other"

    def free_hand(self, release: HandRelease | None) -> None:
        """Announce to the pages that the hand is free, and to the run if it held something."""
        if release is not None:
            self.inbox.put(0, release)
        self.repeat_status()

    def check(self) -> None:
        """Disconnect pages that read nothing; free the hand if its page is silent."""
        for page in list(self.pages):
            page.check()
        now, before = time.monotonic(), self._checked
        self._checked = now
        if now - before > BUSY and self.hand.holder is not None:
            self.hand.hear(self.hand.holder)  # the server itself was late
        elif self.hand.silent:
            self.complaints.about(str(self.hand.holder), "is silent and loses the hand")
            self.free_hand(self.hand.lose())

    def _push(self) -> None:
        for page in list(self.pages):
            page.push()
