"""The checks of contact laws."""

from footfall.testing.check import checks_of
from footfall_check.kit.contact import (
    calls,
    conditions,
    degenerate,
    energy,
    hinged,
    loops,
    simulated,
    sliding,
    symmetry,
)
from footfall_check.kit.contact import usual as declared
from footfall_check.kit.contact.causes import likely_cause

CHECKS = checks_of(
    "contact",
    declared.declarations,
    *calls.ALL,
    simulated.restore,
    *symmetry.ALL,
    conditions.cone,
    conditions.open_points,
    conditions.natural_map,
    conditions.natural_map_singular,
    conditions.natural_map_mass_ratio,
    conditions.natural_map_limits,
    conditions.complementarity,
    conditions.reported_residual,
    conditions.slopes,
    loops.equality,
    energy.energy,
    energy.restitution,
    simulated.bounce,
    simulated.weight,
    hinged.hinged,
    sliding.friction_level,
    sliding.friction_tilted,
    sliding.sliding,
    degenerate.no_contact,
    degenerate.duplicates,
    degenerate.frictionless,
    degenerate.not_finite,
    cause=likely_cause,
)
