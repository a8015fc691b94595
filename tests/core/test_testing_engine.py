"""Each check of engines fails one that is broken in its way, and passes a sound one."""

import numpy as np
import pytest
from tests.cases import each
from tests.core import broken_engine as broken

import footfall.testing
from footfall.testing.check import subject_of
from footfall.testing.linkage import GRAVITY, branched
from footfall.testing.reference import reference
from footfall_check.kit.engine.models import MODELS, random_state

CHECKS = {check.name: check for check in footfall.testing.checks("engine")}
BROKEN = {
    "declarations": broken.absurd,
    "constants": broken.other_order,
    "malformed": broken.nameless,
    "unsound": broken.lenient,
    "shapes": broken.moving_arrays,
    "inputs": broken.input_mutated,
    "deterministic": broken.random,
    "no_hidden_state": broken.hidden_state,
    "trees_apart": broken.one_bias_for_all,
    "not_finite": broken.nan_swallowed,
    "kinematics": broken.body_frame,
    "inertia": broken.with_armature,
    "bias": broken.no_coriolis,
    "bias_alone": broken.bias_of_another_velocity,
    "kinetic_energy": broken.with_armature,
    "power": broken.no_coriolis,
}


def examine(name, engine):
    return CHECKS[name].examine(subject_of("engine", engine))


def test_every_check_has_an_engine_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_engine_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@each("name", CHECKS)
def test_the_check_passes_a_sound_engine(name):
    finding = examine(name, broken.Sound)
    assert finding.passed, finding


def test_an_engine_that_reads_no_urdf_is_not_asked_to():
    report = footfall.testing.check_plugin("engine", broken.without_urdf)
    assert report.ok
    assert len(report.skipped) == len(CHECKS) - 1


@pytest.mark.parametrize("model", [model for _, model in MODELS], ids=lambda model: model[0])
def test_the_reference_has_a_symmetric_positive_inertia(model):
    q, v = random_state(model, 1)
    M = reference(model[1], model[2], q, v, GRAVITY).M
    np.testing.assert_allclose(M, M.T, atol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_the_reference_falls_with_gravity():
    """A body that is let go accelerates with gravity: h = -M [R'g, 0, 0] at rest."""
    model = MODELS[0][1]
    q, v = random_state(model, 2)
    found = reference(branched(), "floating", q, 0.0 * v, GRAVITY)
    falling = np.zeros(len(v))
    falling[:3] = found.pose[0, :9].reshape(3, 3) @ GRAVITY
    np.testing.assert_allclose(found.h, -found.M @ falling, atol=1e-12)
