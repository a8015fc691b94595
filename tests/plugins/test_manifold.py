"""The manifold of positions: round trips, Pinocchio's, central differences, bad input."""

from pathlib import Path

import numpy as np
import pytest
from tests.cases import each

import footfall
import footfall_robots
from footfall.errors import SimulationError

SCENES = "cube/stack", "quadruped/standing", "planar_box/drop", "rrbot/swing"
"""Several bodies, a floating base with joints, a planar and a fixed base."""
BASE = slice(3, 6)


def drawn(sim, angle, states, n=5):
    """Random positions or states, and displacements; bases turn by ``angle``."""
    rng, topology, nv = np.random.default_rng(7), sim.world.topology, sim.world.nv
    q = rng.normal(size=(2, n, len(sim.q) + states * nv))
    d = rng.normal(size=(2, n, nv + states * nv))
    for p, i in zip(topology.tree_q[:-1], topology.tree_v[:-1], strict=True):
        if (topology.dof_q[i : i + 6] == -1).all():
            q[..., p + 3 : p + 7] /= np.linalg.norm(q[..., p + 3 : p + 7], axis=-1, keepdims=True)
            w = d[..., i + 3 : i + 6]
            w *= angle / np.linalg.norm(w, axis=-1, keepdims=True)
    return q, d


@each("axes", ["own", "world"])
@each("states", [0, 1])
@each("scene", SCENES)
def test_difference_inverts_integrate(scene, states, axes):
    sim = footfall.load(scene)
    for angle in (0.0, 1e-9, 1e-3, 1.0, np.pi - 1e-9, 3.0):
        q, d = drawn(sim, angle, states)
        end = footfall.integrate(sim, q, d, axes=axes)
        back = footfall.difference(sim, q, end, axes=axes)
        assert np.abs(back - d).max() < 1e-14
        again = footfall.integrate(sim, q[0], footfall.difference(sim, *q, axes=axes), axes=axes)
        assert np.abs(footfall.difference(sim, again, q[1], axes=axes)).max() < 1e-14


def test_own_axes_are_those_of_pinocchio():
    pin = pytest.importorskip("pinocchio")
    sim = footfall.load("quadruped/standing")
    path = Path(footfall_robots.__file__).parent / "quadruped" / "model.urdf"
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    for angle in (0.0, 1e-6, 1.0, 3.1, 5.0):
        q, d = drawn(sim, angle, 0)
        end, jacobians = footfall.integrate(sim, q, d), footfall.integrate_jacobians(sim, q, d)
        apart = footfall.difference(sim, *q), *footfall.difference_jacobians(sim, *q)
        for i, k in np.ndindex(q.shape[:2]):
            theirs = (
                pin.integrate(model, q[i, k], d[i, k]),
                *pin.dIntegrate(model, q[i, k], d[i, k]),
            )
            for one, other in zip((end, *jacobians), theirs, strict=True):
                assert np.abs(one[i, k] - other).max() < 1e-12
        for k, (q0, q1) in enumerate(zip(*q, strict=True)):
            theirs = pin.difference(model, q0, q1), *pin.dDifference(model, q0, q1)
            for one, other in zip(apart, theirs, strict=True):
                assert np.abs(one[k] - other).max() < 1e-11


@each("axes", ["own", "world"])
@each("states", [0, 1])
@each("scene", SCENES)
def test_jacobians_are_those_of_central_differences(scene, states, axes):
    sim, size = footfall.load(scene), 1e-6

    def moved(q, d):
        return footfall.integrate(sim, q, d, axes=axes)

    def apart(q0, q1):
        return footfall.difference(sim, q0, q1, axes=axes)

    for angle in (0.0, 1e-9, 1e-4, 1.0, np.pi - 1e-4, 3.0):
        q, d = (x[0, 0] for x in drawn(sim, angle, states))
        end, e = moved(q, d), size * np.eye(len(d))
        found = footfall.integrate_jacobians(sim, q, d, axes=axes)
        ends = [(moved(moved(q, s * e), d), moved(q, d + s * e)) for s in (1.0, -1.0)]
        for k, one in enumerate(found):
            slope = (apart(end, ends[0][k]) - apart(end, ends[1][k])).T / (2.0 * size)
            assert np.abs(one - slope).max() < 1e-8
        found = footfall.difference_jacobians(sim, q, end, axes=axes)
        ends = [(apart(moved(q, s * e), end), apart(q, moved(end, s * e))) for s in (1.0, -1.0)]
        for k, one in enumerate(found):
            assert np.abs(one - (ends[0][k] - ends[1][k]).T / (2.0 * size)).max() < 1e-8


def test_derivatives_are_in_these_coordinates():
    """A step from a state displaced along either axes is displaced by the Jacobian."""
    sim = footfall.load("cube/sliding", overrides={"contact.tolerance": 1e-12})
    sim.run(0.1)
    sim.q[2] -= 5e-6
    start, size = sim.state.copy(), 1e-6
    for axes in ("own", "world"):
        ends = []
        for e in (*(size * np.eye(12)), *(-size * np.eye(12)), np.zeros(12)):
            sim.state.restore(start)
            x = footfall.integrate(sim, np.concatenate([sim.q, sim.v]), e, axes=axes)
            sim.q[:], sim.v[:] = x[:7], x[7:]
            sim.step()
            ends.append(np.concatenate([sim.q, sim.v]))
        found = sim.derivatives(axes=axes).state
        change = footfall.difference(sim, ends[-1], ends[:-1], axes=axes)
        slope = (change[:12] - change[12:]).T / (2.0 * size)
        assert np.abs(found - slope).max() < 1e-6 * np.abs(slope).max()


@each(
    "call, said",
    [
        (
            lambda sim: footfall.integrate(sim, sim.q, np.zeros(7)),
            r"\(\.\.\., 7\) and \(\.\.\., 6\)",
        ),
        (
            lambda sim: footfall.integrate(sim, sim.q, sim.v, axes="body"),
            "axes must be own or world",
        ),
        (lambda sim: footfall.integrate(sim, 0.5 * sim.q, sim.v), "length other than 1"),
        (lambda sim: footfall.difference(sim, sim.q, np.nan * sim.q), "finite"),
        (lambda sim: footfall.difference(sim, [sim.q] * 2, [sim.q] * 3), "do not fit"),
        (lambda sim: footfall.difference("cube", sim.q, sim.q), "str cannot do this"),
        (lambda sim: footfall.difference_jacobians(sim, "q", sim.q), "do not fit"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(call, said):
    sim = footfall.load("cube/sliding")
    with pytest.raises(SimulationError, match=said):
        call(sim)
