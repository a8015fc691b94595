"""Tools over a contact problem for laws: residuals, soundness, groups, eliminated loops.

Also the role of methods that compute its Delassus matrix.
"""

from __future__ import annotations

from footfall.interfaces.delassus import DelassusMethod
from footfall.problem.arrays import Factor
from footfall.problem.elimination import Elimination, damped_inverse
from footfall.problem.group_kernels import label_groups
from footfall.problem.groups import DenseGroup, dense_groups, solve_groupwise
from footfall.problem.residuals import (
    largest_diagonal,
    natural_map_cone,
    project_cone,
)
from footfall.problem.soundness import symmetrise

__all__ = [
    "DelassusMethod",
    "DenseGroup",
    "Elimination",
    "Factor",
    "damped_inverse",
    "dense_groups",
    "label_groups",
    "largest_diagonal",
    "natural_map_cone",
    "project_cone",
    "solve_groupwise",
    "symmetrise",
]
