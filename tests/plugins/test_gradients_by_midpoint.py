"""Derivatives of steps that are solved at their midpoint, and of other weights of velocities.

``test_gradients_kit`` and ``test_gradients_of_loops`` compare their columns in scenes of all kinds.
"""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.gradient_scenes import CORRECTED, PRESSED
from tests.plugins.test_gradients import at as euler_at
from tests.plugins.test_gradients import by_jacobians, errors, refused

import footfall
from footfall_gradients.parameters import value_of

MIDDLE = {"integrator.plugin": "moreau_midpoint"}


def at(scene, steps, shift=0.0, **changes):
    return euler_at(scene, steps, shift, **MIDDLE, **changes)


@each(
    "scene, steps, shift",
    [
        ("rrbot/swing", 400, 0.0),
        ("cube/drop", 100, 0.0),
        ("icub/drop", 50, 0.0),
        ("cube/sliding", 200, PRESSED),
        ("icub/standing", 300, CORRECTED),
        ("quadruped/standing", 200, PRESSED),
        ("fourbar/swinging", 300, 0.0),
    ],
)
def test_jacobians_are_those_of_central_differences(scene, steps, shift):
    found, wrong = errors(at(scene, steps, shift))
    assert max(wrong.values()) < 1e-6, (wrong, found)


def test_positions_that_follow_the_old_velocity_are_differentiated():
    changes = {"integrator.plugin": "explicit_euler", "contact": {"plugin": "regularized"}}
    sim = footfall.load("cube/sliding", overrides=changes)
    for _ in range(100):
        sim.step()
    sim.v[:] += 0.3
    found, wrong = errors(sim)
    assert max(wrong.values()) < 1e-6, wrong
    assert found.dq_dv[2, 2] == pytest.approx(sim.time_step, rel=1e-6)  # whatever the forces are


@each(
    "scene, steps, start, key",
    [
        ("ball/bounce", 700, 0, "world.terrain.restitution"),
        ("cube/drop", 20, 290, "bodies.cube.friction"),
        ("icub/standing", 20, 10, "bodies.icub.controller.stiffness"),
        ("fourbar/swinging", 60, 50, "world.gravity.2"),
    ],
)
def test_gradients_come_back_through_rollouts(scene, steps, start, key):
    begin = at(scene, start)
    value = value_of(begin, begin.provenance.resolved["scene"], key)

    def final(change=0.0):
        sim = at(scene, 0, **{key: value * (1.0 + change)})
        sim.q[:], sim.v[:] = begin.q, begin.v
        return footfall.Rollout(sim, steps, parameters=(key,))

    rollout, of_runs = final(), []
    dq, dv = np.random.default_rng(1).normal(size=(2, begin.world.nv))
    for change in (1e-5, -1e-5):
        other = final(change)
        moved = footfall.difference(begin, rollout.q[-1], other.q[-1])
        of_runs.append(dq @ moved + dv @ (other.v[-1] - rollout.v[-1]))
    found, expected = rollout.vjp(dq, dv), (of_runs[0] - of_runs[1]) / (2e-5 * value)
    np.testing.assert_allclose(found.parameters[0], expected, rtol=1e-5)
    back = np.concatenate([found.q, found.v])
    np.testing.assert_allclose(back, np.concatenate(by_jacobians(rollout, dq, dv)[:2]), rtol=1e-8)


def test_a_batch_differentiates_as_a_simulator():
    with footfall.Batch("cube/drop", 2, overrides=MIDDLE) as batch:
        batch.step(substeps=300)
        found = batch.derivatives(30)  # it lands on the way
    sim = at("cube/drop", 0, **{"contact.tolerance": 1e-8})
    for _ in range(300):
        sim.step()
    steps = footfall.Rollout(sim, 30).jacobians()
    assert not found.failures
    np.testing.assert_allclose(found.state[1], steps.state, rtol=1e-7, atol=1e-9)


def test_a_push_that_is_over_and_a_changed_state_are_refused():
    sim = at("icub/standing", 3)
    sim.push("root_link", force=(30.0, 0.0, 0.0))
    sim.step()
    refused(sim, "pushes for this step only are forgotten")
    sim.step()
    sim.derivatives()
    sim.v[0] += 0.1
    refused(sim, "the state has been changed")


@each("scheme", ["moreau_midpoint", "semi_implicit_euler"])
@each("more", [{}, {"pushes": [{"body": "rrbot", "link": "link1", "force": [1.0, 0.0, 0.0]}]}])
def test_a_hand_is_refused_until_it_lets_go(scheme, more):
    sim = footfall.load("rrbot/swing", overrides={"integrator.plugin": scheme, **more})
    hand = sim.grab("link2")
    for _ in range(2):
        sim.step()
        refused(sim, "a push or a hand acted in this step only")
    hand.release()
    sim.step()
    sim.derivatives()


def test_at_rest_one_side_or_the_other_is_taken():
    sim = at("cube/sliding", 1)
    sim.q[:], sim.v[:] = [0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    start = sim.state.copy()
    sim.step()
    q, v = sim.q.copy(), sim.v.copy()
    sides = [sim.derivatives(at_rest=side) for side in ("inside", "outside")]
    assert sides[0].one_sided
    for found, size in zip(sides, (-1e-6, 1e-6), strict=True):
        sim.state.restore(start)
        sim.q[2] += size
        sim.step()
        np.testing.assert_allclose((sim.q - q)[:3] / size, found.dq_dq[:3, 2], atol=1e-9)
        np.testing.assert_allclose((sim.v - v) / size, found.dv_dq[:, 2], atol=1e-6)


@each(
    "scene, link, shift, spin",
    [
        ("icub/drop", "root_link", 0.0, [3.0, -2.0, 4.0]),
        ("icub/standing", "root_link", PRESSED, [0.3, -0.2, 0.1]),
        ("cube/drop", "cube", 0.0, [3.0, -2.0, 4.0]),
    ],
)
def test_forces_along_the_axes_of_the_world_are_those_of_a_push(scene, link, shift, spin):
    """Up to the part that goes by the velocity in h, relative to which the axes turn by dt |w|."""
    sim = at(scene, 30, -shift)
    sim.v[3:6] = spin
    start, nv = sim.state.copy(), sim.world.nv
    sim.step()
    q, v, found = sim.q.copy(), sim.v.copy(), sim.derivatives(axes="world")
    for axis, force in enumerate(np.eye(3)):
        ends = []
        for size in (0.3, -0.3):
            sim.state.restore(start)
            sim.push(link, force=size * force)
            sim.step()
            before, after = np.concatenate([q, v]), np.concatenate([sim.q, sim.v])
            ends.append(footfall.difference(sim, before, after, axes="world"))
        expected, mine = (ends[0] - ends[1]) / 0.6, found.rows[:, 2 * nv + axis]
        for rows in slice(0, nv), slice(nv, None):
            scale = abs(expected[rows]).max()
            turned = sim.time_step * np.linalg.norm(spin) * scale
            np.testing.assert_allclose(mine[rows], expected[rows], atol=turned, rtol=0.0)
