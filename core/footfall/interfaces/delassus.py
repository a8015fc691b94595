"""The role of a step's Delassus matrix: another way to compute ``J M^-1 J'``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from footfall.jit.tables import Table

SPARSE = "sparse"
"""Name of the core's own method, which needs no plugin."""


class DelassusMethod(ABC):
    """Computes ``J M^-1 J'`` of each contact problem, also known as Lambda^-1.

    Constructed as ``cls(table)`` with the table of the arrays of a world, which the openers of
    ``footfall.api.kernels`` open, in kernels as in Python. The step has filled the matrix from
    the factored inertia when a method overwrites it. ``[simulation] delassus`` names the method;
    it has no settings.
    """

    name: ClassVar[str]
    """Name by which a scene chooses it."""
    open_chains_only: ClassVar[bool] = False
    """Whether it does not know closed loops, limits and friction of joints as rows of the problem,
    and drives that couple joints: worlds that have them are refused."""

    def __init__(self, table: Table) -> None:  # noqa: B027
        """Make the work space, if there is any."""

    def renew(self) -> None:  # noqa: B027
        """Make room anew after the contact problem has grown.

        The table holds the new arrays. What Python has opened before still holds the old ones.
        """

    @abstractmethod
    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Return what evaluates a tree for a step, with what the method adds.

        Args:
            settle: ``settle(dt)`` computes the free velocity over a step of length dt, [s].
            tree: index of the tree; None: all free bodies.
        """

    @abstractmethod
    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Return what builds a contact problem, with the method's matrix in it.

        Args:
            build: builds it; its arguments are the step's own, to be handed on.
        """
