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
from footfall_gradients.refusals import remembering

WRONG, AT_A_KINK, NOISE, SKIPPED = 1e-5, (1e-6, 1e-9), 1e-3, 0.01
"""Relative difference that is wrong; margin [m/s] and gap margin [m] of a kink; largest noise of
differences; largest share of columns that are not compared to ``WRONG``."""
SHORT = ("a cube is corrected", "gains of zero", "a stiffness of zero")
"""Scenes whose parameters are compared each time."""


def misses(slopes, found):
    """Return names of wrong columns, of those at a kink or without differences, and their number.

    Args:
        slopes: number and differences of each column.
        found: derivatives, one or those of both sides; a column may be that of either.
    """
    wrong, skipped, count, n = [], [], 0, len(found[0].rows) // 2
    both = [side.rows.copy() for side in found]
    for rows, side in zip(both, found, strict=True):
        rows[:, 2 * n + side.joints] = side.control
    margin, gap = found[0].least_margin, found[0].gap_margin
    for k, slope in slopes:
        name = f"{'qvf'[k // n]}{k % n}"
        loose = slope.kink or slope.error > LAST_DIGITS
        miss = min(slope.miss(rows[:, k]) for rows in both)
        at_a_kink = margin < AT_A_KINK[0] or gap < AT_A_KINK[1]
        if miss > WRONG and loose and (at_a_kink or miss < 5.0 * slope.error < NOISE):
            skipped.append(name)
        elif not miss <= WRONG:
            wrong.append(f"{name} by {miss:.1e} (differences {slope.error:.1e})")
        count += 1
    return wrong, skipped, count


def compare_state(case, folder, seed, total):
    """Compare all columns by state and forces; and the gradient of a run of one step."""
    sim = case.load(folder, seed)
    step = Differences(sim, case)
    found = sim.derivatives()
    sides = [found, sim.derivatives(at_rest="outside")] if found.one_sided else [found]
    wrong, skipped, count = misses(step.columns(), sides)
    total += len(skipped), count
    assert not wrong, wrong
    sim.state.restore(step.start)
    if case.joints is None and not remembering(sim):
        g = np.random.default_rng(seed).normal(size=(2, sim.world.nv))
        tau = None if step.tau is None else step.tau[None]
        back, forward = footfall.Rollout(sim, 1, tau).vjp(*g), np.hstack(found.vjp(*g)[:3])
        mine = np.concatenate([back.q, back.v, back.tau[0]])
        np.testing.assert_allclose(mine, forward, atol=1e-9 * abs(forward).max())


def compare_parameters(case, folder):
    """Compare the columns of all numbers of a scene, or see them refused by their names."""
    sim = case.load(folder)
    step = Differences(sim, case)
    wrong, accepted = [], 0
    for key in keys_of(sim):
        sim.state.restore(step.start)
        step.step(sim)
        try:
            found = sim.derivatives(parameters=[key]).parameters[:, 0]
        except SimulationError as error:
            wrong += [] if key in str(error) else [f"{key} is not named: {error}"]
            continue
        sim.state.restore(step.start)
        slope = step.parameter(key, value_of(sim, sim.provenance.resolved["scene"], key))
        same, miss = True, slope.miss(found)
        miss = 0.0 if miss < 5.0 * slope.error < NOISE else miss
        if case.joints is None and not remembering(sim):
            tau, g = None if step.tau is None else step.tau[None], np.ones((2, sim.world.nv))
            back = footfall.Rollout(sim, 1, tau, parameters=[key]).vjp(*g).parameters[0]
            same = abs(back - found.sum()) < 1e-9 * slope.scale.max() + 1e-12
        wrong += [] if miss <= WRONG and same else [f"{key} by {miss:.1e}, back {same}"]
        accepted += 1
    assert not wrong, wrong
    assert accepted > 0


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
@pytest.mark.parametrize("name", [name for name in CASES if name not in SHORT])
def test_every_parameter_of_every_scene_is_right_or_refused(tmp_path, name):
    all_of(compare_parameters, [name], tmp_path)


@each("limit", [1.0, 0.01])
def test_a_batch_differentiates_torques_through_drives(limit):
    motors = [{"joints": ["*"], "torque_limit": limit, "rotor_inertia": 1e-3}]
    with footfall.Batch("rrbot/swing", 2, overrides={"bodies.rrbot.actuators": motors}) as batch:
        tau, size = limit * np.array([[3.0, 0.1], [0.2, -0.4]]), 1e-3 * limit
        found, at_the_limit = batch.derivatives(tau), batch.derivatives(np.full((2, 2), limit))
        ends = [batch.derivatives(tau + s * np.eye(2)[k]) for k in range(2) for s in (size, -size)]
    by_tau = [
        (one.v - other.v) / (2.0 * size) for one, other in zip(*[iter(ends)] * 2, strict=True)
    ]
    np.testing.assert_allclose(found.control[:, 2:], np.stack(by_tau, axis=2), atol=1e-9 / limit)
    assert not found.control[0, :, 0].any()
    assert found.control[1].any(axis=0).all()
    inner = np.broadcast_to(found.control[1], (2, 4, 2))  # by less torque, which is not cut
    np.testing.assert_allclose(at_the_limit.control, inner, atol=1e-9)
