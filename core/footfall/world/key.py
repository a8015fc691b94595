"""Identity of a contact: which geometries touch, and which feature of the pair.

Warm starts, contact state and recordings belong to a key, not to a position in an array. Declared
points have their keys from the start; detected ones get theirs from the pair that touches.
"""

from __future__ import annotations

BITS = 21
"""Bits of each of the three numbers; with three of them the key stays a positive int64."""
ENVIRONMENT = 0
"""The geometry that stands for the terrain."""


def contact_key(a: int, b: int, feature: int) -> int:
    """Pack geometry a (the ground's side), geometry b and a feature number into one int64.

    Raises:
        ValueError: if a number is negative or does not fit 21 bits.
    """
    for number in (a, b, feature):
        if not 0 <= number < 1 << BITS:
            raise ValueError(f"contact key ({a}, {b}, {feature}): each must be in [0, 2^{BITS})")
    return (a << (2 * BITS)) | (b << BITS) | feature


def unpack_key(key: int) -> tuple[int, int, int]:
    """Return geometry a, geometry b and feature of a key."""
    mask = (1 << BITS) - 1
    return key >> (2 * BITS), (key >> BITS) & mask, key & mask
