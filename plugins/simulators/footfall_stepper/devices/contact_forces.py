"""Contact forces between named parts of a world, for Python and for sensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from footfall.errors import SettingError
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, allocated, table_of
from footfall.simulator.simulator import ContactForce
from footfall.typing import Floats
from footfall_stepper.devices.part_names import PartNames
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
        nothing = allocated(KnownContacts, 0, gone_count=1), allocated(Coefficients, 0)
        self._carried = table_of(*nothing) if carried is None else carried
        self._made: dict[tuple[str, str | None], tuple[Callable[[Floats], None], Floats]] = {}

    @cached_property
    def _names(self) -> PartNames:
        return PartNames(self._world, getattr(self._world.collider, "shapes", ()))

    def measure(self, one: str, other: str | None, row: Floats) -> ContactForce:
        """Return the force on ``one``; see ``Simulator.contact_force``."""
        if (one, other) not in self._made:
            out = np.zeros(9)
            self._made[one, other] = self.bound(one, other, out), out
        kernel, out = self._made[one, other]
        kernel(row)
        return ContactForce(*out.reshape(3, 3).copy())

    def bound(self, one: str, other: str | None, out: Floats) -> Callable[[Floats], None]:
        """Return a kernel that writes the force on ``one`` to ``out``, shape (9,).

        Raises:
            SettingError: if a name means nothing or several things, or they have a part in common.
        """
        first, every = self._names.find(one), self._names.every
        second = every - first if other is None else self._names.find(other)
        if first & second or one == other:
            raise SettingError(f"{one!r} and {other!r} have a part in common")
        side = np.zeros(1 + max(every), np.int64)
        side[list(first)], side[list(second)] = 1, 2
        given = self._table, self._carried, table_of(PairForce(side, self._dt, out))
        kernel: Callable[[Floats], None] = bind(sum_pair_force, *given, like=(np.zeros(1),))
        return kernel
