"""Compliances of contacts: one value for all, or one by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from footfall.api.plugin import Floats, SceneError, nearest


def compliances_of(names: Sequence[str], common: float, table: Mapping[str, float]) -> Floats:
    """Return the compliance of each contact, shape (names,), [m/N].

    Args:
        names: contact names, ``body/contact``.
        common: compliance of contacts that match no pattern, [m/N].
        table: compliance by name or pattern, [m/N]; if several patterns match, the last counts.

    Raises:
        SceneError: if a pattern matches no contact; offers the nearest name.
    """
    compliance = np.full(len(names), common)
    for pattern, value in table.items():
        exact = pattern in names
        found = [n == pattern if exact else fnmatchcase(n, pattern) for n in names]
        if not any(found):
            hint = nearest(pattern, names) or f" (contacts: {', '.join(names) or 'none'})"
            raise SceneError(
                f"no contact is named or matches {pattern!r}{hint}", key="contact.compliances"
            )
        compliance[found] = value
    return compliance
