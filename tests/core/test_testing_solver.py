"""Each check of QP solvers fails one that is broken in its way, and passes a sound one."""

from tests.cases import each
from tests.core import broken_solver as broken

import footfall.testing
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("solver")}
BROKEN = {
    "declarations": broken.absurd,
    "shapes": broken.column,
    "inputs": broken.mutates,
    "deterministic": broken.random,
    "no_hidden_state": broken.hidden_state,
    "answers_kept": broken.one_array,
    "regular": broken.coarse,
    "singular": broken.regularised,
    "equalities": broken.first_row_only,
    "unconstrained": broken.needs_rows,
    "scales": broken.absolute,
    "infeasible": broken.always_solved,
    "unbounded": broken.always_solved,
    "not_valid": broken.never_invalid,
    "honest": broken.always_exact,
    "warm_start": broken.slower_when_warm,
    "bad_warm_start": broken.trusts_its_start,
}


def examine(name, solver):
    return CHECKS[name].examine(subject_of("solver", solver))


def test_every_check_has_a_solver_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_solver_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@each("name", CHECKS)
def test_the_check_passes_a_sound_solver(name):
    finding = examine(name, broken.Sound)
    assert finding.passed, finding


def test_a_solver_that_takes_no_warm_start_must_ignore_it():
    assert not examine("warm_start", broken.says_it_starts_cold).passed
