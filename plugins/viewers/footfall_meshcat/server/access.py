"""Access to the pages: on this machine for everybody, elsewhere with the token."""

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
    """Return the token that is asked for: the one given, or a new one for another address."""
    if token is None and not address.loopback:
        return secrets.token_urlsafe(TOKEN_BYTES)
    return token


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must bring.

    Attributes:
        address: where the server listens.
        port: likewise.
        token: that must be given, as ``?token=`` or as the page's cookie; None: none is.
        complaints: where wrong ones are logged.
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
        """Answer a request that has not the token; it then ends."""
        if self.token is None or self._has_cookie(request) or self.given(request):
            return
        remote = str(request.request.remote_ip)
        self.complaints.about(remote, "refused: it has not the token")
        request.set_status(403)
        request.set_header("Content-Type", "text/plain; charset=utf-8")
        request.finish("Open the address that the viewer printed: it ends in a token.\n")

    def given(self, request: RequestHandler) -> bool:
        """Whether the address of a request has the token."""
        return self._is_token(request.get_query_argument("token", ""))

    def remember(self, request: RequestHandler) -> None:
        """Let the browser bring the token from now on: what the page loads needs it too."""
        assert self.token is not None
        # Lax, not strict: the address may be opened from a chat or a mail. Sockets and files that
        # pages of other sites ask for come without it in either case.
        request.set_cookie(self._cookie, self.token, path="/", httponly=True, samesite="Lax")

    @property
    def _cookie(self) -> str:
        return f"footfall-{self.port}"  # cookies know no ports

    def _has_cookie(self, request: RequestHandler) -> bool:
        return self._is_token(request.get_cookie(self._cookie) or "")

    def _is_token(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())
