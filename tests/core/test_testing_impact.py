"""Each check of impact models fails one that is broken in its way, and passes a sound one."""

from tests.cases import each
from tests.core import broken_impact as broken

import footfall.testing
from footfall.testing import NotApplicable
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("impact")}
BROKEN = {
    "declarations": broken.absurd,
    "null": broken.says_it_does_not_act,
    "outputs": broken.OutputForgotten,
    "spare_room": broken.beyond_the_end,
    "inputs": broken.input_mutated,
    "deterministic": broken.Random,
    "no_hidden_state": broken.Wear,
    "restore": broken.Wear,
    "rotation": broken.first_tangent_only,
    "orientation": broken.world_frame,
    "permutation": broken.OneByOne,
    "apart": broken.crowded,
    "stops": broken.scaled(0.5),
    "pushes": broken.says_it_only_pushes,
    "natural_map": broken.says_it_is_exact,
    "natural_map_singular": broken.says_it_is_exact,
    "energy": broken.scaled(2.5),
    "restitution": broken.says_it_rebounds,
    "energy_with_friction": broken.throws_up,
    "flat_landing": broken.on_one_point,
    "closed_loops": broken.loops_opened,
    "mass_ratio": broken.OneByOne,
    "no_contact": broken.stumbles_over_nothing,
    "duplicates": broken.crowded,
    "not_finite": broken.NanSwallowed,
}


def examine(name, model):
    return CHECKS[name].examine(subject_of("impact", model))


def test_every_check_has_a_model_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_model_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@each("name", CHECKS)
def test_the_check_passes_a_sound_model_or_is_not_about_it(name):
    try:
        finding = examine(name, broken.Sound)
    except NotApplicable:
        return
    assert finding.passed, finding
