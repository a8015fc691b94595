"""The integrator role: how position follows velocity."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from footfall.plugin import Plugin


class Integrator(Plugin):
    """Base of integrators; a stepper takes one family of them."""

    order: ClassVar[int] = 1
    """Order of the error of positions and velocities at the end of a smooth motion."""


class OneStep(Integrator):
    """A time-stepping scheme: ``q+ = q (+) dt (theta v+ + (1 - theta) v)`` on the manifold.

    The velocity step is ``v+ = v + dt a`` in the mixed (world-aligned) representation.
    """

    @property
    @abstractmethod
    def theta(self) -> float:
        """Weight of the new velocity in the position update, 0 (explicit) to 1 (semi-implicit)."""
