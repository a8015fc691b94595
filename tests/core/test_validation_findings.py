"""The validation itself: a law that is wrong fails, one that says so does not, and none hides."""

import time
from dataclasses import replace

import numpy as np
import pytest
from tests.cases import each
from tests.core.dying_job import half_or_die

from footfall.errors import PluginError, SolverError
from footfall.interfaces.contact import Claims
from footfall.interfaces.integrator import OneStep
from footfall.interfaces.plugin import NoConfig
from footfall.registry.discover import discover
from footfall.testing.check import subject_of
from footfall_coulomb.contact import Coulomb
from footfall_validate.checks import CHECKS
from footfall_validate.combination import Names, combine
from footfall_validate.laws.check import Check, Measure, trace
from footfall_validate.laws.finding import Finding, examine
from footfall_validate.laws.page import write_pages
from footfall_validate.laws.study import plan
from footfall_validate.workers import run_jobs

REGISTRY = discover()
USUAL = combine(REGISTRY, "coulomb")
BY_NAME = {check.name: check for check in CHECKS}


def spoiled(change, **attributes):
    """Return the default law with its impulses changed by ``change(r)``, r of shape (n, 3)."""

    def solve(self, problem, state):
        Coulomb.solve(self, problem, state)
        change(problem.impulse.reshape(-1, 3))

    return type("Spoiled", (Coulomb,), {"solve": solve, "name": "spoiled", **attributes})


def found(check, law):
    """Return how a check comes out for a law."""
    return examine(BY_NAME[check], replace(USUAL, contact=subject_of("contact", law, REGISTRY)))


def weaker(r):
    r[:, :2] *= 0.95


def stronger(r):
    r[:, 2] *= 1.05


def askew(r):
    r[:, 0] += 0.05 * r[:, 1]


@each(
    ("change", "check"),
    [
        (weaker, "slope_slide"),
        (weaker, "stopping"),
        (weaker, "sliding_cube"),
        (weaker, "rolling_ball"),
        (weaker, "creep"),
        (stronger, "sliding_cube"),
        (stronger, "landing"),
        (stronger, "bounce"),
        (askew, "stopping"),
        (askew, "oblique_impact"),
    ],
)
def test_a_law_that_is_wrong_by_five_percent_fails(change, check):
    finding = found(check, spoiled(change))
    assert finding.outcome == "FAILS", finding
    assert finding.error is None
    assert finding.worst is not None
    assert finding.worst.excess > 1.0
    assert finding.disclaimed is None


class LateEuler(OneStep):
    """Moves positions with a mean of the velocities, by default in the middle: of first order."""

    name = "late"
    Config = NoConfig
    late = 0.5

    def __init__(self, config):
        self.config = config

    @property
    def theta(self):
        """From the old velocity, 0, to the new one, 1."""
        return self.late


# In flight positions follow the momentum, unless they follow the old velocity.
@pytest.mark.parametrize(("check", "late"), [("free_flight", 0.0), ("order", 0.5)])
def test_an_integrator_of_another_order_than_it_claims_fails(check, late):
    late = type("Late", (LateEuler,), {"order": 4, "late": late})
    laws = replace(USUAL, integrator=subject_of("integrator", late, REGISTRY))
    assert examine(BY_NAME[check], laws).outcome == "FAILS"


def test_what_a_law_says_it_misses_is_a_miss_as_declared():
    reason = "on purpose"
    law = spoiled(weaker, claims=Claims(residual=1e-6, misses={"stopping": reason}))
    finding = found("stopping", law)
    assert (finding.outcome, finding.reason) == ("misses as declared", reason)
    assert found("creep", law).outcome == "FAILS"


def test_what_a_law_says_it_misses_and_holds_is_shown_as_held():
    law = spoiled(lambda r: None, claims=Claims(residual=1e-6, misses={"stopping": "on purpose"}))
    assert found("stopping", law).outcome == "holds, not claimed"


def test_a_law_that_raises_fails_with_its_words():
    def broken(self, problem, state):
        raise SolverError("spoiled: I give up")

    finding = found("creep", spoiled(weaker, solve=broken))
    assert finding.outcome == "FAILS"
    assert "I give up" in finding.reason
    assert finding.measures == ()


def test_a_law_that_answers_nan_fails():
    def lost(r):
        r[:] = np.nan

    finding = found("creep", spoiled(lost))
    assert finding.outcome == "FAILS"
    assert "not finite" in finding.reason


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.0 + 1e-3])
def test_a_figure_beyond_its_tolerance_or_not_finite_is_not_met(value):
    assert not Measure("x", "m", value, 1.0, 1e-4).is_met
    assert Measure("x", "m", 1.0 + 1e-5, 1.0, 1e-4).is_met
    assert not Measure("x", "m", 1.0 + 1e-5, 1.0, 0.0).is_met


