"""Contact laws and impact models, and the contact problem that both solve."""

from __future__ import annotations

from footfall.interfaces.contact import (
    Claims as Claims,
    ForceLaw as ForceLaw,
    ImpactModel as ImpactModel,
    ImpulseLaw as ImpulseLaw,
    LawState as LawState,
    Need as Need,
)
from footfall.problem.arrays import (
    BlockKind as BlockKind,
    ProblemReport as ProblemReport,
    ProblemSize as ProblemSize,
    problem_from_arrays as problem_from_arrays,
)
from footfall.problem.contact_problem import ContactProblem as ContactProblem
