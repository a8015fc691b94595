"""Access to the pages: free on this machine, elsewhere with a token."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from tornado.web import RequestHandler

from footfall_meshcat.server.address import Address
from footfall_meshcat.server.complaints import Complaints

TOKEN_BYTES = 24
"""Random bytes of a token, [byte]."""


def token_for(address: Address, token: str | None) -> str | None:
    """Return the required token: the given one, or a new one if other machines have access."""
    if token is None and not address.loopback:
        return secrets.token_urlsafe(TOKEN_BYTES)
    return token


@dataclass(frozen=True, slots=True)
class Access:
    """Check of requests.

    Attributes:
        address: address of the server.
        port: port of the server.
        token: required token, as ``?token=`` or as the page's cookie; None: no token needed.
        complaints: log of rejected requests.
    """

    address: Address
    port: int
    token: str | None
    complaints: Complaints

    @property
    def url(self) -> str:
        """Address of the page, with the token."""
        given = f"?token={self.token}" if self.token else ""
        return f"http://{self.address.shown}:{self.port}/{given}"

    def require(self, request: RequestHandler) -> None:
        """Reject a request without the token."""
        if self.token is None or self._has_cookie(request) or self.given(request):
            return
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
        assert self.token is not None
        # Lax, not strict: the address may be opened from a chat or a mail. In both cases requests
        # of other sites for sockets and files come without it.
        request.set_cookie(self._cookie, self.token, path="/", httponly=True, samesite="Lax")

    @property
    def _cookie(self) -> str:
        return f"footfall-{self.port}"  # cookies do not distinguish ports

    def _has_cookie(self, request: RequestHandler) -> bool:
        return self._is_token(request.get_cookie(self._cookie) or "")

    def _is_token(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())
