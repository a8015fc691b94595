"""Contact laws and impact models: the two roles, their contact problem, and tools for it.

The tools: eliminated loops, collision groups, the projection on the cone, residuals, symmetry. Also
the role of methods for the problem's Delassus matrix.
"""

from __future__ import annotations

from footfall.interfaces.contact import (
    Claims as Claims,
    DelassusMethod as DelassusMethod,
    ForceLaw as ForceLaw,
    ImpactModel as ImpactModel,
    ImpulseLaw as ImpulseLaw,
    LawState as LawState,
    Need as Need,
)
from footfall.problem.arrays import (
    REPORT as REPORT,
    SIZE as SIZE,
    BlockKind as BlockKind,
    Factor as Factor,
    allocate as allocate,
    lone_problem as lone_problem,
)
from footfall.problem.contact_problem import ContactProblem as ContactProblem
from footfall.problem.elimination import (
    Elimination as Elimination,
    damped_inverse as damped_inverse,
)
from footfall.problem.blocks import label_groups as label_groups
from footfall.problem.groups import (
    DenseGroup as DenseGroup,
    dense_groups as dense_groups,
    solve_groupwise as solve_groupwise,
)
from footfall.problem.residuals import (
    largest_diagonal as largest_diagonal,
    natural_map_cone as natural_map_cone,
    project_cone as project_cone,
)
from footfall.problem.soundness import symmetrise as symmetrise
