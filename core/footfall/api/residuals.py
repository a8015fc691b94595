"""Residuals of the contact laws, soundness of a problem, what a velocity-level law aims at."""

from __future__ import annotations

from footfall.problem.residuals import largest_diagonal, natural_map_cone, project_cone
from footfall.problem.soundness import (
    ROUNDING,
    asymmetry,
    refuse_unsound,
    require_finite,
    semidefinite,
    sound_delassus,
)
from footfall.problem.target import push_out, write_offset

__all__ = [
    "ROUNDING",
    "asymmetry",
    "largest_diagonal",
    "natural_map_cone",
    "project_cone",
    "push_out",
    "refuse_unsound",
    "require_finite",
    "semidefinite",
    "sound_delassus",
    "write_offset",
]
