"""Units of a scene's numbers, and defaults of settings in them."""

from __future__ import annotations

import re
from typing import Annotated, TypeVar

from pydantic import Field

from footfall.config.fields import Mass
from footfall.interfaces.plugin import PluginConfig

C = TypeVar("C", bound=PluginConfig)
POWERS = {"m": (1.0, 0.0), "kg": (0.0, 1.0), "N": (1.0, 1.0)}
"""Powers of length and mass in a unit; seconds, radians and pure numbers have none."""


class Units(PluginConfig):
    """Units of all numbers of a scene and its robots; time is in seconds, angles in radians.

    Footfall converts default values to these units.
    """

    length: Annotated[float, Field(ge=1e-4, le=1e4)] = 1.0
    """Unit of length, [m]: 0.001 for millimetres."""
    mass: Mass = 1.0
    """Unit of mass, [kg]: 0.001 for grams."""

    def of(self, value: float, unit: str) -> float:
        """Return a number given in SI units, e.g. ``(1e-3, "m/s")``, in these units.

        Of alternatives, ``N m/rad or N/m``, the first counts; a list, ``m, rad``, has no dimension.
        """
        over, _, under = unit.partition(" or ")[0].partition("/")
        lengths, masses = 0.0, 0.0
        for part, sign in ((over, 1.0), (under, -1.0)) if "," not in unit else ():
            for name, power in re.findall(r"([A-Za-z]+)(?:\^([0-9.]+))?", part):
                length, mass = POWERS.get(name, (0.0, 0.0))
                lengths += sign * length * float(power or 1.0)
                masses += sign * mass * float(power or 1.0)
        return value / float(self.length**lengths * self.mass**masses)

    def defaults_of(self, config: C) -> C:
        """Return settings with their defaults in these units."""
        if self == Units():
            return config
        return config.model_copy(update=config.in_units(self.of))
