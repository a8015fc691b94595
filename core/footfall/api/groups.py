"""Collision groups of a contact problem, closed loops eliminated, the Delassus matrix factored."""

from __future__ import annotations

from footfall.problem.elimination import Elimination, damped_inverse, rank_safe
from footfall.problem.factor import Factor, no_factor
from footfall.problem.group_kernels import label_groups
from footfall.problem.groups import DenseGroup, dense_groups, part_of, solve_groupwise

__all__ = [
    "DenseGroup",
    "Elimination",
    "Factor",
    "damped_inverse",
    "dense_groups",
    "label_groups",
    "no_factor",
    "part_of",
    "rank_safe",
    "solve_groupwise",
]
