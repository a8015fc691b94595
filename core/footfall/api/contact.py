"""Contact laws and impact models: the two roles, the contact problem that both see, tools over it.

The tools: eliminated loops, collision groups, the projection on the cone, residuals, soundness.
Also the role of methods that compute the problem's Delassus matrix.
"""

from __future__ import annotations

from footfall.interfaces.contact import (
    Claims,
    DelassusMethod,
    ForceLaw,
    ImpactModel,
    ImpulseLaw,
    LawState,
    Need,
)
from footfall.problem.arrays import (
    REPORT,
    SIZE,
    BlockKind,
    Factor,
    allocate,
    lone_problem,
)
from footfall.problem.contact_problem import ContactProblem, Report
from footfall.problem.elimination import Elimination, damped_inverse
from footfall.problem.group_kernels import label_groups
from footfall.problem.groups import DenseGroup, dense_groups, solve_groupwise
from footfall.problem.residuals import largest_diagonal, natural_map_cone, project_cone
from footfall.problem.soundness import symmetrise

__all__ = [
    "REPORT",
    "SIZE",
    "BlockKind",
    "Claims",
    "ContactProblem",
    "DelassusMethod",
    "DenseGroup",
    "Elimination",
    "Factor",
    "ForceLaw",
    "ImpactModel",
    "ImpulseLaw",
    "LawState",
    "Need",
    "Report",
    "allocate",
    "damped_inverse",
    "dense_groups",
    "label_groups",
    "largest_diagonal",
    "lone_problem",
    "natural_map_cone",
    "project_cone",
    "solve_groupwise",
    "symmetrise",
]