def test_a_check_that_measures_nothing_does_not_hold():
    def run(lab):
        """Nothing."""
        yield from ()

    finding = examine(Check("nothing", "Nothing", run), USUAL)
    assert (finding.outcome, finding.reason) == ("FAILS", "nothing was measured")


def test_one_bad_figure_among_good_ones_decides():
    def run(lab):
        """Three figures."""
        for k in range(3):
            yield Measure(f"{k}", "", 1.0 + (k == 1), 1.0, 0.1)
        yield trace("none", [0.0, 1.0], [0.0, 1.0])

    finding = examine(Check("three", "Three", run), USUAL)
    assert finding.outcome == "FAILS"
    assert finding.worst.what == "1"
    assert len(finding.measures) == 3


def test_restitution_of_who_has_none_is_refused_and_not_a_failure():
    laws = combine(REGISTRY, "ccp")
    finding = examine(BY_NAME["bounce"], laws)
    assert (finding.outcome, finding.measures) == ("refused", ())
    assert "restitution" in finding.reason


def test_the_residual_is_of_the_host_and_there_is_none_in_continuous_time():
    finding = found("stopping", spoiled(weaker))
    assert finding.residual > 1e-4
    assert found("stopping", Coulomb).residual < 1e-8
    continuous = examine(BY_NAME["free_flight"], combine(REGISTRY, "compliant", integrator="rk4"))
    assert continuous.outcome == "holds"
    assert (continuous.residual, continuous.shown_residual) == (None, "-")


def test_all_of_a_plan_is_there_and_unknown_names_are_refused():
    jobs = plan(REGISTRY)
    laws, checks = REGISTRY.contact.names(), [check.name for check in CHECKS]
    assert {(job.check, job.laws.contact) for job in jobs} >= {
        (check, law) for check in checks for law in laws
    }
    bounces = {(job.laws.contact, job.laws.impact) for job in jobs if job.check == "bounce"}
    assert bounces == {(law, impact) for law in laws for impact in REGISTRY.impact.names()}
    with pytest.raises(PluginError, match="did you mean 'sliding_cube'"):
        plan(REGISTRY, checks=["sliding_cub"])
    with pytest.raises(PluginError, match="coulomb"):
        plan(REGISTRY, laws=["coulom"])


def test_a_process_that_dies_takes_no_other_job_along():
    answers = dict(run_jobs(half_or_die, range(2, 5), lambda job: "died", workers=2))
    assert answers == {0: 1.0, 1: "died", 2: 2.0}


def sleep_a_minute(job):
    time.sleep(60.0 * job)
    return job


def test_who_stops_early_waits_for_no_job():
    began = time.monotonic()
    answers = run_jobs(sleep_a_minute, range(3), lambda job: "died", workers=2)
    assert next(answers) == (0, 0)
    answers.close()
    assert time.monotonic() - began < 30.0


def test_a_plugin_that_is_not_installed_is_told_apart():
    finding = Finding("creep", Names("a", "b", "c"), error="needs x", unavailable=True)
    assert finding.outcome == "not available"


def test_pages_show_each_miss_and_a_failure_with_any_integrator(tmp_path):
    laws = Names("a", "none", "semi_implicit_euler")
    fine, off = Measure("x", "m", 1.0, 1.0, 0.1), Measure("x", "m", 2.0, 1.0, 0.1)
    findings = [
        Finding("creep", laws, measures=(fine,)),
        Finding("creep", replace(laws, contact="b"), "soft", (off,)),
        Finding("free_flight", laws, measures=(fine,)),
        Finding("free_flight", replace(laws, integrator="rk4"), measures=(off,)),
        Finding("bounce", laws, measures=(off,)),
    ]
    overview = write_pages(tmp_path, findings, []).read_text()
    assert "| Creep below the cone | ✓ | ✗ |" in overview
    assert "| Free flight of a tumbling body; Height of a rebound | **FAILS** | - |" in overview
    contact = (tmp_path / "validation/contact.md").read_text()
    assert "| `a` 0/0.1 | `b` 1/0.1 |" in contact
    assert contact.count("`a` 1/0.1 |") == 1
    assert "| `a` | 0/1 **FAILS** |" in (tmp_path / "validation/impacts.md").read_text()
