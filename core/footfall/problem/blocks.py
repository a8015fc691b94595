"""The typed blocks that a contact problem is made of."""

from __future__ import annotations

from enum import IntEnum


class BlockKind(IntEnum):
    """What a block's impulse ``r`` and target velocity ``u`` must satisfy.

    * ``EQUALITY`` (any rows): ``u = 0``; loops and welds. Eliminated by the host before a law
      sees the problem, unless the law asks for them.
    * ``UNILATERAL`` (1 row): ``0 <= r  perp  u >= 0``; joint limits.
    * ``BOX`` (1 row): ``u = 0`` if ``lower < r < upper``, ``u >= 0`` at the lower and ``u <= 0``
      at the upper bound; joint friction (bounds are impulses, [N s] or [N m s]).
    * ``CONE`` (3 rows: tangent, tangent, normal): Signorini's condition and Coulomb's law with the
      exact cone ``|r_t| <= mu r_n``.
    * ``TORSIONAL`` (4 rows) and ``ROLLING`` (6 rows) are reserved.
    """

    EQUALITY = 0
    UNILATERAL = 1
    BOX = 2
    CONE = 3
    TORSIONAL = 4
    ROLLING = 6
