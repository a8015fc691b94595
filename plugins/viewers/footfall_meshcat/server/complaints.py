"""The server's log of errors of pages: at most a few lines per second."""

from __future__ import annotations

import logging

from footfall.api.advanced import RateLimit

log = logging.getLogger(__name__)


class Complaints:
    """A writer of warnings; too many are only counted, and the next warning gives the count."""

    def __init__(self, rate: float = 1.0, burst: float = 20.0) -> None:
        """Set the largest number of lines per second [1/s], and in one burst [-]."""
        self._allowed, self._unsaid = RateLimit(rate, burst), 0

    def about(self, page: str, what: str) -> None:
        """Log an error of a page."""
        if not self._allowed.spend():
            self._unsaid += 1
            return
        more = f" ({self._unsaid} earlier warnings left out)" if self._unsaid else ""
        self._unsaid = 0
        log.warning("page %s: %s%s", page, what, more)
