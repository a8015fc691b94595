"""The places of a scene file where a plugin is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.config.toml_lines import KeyPath

ANY = "*"
"""Stands for any name in the path of a slot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place where a plugin is chosen.

    Attributes:
        path: keys of its table.
        role: name of the catalog that it chooses from.
        default: name of the plugin if none is given; None: it depends on the contact law.
    """

    path: KeyPath
    role: str
    default: str | None

    def matches(self, path: KeyPath) -> bool:
        """Whether a path is this place."""
        return len(path) == len(self.path) and all(
            mine in (ANY, part) for mine, part in zip(self.path, path, strict=True)
        )


TERRAIN = Slot(("world", "terrain"), "terrain", "plane")
CONTROLLER = Slot(("bodies", ANY, "controller"), "controller", "zero")
CONTROLLER_SOLVER = Slot(("bodies", ANY, "controller", "solver"), "solver", "proxqp")
ENGINE = Slot(("engine",), "engine", "pinocchio")
CONTACT = Slot(("contact",), "contact", "coulomb")
CONTACT_SOLVER = Slot(("contact", "solver"), "solver", "proxqp")
IMPACT = Slot(("impact",), "impact", None)
IMPACT_SOLVER = Slot(("impact", "solver"), "solver", "proxqp")
INTEGRATOR = Slot(("integrator",), "integrator", "semi_implicit_euler")
VISUALIZER = Slot(("visualizer",), "visualizer", "none")
DEVICE = Slot(("hands", ANY, "device"), "input_device", "mouse")

SLOTS = (
    TERRAIN,
    CONTROLLER,
    CONTROLLER_SOLVER,
    ENGINE,
    CONTACT,
    CONTACT_SOLVER,
    IMPACT,
    IMPACT_SOLVER,
    INTEGRATOR,
    VISUALIZER,
    DEVICE,
)
"""All of them."""


def slot_at(path: KeyPath) -> Slot | None:
    """Return the slot at a path, None if no plugin is chosen there."""
    return next((slot for slot in SLOTS if slot.matches(path)), None)
