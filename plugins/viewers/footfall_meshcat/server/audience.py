"""The pages that are open, and what all of them are to be told."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from footfall.api.visualizer import Command, HandRelease
from footfall_meshcat.server.complaints import Complaints
from footfall_meshcat.server.hand import Hand
from footfall_meshcat.server.inbox import Inbox
from footfall_meshcat.server.status import Holder

if TYPE_CHECKING:
    from footfall_meshcat.server.page_socket import PageSocket

MOST_PAGES = 32
"""Pages that may be connected at a time, [-]."""
BUSY = 1.0
"""Time between two checks that says that the machine is busy, [s]."""


class Audience:
    """Touched in the server's thread only, but for ``somebody`` and ``inbox``.

    Attributes:
        scene: identity of the scene that is served.
        version: number of that scene in this run; frames of another are not sent.
        patience: time that a page may leave what it was sent, [s].
        somebody: set once a page has built the scene.
        inbox: what pages have asked of the run.
        pages: those connected.
        hand: who has it.
        complaints: the log of what pages say; partings: likewise of those disconnected.
        frame: version of its scene, and bytes, of the newest frame; None before the first.
        frame_serial: number of that frame.
        status: what the run does, as ``StatusWriter`` writes it, None before it has been told.
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
        """Take a page away, and the hand from it."""
        self.pages.discard(page)
        if self.hand.holder == page.number:
            self.free_hand(self.hand.release(page.number))

    @property
    def lagging(self) -> bool:
        """Whether some page still lacks the newest frame."""
        return any(page.lags for page in self.pages)

    def publish(self, version: int, frame: bytes) -> None:
        """Offer a newer frame, of that version of the scene, to every page."""
        self.frame = version, frame
        self.frame_serial += 1
        self._push()

    def tell(self, status: tuple[str, str]) -> None:
        """Offer a newer status to every page."""
        self.status = status
        self.repeat_status()

    def repeat_status(self) -> None:
        """Tell the status again, because of who has the hand."""
        self.status_serial += 1
        self._push()

    def change_scene(self, scene: str, version: int) -> None:
        """Tell every page that there is another scene; each gets its frames once it is ready."""
        self.scene, self.version = scene, version
        self.past.add(scene)
        self._push()

    def holder(self, page: PageSocket) -> Holder:
        """Return who has the hand, as a page sees it."""
        if self.hand.holder is None:
            return None
        return "you" if self.hand.holder == page.number else "other"

    def ask(self, page: int, command: Command) -> bool:
        """Leave a command of a page for the run; return False if too many of its wait."""
        return self.inbox.put(page, command)

    def free_hand(self, release: HandRelease | None) -> None:
        """Tell the pages that the hand is free, and the run if it held something."""
        if release is not None:
            self.inbox.put(0, release)
        self.repeat_status()

    def check(self) -> None:
        """Part with pages that take nothing; take the hand from one that says nothing."""
        for page in list(self.pages):
            page.check()
        now, before = time.monotonic(), self._checked
        self._checked = now
        if now - before > BUSY and self.hand.holder is not None:
            self.hand.hear(self.hand.holder)  # it was the server that did not listen
        elif self.hand.silent:
            self.complaints.about(str(self.hand.holder), "says nothing and loses the hand")
            self.free_hand(self.hand.lose())

    def _push(self) -> None:
        for page in list(self.pages):
            page.push()
