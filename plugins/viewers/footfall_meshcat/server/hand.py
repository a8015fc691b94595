"""The hand of the pages: one page has it at a time."""

from __future__ import annotations

import time
from dataclasses import replace

from footfall.api.advanced import HandMove, HandRelease
from footfall.api.viewer import Reading
from footfall_meshcat.server.page_messages import Grab, Move

SILENCE = 3.0
"""Time without any message after which a page loses the hand, [s]; its next move takes it back,
unless another page has it."""


class Hand:
    """The hand that the pages share.

    Attributes:
        holder: number of the page that has it; None if it is free.
    """

    def __init__(self) -> None:
        self.holder: int | None = None
        self._held: Reading | None = None
        self._lost: tuple[int, Reading] | None = None  # a silent page, and what it held
        self._serial = 0
        self._heard = 0.0

    def take(self, page: int) -> bool:
        """Give the hand to a page if it is free; return whether the page has it."""
        if self.holder is None:
            self.holder, self._serial, self._lost = page, 0, None
            self._heard = time.monotonic()
        return self.holder == page

    def grab(self, page: int, grab: Grab) -> HandMove | None:
        """Return the command of a grab for the run; None if another page has the hand.

        Raises:
            ValueError: if the serial decreases.
        """
        if not self.take(page):
            return None
        self._check(grab.serial)
        self._held = grab.reading
        return HandMove(grab.serial, grab.reading)

    def move(self, page: int, move: Move) -> HandMove | None:
        """Return the command of a move; None if another page has the hand or nothing is held."""
        if self.holder is None and self._lost is not None and self._lost[0] == page:
            held = self._lost[1]
            self.take(page)
            self._held = held
        if self.holder != page or self._held is None:
            return None
        self._check(move.serial)
        link, point, mode = self._held.link, self._held.point, self._held.mode
        return HandMove(move.serial, replace(move.reading, link=link, point=point, mode=mode))

    def release(self, page: int, serial: int = 0) -> HandRelease | None:
        """Free the hand if the page has it; return None if the run needs no command.

        Args:
            page: number of the page.
            serial: serial of the page's message; 0 without a message.
        """
        if self._lost is not None and self._lost[0] == page:
            self._lost = None
        if self.holder != page:
            return None
        held, self.holder, self._held = self._held, None, None
        return HandRelease(max(serial, self._serial)) if held else None

    def lose(self) -> HandRelease | None:
        """Free the hand of a silent page; the page may take it back."""
        page, held = self.holder, self._held
        if page is None:
            return None
        released = self.release(page)
        self._lost = (page, held) if held else None
        return released

    def hear(self, page: int) -> None:
        """Record a sign of life of a page."""
        if self.holder == page:
            self._heard = time.monotonic()

    @property
    def silent(self) -> bool:
        """Whether the page that has the hand has been silent for too long."""
        return self.holder is not None and time.monotonic() - self._heard > SILENCE

    def _check(self, serial: int) -> None:
        if serial < self._serial:
            raise ValueError("serial falls")
        self._serial = serial
