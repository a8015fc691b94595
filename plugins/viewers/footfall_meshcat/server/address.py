"""The address of the server, by default this machine only."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

from footfall.api.plugin import PluginError


@dataclass(frozen=True, slots=True)
class Address:
    """An address of this machine.

    Attributes:
        host: the given host.
        ip: its IP address.
    """

    host: str
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address

    @classmethod
    def of(cls, host: str) -> Address:
        """Look up an address.

        Raises:
            PluginError: if there is no such host.
        """
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or "not the name of a host"
            raise PluginError(
                f'visualizer "meshcat": host {host!r} is not known ({reason}); use "127.0.0.1" for '
                'this machine only, "0.0.0.0" for all its networks'
            ) from error
        ips = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
        return cls(host, min(ips, key=lambda ip: ip.version))

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.ip.is_loopback

    @property
    def family(self) -> socket.AddressFamily:
        """IPv4 or IPv6."""
        return socket.AF_INET if self.ip.version == 4 else socket.AF_INET6

    @property
    def shown(self) -> str:
        """Host in the page's address; the machine's name if the server listens at all addresses."""
        if self.ip.is_unspecified:
            return socket.gethostname().lower()
        return f"[{self.ip}]" if self.ip.version == 6 else str(self.ip)

    @property
    def names(self) -> str:
        """Regular expression of the allowed names of the server.

        It keeps out pages of other sites whose host name was redirected to this machine (DNS
        rebinding). IP addresses cannot be redirected.
        """
        names = {self.shown, self.host.lower()}
        names |= {socket.getfqdn().lower()} if self.ip.is_unspecified else set()
        patterns = [re.escape(name) for name in sorted(names)]
        if self.loopback or self.ip.is_unspecified:
            patterns.append("localhost")
        if self.ip.is_unspecified:
            patterns += [r"\d+\.\d+\.\d+\.\d+", r"\[[0-9a-f:.]+\]"]
        return f"({'|'.join(patterns)})"
