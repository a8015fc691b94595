"""Right or refused: every column of derivatives against differences, in scenes of all kinds.

A column may be refused by its name, or lie at a kink that the margins tell; all else is compared.
"""

import functools
import warnings

import numpy as np
import pytest
from tests.cases import each, run
from tests.plugins.differences import LAST_DIGITS, Differences, keys_of
from tests.plugins.gradient_scenes import CASES

import footfall
from footfall.errors import SimulationError
from footfall_gradients.parameters import value_of

WRONG, AT_A_KINK, SKIPPED = 1e-5, (1e-6, 1e-9), 0.01
"""Relative difference that is wrong; margin [m/s] and gap margin [m] of a kink; most columns there,
of all."""
SHORT = ("a cube is corrected", "gains of zero", "a stiffness of zero", "biped stands")
"""Scenes whose parameters are compared each time."""


def misses(slopes, found):
    """Return names of wrong columns, of those at a kink, and how many there are.

    Args:
        slopes: name and differences of each column.
        found: derivatives; their columns are in the same order.
    """
    wrong, skipped, count = [], [], 0
    margin, gap = found.least_margin, found.gap_margin
    for name, slope in slopes:
        loose = slope.kink or slope.error > LAST_DIGITS
        if loose and (margin < AT_A_KINK[0] or gap < AT_A_KINK[1]):
            skipped.append(name)
        elif not (miss := slope.miss(found.rows[:, count])) <= WRONG:
            wrong.append(f"{name} by {miss:.1e} (differences {slope.error:.1e})")
        count += 1
    return wrong, skipped, count


def compare_state(case, folder, seed, total):
    """Compare all columns by state and forces; and the gradient of a run of one step."""
    sim = case.load(folder, seed)
    step = Differences(sim, case.fresh)
    found = sim.derivatives()
    wrong, skipped, count = misses(step.columns(), found)
    total += len(skipped), count
    assert not wrong, wrong
    sim.state.restore(step.start)
    if sim.stepper.law.state_parts:
        return
    dq, dv = np.random.default_rng(seed).normal(size=(2, sim.world.nv))
    back, forward = footfall.Rollout(sim, 1).vjp(dq, dv), found.vjp(dq, dv)
    size = max(abs(forward[0]).max(), abs(forward[1]).max())
    np.testing.assert_allclose(np.hstack(back[:2]), np.hstack(forward[:2]), atol=1e-9 * size)


def compare_parameters(case, folder):
    """Compare the columns of all numbers of a scene, or see them refused by their names."""
    sim = case.load(folder)
    step = Differences(sim, case.fresh)
    after, wrong, accepted = sim.state.copy(), [], 0
    for key in keys_of(sim):
        sim.state.restore(step.start)
        sim.step()
        try:
            found = sim.derivatives(parameters=[key]).parameters[:, 0]
        except SimulationError as error:
            wrong += [] if key in str(error) else [f"{key} is not named: {error}"]
            continue
        sim.state.restore(step.start)
        back = footfall.Rollout(sim, 1, parameters=[key]).vjp(*(g := found_weights(sim)))
        slope = step.parameter(key, value_of(sim, sim.provenance.resolved["scene"], key))
        least = 1e-9 * slope.scale.max()
        miss = slope.miss(found)
        same = abs(back.parameters[0] - np.concatenate(g) @ found) < max(least, 1e-12)
        wrong += [] if miss <= WRONG and same else [f"{key} by {miss:.1e}, back {same}"]
        accepted += 1
    sim.state.restore(after)
    assert not wrong, wrong
    assert accepted > 0


def found_weights(sim):
    """Return a gradient by the new state."""
    return np.random.default_rng(2).normal(size=(2, sim.world.nv))


def all_of(function, names, folder, *arguments):
    """Run a comparison for cases by name; say which have failed."""
    calls = [(name, functools.partial(function, CASES[name], folder, *arguments)) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deep starts, and of values at the end of their range
        run(calls)


def test_all_columns_by_state_and_forces(tmp_path):
    total = np.zeros(2, int)
    all_of(compare_state, CASES, tmp_path, 0, total)
    assert len(CASES) >= 40
    assert total[0] < SKIPPED * total[1]


@pytest.mark.long
@each("seed", [1, 2, 3])
def test_all_columns_in_other_states(tmp_path, seed):
    total = np.zeros(2, int)
    all_of(compare_state, CASES, tmp_path, seed, total)
    assert total[0] < SKIPPED * total[1]


def test_every_parameter_is_right_or_refused(tmp_path):
    all_of(compare_parameters, SHORT, tmp_path)


@pytest.mark.long
def test_every_parameter_of_every_scene_is_right_or_refused(tmp_path):
    all_of(compare_parameters, [name for name in CASES if name not in SHORT], tmp_path)
