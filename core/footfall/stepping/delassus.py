"""The method of a step's Delassus matrix: the factored inertia, or that of a plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from footfall.errors import SettingError
from footfall.interfaces.contact import SPARSE, DelassusMethod
from footfall.jit.tables import Table
from footfall.world.joint_rows import FORM
from footfall.world.world import World


class SparseFactor(DelassusMethod):
    """From the factor ``M = L' D L``: ``Z' Z`` with ``Z = D^-1/2 L^-T J'``, in the step itself."""

    name = SPARSE

    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Add nothing."""
        return settle

    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Add nothing."""
        return build


def delassus_method(
    method: type[DelassusMethod] | Literal["sparse"], world: World, table: Table
) -> DelassusMethod:
    """Make a method for a world and the table of its arrays.

    Raises:
        SettingError: if it is no method, or cannot be used for this world.
    """
    cls = SparseFactor if method == SPARSE else method
    if not (isinstance(cls, type) and issubclass(cls, DelassusMethod)):
        given = f'must be "{SPARSE}" or a subclass of DelassusMethod, got {method!r}'
        raise SettingError(given, "simulation", "delassus")
    if cls.open_chains_only:
        _require_open_chains(cls.name, world)
    return cls(table)


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
            f'"{name}" does not know {found[0]}: choose "{SPARSE}"', "simulation", "delassus"
        )
