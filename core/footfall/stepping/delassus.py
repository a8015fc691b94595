"""The method of a step's Delassus matrix: the factored inertia, or articulated bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from footfall.errors import SettingError
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, point_at, table_of
from footfall.kernels.delassus import articulated as bodies
from footfall.kernels.delassus import operational_inertia as kernels
from footfall.problem.arrays import DelassusName
from footfall.world.articulated_arrays import Articulated, allocate
from footfall.world.joint_rows import FORM
from footfall.world.world import World

Step = Callable[..., Any]
"""A kernel with its arrays bound."""
FILL = {
    "unit_body_forces": kernels.fill_by_unit_body_forces,
    "omega_recursion": kernels.fill_by_omega_recursion,
    "unit_contact_forces": kernels.fill_by_unit_contact_forces,
}
"""The methods that go through articulated bodies."""


class DelassusMethod(ABC):
    """Computes ``J M^-1 J'`` of each contact problem, also known as Lambda^-1."""

    def renew(self, world: World) -> None:  # noqa: B027
        """Make room anew after the contact problem has grown; by default there is none to make."""

    @abstractmethod
    def after_settling(self, settle: Step, tree: int | None) -> Step:
        """Return ``settle(dt)`` of a tree (None: of all free bodies) with what the method adds."""

    @abstractmethod
    def after_building(self, build: Step) -> Step:
        """Return a kernel that builds a problem, with the method's matrix in it."""


class SparseFactor(DelassusMethod):
    """From the factor ``M = L' D L``: ``Z' Z`` with ``Z = D^-1/2 L^-T J'``, in the step itself."""

    def after_settling(self, settle: Step, tree: int | None) -> Step:
        """Add nothing."""
        return settle

    def after_building(self, build: Step) -> Step:
        """Add nothing."""
        return build


class ArticulatedBodies(DelassusMethod):
    """From articulated-body inertias, which are computed together with the free velocity."""

    def __init__(self, name: DelassusName, world: World, table: Table) -> None:
        """Make the work space.

        Raises:
            SettingError: if the world has what these methods do not know: closed loops, limits
                or friction of joints as rows of the problem, drives that couple joints.
        """
        _require_open_chains(name, world)
        self.arrays: Articulated = allocate(world.topology, len(world.problem.kind))
        self._table, self.bodies = table, table_of(self.arrays)
        self.fill: Step = bind(FILL[name], table, self.bodies)

    def renew(self, world: World) -> None:
        """Take over larger arrays: what is bound to the table finds them there."""
        self.arrays = allocate(world.topology, len(world.problem.kind))
        point_at(self.bodies, table_of(self.arrays))

    def after_settling(self, settle: Step, tree: int | None) -> Step:
        """Add the articulated-body inertias of the same step length."""
        if tree is None:
            add = bind(bodies.articulate_free_bodies, self._table, self.bodies, like=(0.0,))
        else:
            add = bind(bodies.articulate_tree, self._table, self.bodies, tree, like=(0.0,))

        def settle_and_articulate(dt: float) -> None:
            settle(dt)
            add(dt)

        return settle_and_articulate

    def after_building(self, build: Step) -> Step:
        """Fill the matrix anew."""
        fill = self.fill

        def build_and_fill(*arguments: Any) -> None:
            build(*arguments)
            fill()

        return build_and_fill


def delassus_method(name: DelassusName, world: World, table: Table) -> DelassusMethod:
    """Return a method by name, for a world and the table of its arrays.

    Raises:
        SettingError: if the method cannot be used for this world.
    """
    return SparseFactor() if name == "sparse" else ArticulatedBodies(name, world, table)


def _require_open_chains(name: str, world: World) -> None:
    found = [
        what
        for what, there in (
            ("closed loops", world.loop_names),
            (
                "limits or friction of joints",
                world.joint_row_names and world.joint_rows.active[FORM],
            ),
            ("drives that couple joints", len(world.joints.coupling)),
        )
        if there
    ]
    if found:
        raise SettingError(
            f'"{name}" does not know {found[0]}: choose "sparse"', "simulation", "delassus"
        )
