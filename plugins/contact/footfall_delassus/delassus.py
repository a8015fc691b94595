"""Methods that compute the Delassus matrix from articulated bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from footfall.api.advanced import DelassusMethod, point_at
from footfall.api.kernels import Table, bind, open_problem, open_topology, table_of
from footfall_delassus.arrays import Articulated, allocate
from footfall_delassus.kernels import delassus as kernels
from footfall_delassus.kernels.articulated import articulate_free_bodies, articulate_tree


class ArticulatedBodies(DelassusMethod):
    """Method that uses articulated-body inertias, computed together with the free velocity.

    Attributes:
        arrays: the articulated-body quantities of the world.
        bodies: their table.
        fill: the kernel that fills the matrix of the current problem.
    """

    open_chains_only = True
    kernel: ClassVar[Callable[..., None]]
    """Kernel that fills the matrix, from the tables of the world and of the articulated bodies."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.arrays = self._allocated()
        self.bodies = table_of(self.arrays)
        self.fill: Callable[[], None] = bind(type(self).kernel, table, self.bodies)

    def _allocated(self) -> Articulated:
        return allocate(open_topology(self._table), len(open_problem(self._table).kind))

    def renew(self) -> None:
        """Allocate the arrays for a larger world; kernels bound to the table find them there."""
        self.arrays = self._allocated()
        point_at(self.bodies, table_of(self.arrays))

    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Return ``settle`` followed by the articulated-body inertias for the same step length."""
        if tree is None:
            add = bind(articulate_free_bodies, self._table, self.bodies, like=(0.0,))
        else:
            add = bind(articulate_tree, self._table, self.bodies, tree, like=(0.0,))

        def settle_and_articulate(dt: float) -> None:
            settle(dt)
            add(dt)

        return settle_and_articulate

    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Return ``build`` followed by filling the matrix."""
        fill = self.fill

        def build_and_fill(*arguments: Any) -> None:
            build(*arguments)
            fill()

        return build_and_fill


class UnitBodyForces(ArticulatedBodies):
    """Method with Omega by six unit forces on each touched link, projected into the contacts.

    Chardonnet, Keith, Yoshida, Escande, Kheddar, Yokoi: Interactive dynamic simulator for humanoid
    robots with contact and haptic interaction, eq. 5.
    """

    name = "unit_body_forces"
    kernel = kernels.fill_by_unit_body_forces


class OmegaRecursion(ArticulatedBodies):
    """Method with Omega by recursion from the root, projected (Chang and Khatib, ICRA 2000)."""

    name = "omega_recursion"
    kernel = kernels.fill_by_omega_recursion


class UnitContactForces(ArticulatedBodies):
    """Method with three unit forces at each contact and the accelerations of all contacts.

    Source: Chardonnet et al. (2006).
    """

    name = "unit_contact_forces"
    kernel = kernels.fill_by_unit_contact_forces


METHODS: dict[str, type[ArticulatedBodies]] = {
    cls.name: cls for cls in (UnitBodyForces, OmegaRecursion, UnitContactForces)
}
"""Methods by name."""
