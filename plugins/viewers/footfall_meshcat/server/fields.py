"""The fields of a page's message, each checked for type, length and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.api.plugin import Floats


class Fields:
    """The fields of a message not yet taken. Errors name the key, never its value."""

    def __init__(self, content: Mapping[str, object]) -> None:
        self._left = dict(content)

    def end(self) -> None:
        """Reject fields that were not taken.

        Raises:
            ValueError: if a key is left.
        """
        if self._left:
            raise ValueError("unknown key")

    def has(self, key: str) -> bool:
        """Return whether a key is there and not null; remove a null."""
        if self._left.get(key) is None:
            self._left.pop(key, None)
            return False
        return True

    def whole(self, key: str, low: int, high: int) -> int:
        """Take a whole number from ``low`` to ``high``.

        Raises:
            ValueError: if it is none.
        """
        value = self._left.pop(key, None)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{key} must be a whole number from {low} to {high}")
        return value

    def number(self, key: str, low: float, high: float) -> float:
        """Take a finite number from ``low`` to ``high``.

        Raises:
            ValueError: if it is none.
        """
        value = self._left.pop(key, None)
        if not _between(value, low, high):
            raise ValueError(f"{key} must be a number from {low:g} to {high:g}")
        return float(value)  # type: ignore[arg-type]

    def numbers(self, key: str, lengths: Sequence[int], low: float, high: float) -> Floats:
        """Take a list of numbers from ``low`` to ``high`` with one of the lengths.

        Raises:
            ValueError: if it is none.
        """
        values = self._left.pop(key, None)
        if (
            not isinstance(values, list)
            or len(values) not in lengths
            or not all(_between(value, low, high) for value in values)
        ):
            many = " or ".join(map(str, lengths))
            raise ValueError(f"{key} must be a list of {many} numbers from {low:g} to {high:g}")
        return np.array(values, np.float64)

    def text(self, key: str, longest: int) -> str:
        """Take a text of 1 to ``longest`` printable characters.

        Raises:
            ValueError: if it is none.
        """
        return _text(self._left.pop(key, None), key, longest)

    def texts(self, key: str, most: int, longest: int) -> tuple[str, ...]:
        """Take a list of at most ``most`` texts, each as for ``text``.

        Raises:
            ValueError: if it is none.
        """
        values = self._left.pop(key, None)
        if not isinstance(values, list) or len(values) > most:
            raise ValueError(f"{key} must be a list of at most {most} texts")
        return tuple(_text(value, key, longest) for value in values)

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """Take one of the given words.

        Raises:
            ValueError: if it is another one.
        """
        value = self._left.pop(key, None)
        for choice in choices:
            if value == choice:
                return choice
        raise ValueError(f"{key} must be one of {', '.join(choices)}")


def _between(value: object, low: float, high: float) -> bool:
    """Return whether a value is a finite number within bounds; true and false are not numbers."""
    return type(value) in (int, float) and low <= value <= high  # type: ignore[operator]


def _text(value: object, key: str, longest: int) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= longest or not value.isprintable():
        raise ValueError(f"{key} must be a printable text of 1 to {longest} characters")
    return value
