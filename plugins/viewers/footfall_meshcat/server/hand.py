"""The hand of the pages: one page has it at a time."""

from __future__ import annotations

import time

from footfall.api.advanced import HandMove, HandRelease
from footfall.api.viewer import Reading
from footfall_meshcat.server.page_messages import Grab, HandAt

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
        self._grab: Grab | None = None
        self._lost: tuple[int, Grab] | None = None  # a silent page, and its grab
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
        self._check(grab.at.serial)
        self._grab = grab
        return self._reading(grab, grab.at)

    def move(self, page: int, at: HandAt) -> HandMove | None:
        """Return the command of a move; None if another page has the hand or nothing is held."""
        if self.holder is None and self._lost is not None and self._lost[0] == page:
            grab = self._lost[1]
            self.take(page)
            self._grab = grab
        if self.holder != page or self._grab is None:
            return None
        self._check(at.serial)
        return self._reading(self._grab, at)

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
        held, self.holder, self._grab = self._grab, None, None
        return HandRelease(max(serial, self._serial)) if held else None

    def lose(self) -> HandRelease | None:
        """Free the hand of a silent page; the page may take it back."""
        page, grab = self.holder, self._grab
        if page is None:
            return None
        released = self.release(page)
        self._lost = (page, grab) if grab else None
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

    @staticmethod
    def _reading(grab: Grab, at: HandAt) -> HandMove:
        reading = Reading(
            holds=True,
            position=at.position,
            rotation=at.rotation,
            force=at.force,
            link=grab.link,
            point=grab.point,
            mode=grab.mode,
        )
        return HandMove(at.serial, reading)
