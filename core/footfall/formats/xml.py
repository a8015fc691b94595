"""Numbers and names from XML attributes, with errors that name element and file."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, RobotWarning

LARGEST = 1e30
"""Greatest magnitude of a number, in any unit; sums of products of larger ones would overflow."""


@dataclass(frozen=True, slots=True)
class FileElement:
    """A place in a model file.

    Attributes:
        file: path, as errors show it.
        element: e.g. ``link "l_foot"``.
    """

    file: str
    element: str

    def __str__(self) -> str:
        return f"{self.file}: {self.element}"

    def error(self, message: str) -> RobotError:
        """Return an error at this place."""
        return RobotError(f"{self}: {message}")

    def attribute(self, node: Element, key: str) -> str:
        """Return a required attribute.

        Raises:
            RobotError: if it is missing or empty.
        """
        value = node.get(key, "").strip()
        if not value:
            raise self.error(f"<{node.tag}> needs {key}=")
        return value

    def numbers(
        self, node: Element, key: str, *, count: int = 1, default: tuple[float, ...] | None
    ) -> tuple[float, ...]:
        """Return the ``count`` finite numbers of an attribute, or ``default`` if it is missing.

        Commas between numbers are accepted with a ``RobotWarning``.

        Raises:
            RobotError: if it is missing without a default, holds something else than ``count``
                numbers, or a number is not finite or too large.
        """
        text = node.get(key)
        if text is None and default is not None:
            return default
        words = self.attribute(node, key).replace(",", " ").split()
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            values = ()
        if len(values) != count:
            wanted = "a number" if count == 1 else f"{count} numbers"
            raise self.error(f'<{node.tag}> {key}="{text}" must be {wanted}')
        if "," in str(text):
            told = f'{self}: <{node.tag}> {key}="{text}": commas are taken as spaces'
            warnings.warn(told, RobotWarning, stacklevel=2)
        if not all(math.isfinite(value) for value in values):
            raise self.error(f'<{node.tag}> {key}="{text}" must be finite')
        if max(map(abs, values)) > LARGEST:
            raise self.error(f'<{node.tag}> {key}="{text}" must not be beyond {LARGEST:g}')
        return values

    def number(self, node: Element, key: str, *, default: float | None = None) -> float:
        """Return one finite number; see ``numbers``."""
        return self.numbers(node, key, default=None if default is None else (default,))[0]

    def at_least_zero(self, node: Element, key: str) -> float:
        """Return one finite number from zero up, zero if it is missing.

        Raises:
            RobotError: if it is negative; also as ``numbers``.
        """
        value = self.number(node, key, default=0.0)
        if value < 0.0:
            raise self.error(f'<{node.tag}> {key}="{node.get(key)}" must not be negative')
        return value
