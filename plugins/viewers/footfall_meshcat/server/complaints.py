"""The server's log of what pages do wrong: never more than a few lines a second."""

from __future__ import annotations

import logging

from footfall.api.interaction import Allowance

log = logging.getLogger(__name__)


class Complaints:
    """Writes warnings; what is too much is counted, and the count told with the next."""

    def __init__(self, rate: float = 1.0, burst: float = 20.0) -> None:
        """Allow so many lines a second [1/s], and so many at once [-]."""
        self._allowed, self._unsaid = Allowance(rate, burst), 0

    def about(self, page: str, what: str) -> None:
        """Log what a page has done."""
        if not self._allowed.spend():
            self._unsaid += 1
            return
        more = f" ({self._unsaid} warnings before it left out)" if self._unsaid else ""
        self._unsaid = 0
        log.warning("page %s: %s%s", page, what, more)
