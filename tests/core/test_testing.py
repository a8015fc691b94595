"""The conformance kit as third parties use it: one line, one test a check, one report."""

import unittest

import numpy as np
import pytest
from tests.cases import each
from tests.core.broken_contact import Sound, mu_ignored

import footfall.testing
from footfall.errors import PluginError
from footfall.interfaces.contact import ImpulseLaw
from footfall.problem.arrays import ProblemReport
from footfall.registry.registry import Registry
from footfall.testing import Check, Finding, NotApplicable
from footfall.testing.check import describe, subject_of, within, worst
from footfall.testing.problems.answer import ready, solve
from footfall.testing.problems.cases import chain, foot, tower
from footfall.testing.problems.residuals import natural_map
from footfall_check.kit.bench import advance
from footfall_check.kit.contact.simulated import resting


@pytest.mark.parametrize("check", footfall.testing.checks("contact"), ids=str)
def test_one_test_a_check(check):
    check.verify(Sound)


def test_one_line_for_all_checks():
    footfall.testing.assert_conforms("contact", Sound)


def test_a_law_that_does_not_conform_fails_with_the_whole_table():
    with pytest.raises(AssertionError) as caught:
        footfall.testing.assert_conforms("contact", mu_ignored)
    text = str(caught.value)
    assert "failed  friction_level" in text
    assert "passed  deterministic" in text
    assert text.splitlines()[-1].startswith('contact "sound": ')


def test_verify_says_what_was_asserted_measured_and_allowed():
    check = {c.name: c for c in footfall.testing.checks("contact")}["friction_level"]
    with pytest.raises(AssertionError, match=r"friction_level: .* mu m g.*: .*, allowed "):
        check.verify(mu_ignored)


def test_verify_skips_what_is_not_declared_with_the_reason():
    check = {c.name: c for c in footfall.testing.checks("contact")}["restitution"]
    with pytest.raises(unittest.SkipTest, match='does not declare "restitution"'):
        check.verify("gauss_discrete")


def test_a_plugin_is_found_by_name_in_a_registry():
    registry = Registry()
    registry.contact.add("sound", lambda: Sound, summary="")
    assert footfall.testing.check_plugin("contact", "sound", registry=registry).ok
    with pytest.raises(PluginError, match="did you mean 'sound'"):
        footfall.testing.check_plugin("contact", "soun", registry=registry)


@each("role", footfall.testing.roles())
def test_every_role_has_checks_with_unique_names_that_say_what_they_assert(role):
    checks = footfall.testing.checks(role)
    names = [check.name for check in checks]
    assert len(set(names)) == len(names) >= 5
    assert all(check.role == role and len(check.asserts) > 10 for check in checks)


def test_the_roles_of_the_kit_are_those_of_the_registry():
    assert sorted(catalog.role for catalog in Registry().roles) == footfall.testing.roles()


def test_an_unknown_role_is_refused_with_the_nearest():
    with pytest.raises(PluginError, match="did you mean 'contact'"):
        footfall.testing.checks("contacts")
    with pytest.raises(PluginError, match="did you mean 'contact'"):
        footfall.testing.check_plugin("contacts", "coulomb")


def test_a_class_of_another_role_is_refused():
    with pytest.raises(PluginError, match="not a subclass of Engine"):
        footfall.testing.check_plugin("engine", Sound)


def test_a_class_that_is_not_complete_is_refused():
    class Half(ImpulseLaw):
        name = "half"

    with pytest.raises(PluginError, match="does not implement solve"):
        footfall.testing.check_plugin("contact", Half)


def test_an_exception_of_the_plugin_is_a_finding_against_it():
    class Explodes(Sound):
        """Broken."""

        def solve(self, problem, state):
            raise ZeroDivisionError("in the law")

    report = footfall.testing.check_plugin("contact", Explodes)
    messages = {r.check.name: r.finding.message for r in report.failures}
    assert messages["cone"].startswith(
        "raised ZeroDivisionError: in the law (tests/core/test_testing.py:"
    )


def test_a_nan_is_never_within_a_bound():
    assert not within("", float("nan"), 1.0).passed


def test_the_first_failure_is_the_worst_and_else_what_is_nearest_to_its_bound():
    good = [within("far", 0.1, 1.0), within("near", 0.9, 1.0), Finding(True, "no figure")]
    assert worst(good).message == "near"
    assert worst([*good, within("bad", 2.0, 1.0), within("worse", 3.0, 1.0)]).message == "bad"
    with pytest.raises(NotApplicable):
        worst([])


def test_a_check_prints_as_its_name_and_a_finding_with_its_figures():
    assert str(Check("contact", "cone", "", lambda subject: Finding(True, ""))) == "cone"
    assert describe(within("speed [m/s]", 0.5, 0.25)) == "speed [m/s]: 0.5, allowed 0.25"
    assert describe(Finding(True, "words")) == "words"


@pytest.mark.parametrize("case", [chain(1), foot(2), tower(0, 10.0), foot(3).as_impact()])
def test_the_kits_yardstick_agrees_with_the_laws_own_residual(case):
    """The kit's residual shares no code with the kernels that the law measures itself by."""
    answer = solve(ready(subject_of("contact", Sound)), case)
    found = natural_map(case, answer.impulse, answer.target)
    assert found == pytest.approx(answer.report[ProblemReport.RESIDUAL], rel=1e-3, abs=1e-14)


def test_the_yardstick_is_zero_for_a_known_solution_and_not_beside_it():
    """A point of 1 kg sliding at 1 m/s on mu 0.5, pressed by 0.1 N s: r = (-0.05, 0, 0.1)."""
    from footfall.testing.problems.cases import point_masses

    case = point_masses(np.array([[1.0, 0.0, -0.1]]))
    right = np.array([-0.05, 0.0, 0.1])
    assert natural_map(case, right, case.J @ case.after(right)) == pytest.approx(0.0, abs=1e-15)
    for wrong in ([0.0, 0.0, 0.1], [-0.05, 0.0, 0.2], [0.05, 0.0, 0.1]):
        assert natural_map(case, np.array(wrong), case.J @ case.after(np.array(wrong))) > 0.01


def test_the_bench_is_the_simulator_that_users_have():
    """The box of the bench rests: its recorded residual is the law's, its forces its weight."""
    sim = resting(ready(subject_of("contact", Sound)), np.array([0.0, 0.0, 1.0]))
    advance(sim, 5)
    assert sim.signal("contact_force").sum() == pytest.approx(9.81, rel=1e-6)
    assert sim.signal("residual_natural_map") <= 1e-9


def test_a_solver_for_a_law_that_takes_none_is_refused():
    with pytest.raises(PluginError, match="takes no QP solver"):
        subject_of("contact", "coulomb", solver="nope")
