"""The kit names the likely cause of a planted mistake in a contact law."""

import numpy as np
import pytest

from footfall.errors import SolverError
from footfall.testing import checks
from footfall.testing.check import describe, subject_of
from footfall_check.kit.contact.causes import likely_cause
from footfall_check.new.templates.contact import NewPlugin as Impulses
from footfall_check.new.templates.contact_force import NewPlugin as Forces

CHECKS = {check.name: check for check in checks("contact")}


class Short(Impulses.Config):
    """Ends early: wrong impulses in one step leave the next ones without an end."""

    max_sweeps: int = 50


def impulses(change):
    """Return the template's law of impulses with its answer changed, (n, 3)."""

    def solve(self, problem, state):
        Impulses.solve(self, problem, state)
        change(problem.impulse.reshape(-1, 3), problem)

    return type("Broken", (Impulses,), {"solve": solve, "Config": Short})


def forces(change):
    """Return the template's law of forces with its answer changed, (n, 3)."""

    def force(self, problem, state, rate, out):
        Forces.force(self, problem, state, rate, out)
        change(out.reshape(-1, 3), problem)

    return type("Broken", (Forces,), {"force": force})


def scale(columns, factor):
    def change(answer, problem):
        answer[:, columns] *= factor

    return change


def turn(answer, problem):
    answer[:] = answer[:, [2, 0, 1]]


def ignore_cone(answer, problem):
    answer[:, :2] = -problem.free_velocity.reshape(-1, 3)[:, :2]


def reach(answer, problem):
    answer[:, 2] = 2e4 * np.abs(problem.gap)


def drive(answer, problem):
    answer[:, 2] += 300.0 * problem.velocity[2::3] * (problem.gap < 0.0)


def times_dt(answer, problem):
    answer *= problem.dt


CHECKED = {"outputs": True, "rotation": False, "deterministic": False}
NORMAL, TANGENTS = slice(2, 3), slice(0, 2)
MISTAKES = {
    "sign of the impulse": (impulses(scale(NORMAL, -1.0)), "weight", "sign is wrong, positive"),
    "nothing written": (impulses(scale(slice(None), 0.0)), "weight", "no normal impulse"),
    "other rows": (impulses(turn), "weight", "third row"),
    "forces for impulses": (impulses(scale(slice(None), 1e3)), "weight", "a factor dt"),
    "dt twice": (impulses(scale(slice(None), 1e-3)), "weight", "a factor dt"),
    "half an impulse": (impulses(scale(slice(None), 0.5)), "weight", "is 0.5 times what stops"),
    "no friction": (impulses(scale(TANGENTS, 0.0)), "sliding", "no friction"),
    "friction's sign": (impulses(scale(TANGENTS, -1.0)), "sliding", "along the sliding"),
    "no bound": (impulses(ignore_cone), "cone", "has no bound"),
    "weak friction": (impulses(scale(TANGENTS, 0.4)), "sliding", "friction is 0.4 times mu"),
    "force's sign": (forces(scale(NORMAL, -1.0)), "cone", "normal force pulls"),
    "no force": (forces(scale(slice(None), 0.0)), "weight", "no normal force"),
    "force at a distance": (forces(reach), "open_points", "acts above the ground"),
    "impulses for forces": (forces(times_dt), "weight", "not impulses"),
    "damper's sign": (forces(drive), "weight", "damper drives"),
    "N/mm": (forces(scale(slice(None), 1e-3)), "weight", "too soft"),
    "too stiff": (forces(scale(slice(None), 500.0)), "weight", "too stiff for 0.001 s"),
    "no friction of forces": (forces(scale(TANGENTS, 0.0)), "sliding", "no friction"),
    "force's friction": (forces(scale(TANGENTS, -1.0)), "sliding", "along the sliding"),
    "wide friction": (forces(scale(TANGENTS, 3.0)), "cone", "friction is 3 times mu"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_cause_of_a_mistake_is_named(mistake):
    law, check, told = MISTAKES[mistake]
    finding = CHECKS[check].examine(subject_of("contact", law))
    assert not finding.passed
    assert f"; likely cause: {finding.cause}" in describe(finding)
    assert told in finding.cause


class Counting(Impulses):
    """Keeps a value from call to call."""

    calls = 0

    def solve(self, problem, state):
        super().solve(problem, state)
        Counting.calls += 1
        problem.impulse[:] *= 1.0 + 1e-6 * Counting.calls


def test_a_mistake_that_one_point_does_not_show_has_the_cause_of_the_check():
    finding = CHECKS["no_hidden_state"].examine(subject_of("contact", Counting))
    assert not finding.passed
    assert "state_parts" in finding.cause


class Adding(Forces):
    """Adds to its output."""

    def force(self, problem, state, rate, out):
        before = out.copy()
        super().force(problem, state, rate, out)
        out += before
        if not np.isfinite(out).all():
            raise SolverError("the contact problem is not finite")


def test_the_errors_of_one_mistake_are_not_called_others():
    found = {name: CHECKS[name].examine(subject_of("contact", Adding)) for name in CHECKED}
    assert not any(finding.passed for finding in found.values())
    assert {name: "overwrite it" in finding.cause for name, finding in found.items()} == CHECKED
    assert found["rotation"].cause == ""


@pytest.mark.parametrize("law", [Impulses, Forces])
def test_a_sound_law_has_no_cause(law):
    assert likely_cause(subject_of("contact", law), "weight") == ""
