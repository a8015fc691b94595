"""Every closed form that a registered law claims holds for it: the checks of ``footfall validate``.

The checks themselves, with their equations and tolerances, are in ``footfall_validate.checks``.
"""

import pytest

from footfall.errors import PluginError
from footfall.registry.discover import discover
from footfall.scene.scene import CONTACT
from footfall_validate.combination import combine
from footfall_validate.laws.study import chosen_checks, do, plan

REGISTRY = discover()
LONG = {
    *("coplanar", "spinning_coin", "slope_stick", "slip_threshold", "creep"),
    *("bounce", "bounce_end", "bouncing_balls", "rocking_block", "pendulum_landing"),
    *("energy", "stopping", "slope_slide", "torque_free"),
}
"""Checks that take a second and more."""


def is_claimed(job):
    """Whether the laws of a job claim its check; also where a plugin cannot be loaded."""
    try:
        laws = combine(REGISTRY, job.laws.contact, job.laws.impact, job.laws.integrator)
    except PluginError:
        return True
    return chosen_checks([job.check])[0].disclaimed(laws) is None


def marks(job):
    """Long simulations: the default law's in every run of the tests, the others' now and then."""
    others = job.check in LONG and job.laws.contact != CONTACT.default
    return pytest.mark.long if others else ()


CLAIMED = [
    pytest.param(job, id=f"{job.check}: {job.laws}", marks=marks(job))
    for job in plan(REGISTRY)
    if is_claimed(job)
]


@pytest.mark.parametrize("job", CLAIMED)
def test_what_laws_claim_holds(job):
    finding = do(job)
    if finding.outcome == "not available":
        pytest.skip(finding.reason)
    assert finding.outcome == "holds", (finding.worst, finding.reason)
