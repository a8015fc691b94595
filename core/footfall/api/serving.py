"""What every server of sockets needs, whoever connects to it."""

from __future__ import annotations

from footfall.serving.allowance import Allowance
from footfall.serving.bounded_reads import bound_frames

__all__ = [
    "Allowance",
    "bound_frames",
]
