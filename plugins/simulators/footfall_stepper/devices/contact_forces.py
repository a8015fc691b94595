"""Contact forces between named parts of a world, for Python and for sensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.errors import SettingError
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, allocated, table_of
from footfall.simulator.simulator import ContactForce
from footfall.typing import Floats
from footfall_stepper.devices.part_names import full_name, geometries_by_name
from footfall_stepper.kernels.contact.pair_force import PairForce, sum_pair_force
from footfall_stepper.world.collision_arrays import Coefficients, KnownContacts
from footfall_stepper.world.world import World


class ContactForces:
    """Sums of the forces of a world's last step, by pair of names.

    Args:
        world: the world.
        table: of its arrays.
        carried: of its detected contacts; None without collision detection.
        time_step: length of a step, [s].
    """

    def __init__(self, world: World, table: Table, carried: Table | None, time_step: float) -> None:
        self._world, self._table, self._dt = world, table, np.array([time_step])
        self._carried = _no_contacts() if carried is None else carried
        self._named: dict[str, set[int]] = {}
        self._made: dict[tuple[str, str | None], tuple[Callable[[Floats], None], Floats]] = {}

    def measure(self, one: str, other: str | None, row: Floats) -> ContactForce:
        """Return the force on ``one``; see ``Simulator.contact_force``."""
        made = self._made.get((one, other))
        if made is None:
            out = np.zeros(9)
            made = self._made[one, other] = self.bound(one, other, out), out
        made[0](row)
        return ContactForce(*made[1].reshape(3, 3).copy())

    def bound(self, one: str, other: str | None, out: Floats) -> Callable[[Floats], None]:
        """Return a kernel that writes the force on ``one`` to ``out``, shape (9,).

        Raises:
            SettingError: if a name means nothing or several things, or they have a part in common.
        """
        if not self._named:
            collider = self._world.collider
            shapes = () if collider is None else collider.shapes
            self._named = geometries_by_name(self._world, shapes)
        first, every = self._geometries(one), set().union(*self._named.values())
        second = every - first if other is None else self._geometries(other)
        if first & second or one == other:
            raise SettingError(f"{one!r} and {other!r} have a part in common")
        side = np.zeros(1 + max(every), np.int64)
        side[list(first)], side[list(second)] = 1, 2
        arrays = PairForce(side, self._dt, out)
        kernel: Callable[[Floats], None] = bind(
            sum_pair_force,
            *(self._table, self._carried, table_of(arrays)),
            like=(np.zeros(1),),
        )
        return kernel

    def _geometries(self, path: str) -> set[int]:
        try:
            return self._named[full_name(path, self._named, "body or link")]
        except SettingError as error:
            raise SettingError(f"{path!r}: {error.reason}") from error


def _no_contacts() -> Table:
    return table_of(allocated(KnownContacts, 0, gone_count=1), allocated(Coefficients, 0))
