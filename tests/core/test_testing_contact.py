"""Each check of contact laws fails a law that is broken in its way, and passes a sound one."""

import numpy as np
import pytest
from tests.cases import each
from tests.core import broken_contact as broken

import footfall.testing
from footfall.interfaces.contact import ImpulseLaw
from footfall.testing.check import subject_of
from footfall_small_laws.regularized import Regularized

CHECKS = {check.name: check for check in footfall.testing.checks("contact")}
BROKEN = {
    "declarations": broken.absurd,
    "outputs": broken.OutputForgotten,
    "spare_room": broken.beyond_the_end,
    "inputs": broken.input_mutated,
    "deterministic": broken.Random,
    "no_hidden_state": broken.HiddenState,
    "restore": broken.Wear,
    "rotation": broken.Pyramid,
    "orientation": broken.world_cone,
    "permutation": broken.OneSweep,
    "apart": broken.crowded,
    "cone": broken.flipped_normal,
    "open_points": broken.gap_ignored,
    "natural_map": broken.OneSweep,
    "natural_map_singular": broken.OneSweep,
    "natural_map_mass_ratio": broken.OneSweep,
    "natural_map_limits": broken.limits_ignored,
    "complementarity": broken.scaled(1.001),
    "reported_residual": broken.always_perfect,
    "slopes": broken.Steeper,
    "equality": broken.loops_ignored,
    "hinged": broken.energy_created,
    "energy": broken.energy_created,
    "restitution": broken.restitution_ignored,
    "bounce": broken.restitution_ignored,
    "weight": broken.world_frame,
    "friction_level": broken.mu_ignored,
    "friction_tilted": broken.world_cone,
    "sliding": broken.Lifting,
    "no_contact": broken.stumbles_over_nothing,
    "duplicates": broken.crowded,
    "frictionless": broken.some_friction,
    "not_finite": broken.nan_swallowed,
}

SOUND = {"equality": broken.Closing, "slopes": Regularized}
"""Sound laws of another kind, for what ``broken.Sound`` does not take on."""


def examine(name, law):
    return CHECKS[name].examine(subject_of("contact", law))


def test_every_check_has_a_law_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_law_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@each("name", CHECKS)
def test_the_check_passes_a_sound_law(name):
    finding = examine(name, SOUND.get(name, broken.Sound))
    assert finding.passed, finding


@pytest.mark.parametrize("law", [broken.world_frame, broken.world_cone])
def test_a_frame_or_cone_fixed_to_the_world_is_seen_when_the_world_is_turned(law):
    assert not examine("orientation", law).passed


@pytest.mark.parametrize("name", ["friction_level", "friction_tilted", "sliding"])
def test_a_law_that_ignores_mu_fails_wherever_friction_acts(name):
    assert not examine(name, broken.mu_ignored).passed


@pytest.mark.parametrize(
    "law",
    [broken.called_square(1.3), broken.called_square(0.9), broken.called_square(1.0, turn=0.2)],
    ids=["too strong", "too weak", "sideways"],
)
def test_what_a_square_may_do_in_some_directions_it_may_not_do_in_all(law):
    assert not examine("sliding", law).passed


def test_a_pyramid_that_claims_to_be_a_cone_holds_too_much_along_its_diagonal():
    finding = examine("friction_level", broken.Pyramid)
    assert not finding.passed


def test_a_pyramid_that_says_so_is_not_asked_for_isotropy():
    report = footfall.testing.check_plugin("contact", "gauss_discrete")
    assert "rotation" in {result.check.name for result in report.skipped}


def test_an_offset_that_contact_cannot_explain_is_a_residual():
    """A law may not call any velocity the one that it wanted."""

    def spoil(problem):
        problem.impulse[:] = 0.0
        problem.offset[:] = -problem.free_velocity

    assert not examine("natural_map", broken.after(spoil)).passed


class PullsWhereThereIsNoFriction(ImpulseLaw):
    """Broken: stops points without friction that rise as those that fall."""

    name = "pulls"

    def __init__(self, config):
        self.config = config

    def solve(self, problem, state):
        u = problem.free_velocity
        problem.offset[:] = problem.correction[:] = 0.0
        problem.report.write()
        problem.impulse[:] = 0.0
        smooth = problem.mu == 0.0
        problem.impulse[2::3] = np.where(smooth, -u[2::3], np.maximum(-u[2::3], 0.0))


def test_pulling_straight_without_friction_is_outside_the_cone():
    finding = CHECKS["cone"].examine(subject_of("contact", PullsWhereThereIsNoFriction))
    assert not finding.passed
    assert finding.measured == pytest.approx(1.0)
