"""Versions of the packages that a run depends on."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

ALWAYS = ("numpy", "scipy", "numba")
"""Packages that every run computes with."""


def package_versions(required: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, of what every run uses, and of what plugins require.

    Args:
        required: import names. A module's own word is taken before the distribution of the same
            name; one that has neither is left out.
    """
    versions = {"python": platform.python_version()}
    for name in sorted({*ALWAYS, *required}):
        found = getattr(sys.modules.get(name), "__version__", None) or _installed(name)
        if found:
            versions[name] = str(found)
    return versions


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
