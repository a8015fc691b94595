"""The checks of QP solvers."""

from footfall.testing.check import checks_of
from footfall.testing.declarations import declarations
from footfall_check.kit.solver import answers, calls

CHECKS = checks_of(
    "solver",
    declarations,
    calls.shapes,
    calls.inputs,
    calls.deterministic,
    calls.no_hidden_state,
    calls.answers_kept,
    answers.regular,
    answers.singular,
    answers.equalities,
    answers.unconstrained,
    answers.scales,
    answers.infeasible,
    answers.unbounded,
    answers.not_valid,
    answers.honest,
    answers.warm_start,
    answers.bad_warm_start,
)
