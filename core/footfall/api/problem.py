"""Tools over a contact problem for laws: residuals, soundness, groups, eliminated loops.

Also the role of methods that compute its Delassus matrix.
"""

from __future__ import annotations

from footfall.interfaces.delassus import DelassusMethod
from footfall.problem.arrays import Factor
from footfall.problem.elimination import Elimination, damped_inverse, rank_safe
from footfall.problem.group_kernels import label_groups
from footfall.problem.groups import DenseGroup, dense_groups, solve_groupwise
from footfall.problem.residuals import (
    largest_diagonal,
    natural_map_cone,
    project_cone,
    push_out,
    write_offset,
)
from footfall.problem.soundness import (
    ROUNDING,
    asymmetry,
    refuse_unsound,
    require_finite,
    semidefinite,
    sound_delassus,
)

__all__ = [
    "ROUNDING",
    "DelassusMethod",
    "DenseGroup",
    "Elimination",
    "Factor",
    "asymmetry",
    "damped_inverse",
    "dense_groups",
    "label_groups",
    "largest_diagonal",
    "natural_map_cone",
    "project_cone",
    "push_out",
    "rank_safe",
    "refuse_unsound",
    "require_finite",
    "semidefinite",
    "solve_groupwise",
    "sound_delassus",
    "write_offset",
]
