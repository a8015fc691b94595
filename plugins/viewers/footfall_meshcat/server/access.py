"""Access to the pages: with the token that the printed address ends with, on this machine too."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, field

from tornado.web import RequestHandler

from footfall.api.advanced import Listener, RateLimit
from footfall_meshcat.server.address import Address
from footfall_meshcat.server.complaints import Complaints

TOKEN_BYTES = 24
"""Random bytes of a token, [byte]."""


WRONG, WRONGS = 1.0, 20.0
"""Wrong tokens that are answered at once per second [1/s], and in one burst [-]."""
WAIT = 0.5
"""Time after which others are answered, [s]."""


@dataclass(frozen=True, slots=True)
class Access:
    """Check of requests.

    Attributes:
        address: address of the server.
        port: port of the server.
        token: required token, as ``?token=`` or as the page's cookie.
        complaints: log of rejected requests.
        wrong: limit of wrong tokens that are answered at once.
    """

    address: Address
    port: int
    token: str
    complaints: Complaints
    wrong: RateLimit = field(default_factory=lambda: RateLimit(WRONG, WRONGS))

    @property
    def url(self) -> str:
        """Address of the page, with the token."""
        return f"http://{self.address.shown}:{self.port}/?token={self.token}"

    async def require(self, request: RequestHandler) -> None:
        """Reject a request without the token; many of them have to wait for the answer."""
        if self._has_cookie(request) or self.given(request):
            Listener.keep(getattr(request.request.connection, "stream", None))
            return
        if not self.wrong.spend():
            await asyncio.sleep(WAIT)
        remote = str(request.request.remote_ip)
        self.complaints.about(remote, "refused: it lacks the token")
        request.set_status(403)
        request.set_header("Content-Type", "text/plain; charset=utf-8")
        request.finish("Open the address that the viewer printed; it ends with a token.\n")

    def given(self, request: RequestHandler) -> bool:
        """Return whether the address of a request has the token."""
        return self._is_token(request.get_query_argument("token", ""))

    def remember(self, request: RequestHandler) -> None:
        """Store the token in a cookie, since files that the page loads need it too."""
        # Lax, not strict: the address may be opened from a chat or a mail. In both cases requests
        # of other sites for sockets and files come without it.
        request.set_cookie(self._cookie, self.token, path="/", httponly=True, samesite="Lax")

    @property
    def _cookie(self) -> str:
        return f"footfall-{self.port}"  # cookies do not distinguish ports

    def _has_cookie(self, request: RequestHandler) -> bool:
        return self._is_token(request.get_cookie(self._cookie) or "")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())
