"""The checks of terrains."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Simulator
from footfall.api.plugin import Capability, Floats, FootfallError
from footfall.api.viewer import Ground, GroundSurface
from footfall.api.world import Terrain, TerrainSample
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, within, worst
from footfall.testing.declarations import declarations
from footfall.testing.problems.cases import GRAVITY, contact_frame
from footfall_check.kit.bench import Start, corners, free_body, simulator
from footfall_check.kit.contact.simulated import continuation

TIMES = (0.0, 0.37)
STEP = 1e-5
"""Step of the finite differences, [m]: error about 1e-10 of a gap that curves over a metre."""
FIELDS = ("gap", "normal", "velocity", "friction", "restitution")


def points(n: int = 40) -> Floats:
    """Return query points above and below the ground, shape (n, 3)."""
    rng = np.random.default_rng(3)
    found: Floats = rng.uniform([-2.0, -2.0, -0.3], [2.0, 2.0, 0.5], (n, 3))
    return found


def sampled(terrain: Terrain, where: Floats, time: float = 0.0) -> TerrainSample:
    """Return a terrain's sample at points; NaN for gaps that it did not write."""
    sample = TerrainSample.allocate(len(where))
    terrain.prepare(sample)
    sample.gap[:] = np.nan
    terrain.sample(time, where, sample)
    return sample


def shapes(subject: Subject) -> Finding:
    """Check that gaps are written, values finite, coefficients NaN or not negative."""
    return worst(_shapes(sampled(subject.make(), points(), time)) for time in TIMES)


def _shapes(sample: TerrainSample) -> Finding:
    for name in ("gap", "normal", "velocity"):
        if not np.isfinite(getattr(sample, name)).all():
            return Finding(False, f"{name} is not finite, or was not written")
    mu, e = sample.friction, sample.restitution
    if (mu < 0.0).any() or np.isinf(mu).any() or (e < 0.0).any() or (e > 1.0).any():
        return Finding(False, "a coefficient is out of bounds")
    return Finding(True, f"{len(sample.gap)} points")


def unit_normal(subject: Subject) -> Finding:
    """Check that normals have unit length."""
    sample = sampled(subject.make(), points())
    error = float(np.abs(np.linalg.norm(sample.normal, axis=1) - 1.0).max())
    return within("error of the length", error, 1e-12)


def normal(subject: Subject) -> Finding:
    """Check that the normal is the gradient of the gap and points out of the ground."""
    return worst(_normal(subject, time) for time in TIMES)


def _normal(subject: Subject, time: float) -> Finding:
    terrain, where = subject.make(), points()
    gradient = np.empty_like(where)
    for axis in range(3):
        step = STEP * np.eye(3)[axis]
        beyond, before = (sampled(terrain, where + s * step, time).gap for s in (1.0, -1.0))
        gradient[:, axis] = (beyond - before) / (2.0 * STEP)
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1.0) < 1e-3  # not so across a kink
    if smooth.mean() < 0.75:
        return Finding(False, f"gap is not a distance at {(~smooth).sum()} of {len(where)} points")
    difference = np.abs(sampled(terrain, where, time).normal - gradient).max(axis=1)
    error = float(difference[smooth].max())
    return within(f"t = {time:g} s: difference from the gradient", error, 1e-6)


def distance(subject: Subject) -> Finding:
    """Check that the gap is the distance: a move back by it along the normal ends on the ground."""
    terrain, where = subject.make(), points()
    for _ in range(3):  # a curved ground needs some iterations
        sample = sampled(terrain, where)
        where = where - sample.gap[:, None] * sample.normal
    left = float(np.abs(sampled(terrain, where).gap).max())
    return within("remaining gap [m]", left, 1e-9)


def never_steep(subject: Subject) -> Finding:
    """Check that the gaps of two points differ by no more than their distance."""
    terrain, where = subject.make(), points()
    gap = sampled(terrain, where).gap
    apart = np.linalg.norm(where[:, None] - where[None], axis=2)
    excess = float((np.abs(gap[:, None] - gap[None]) - apart).max())
    return within("difference of two gaps beyond their distance [m]", excess, 1e-9)


def capabilities(subject: Subject) -> Finding:
    """Check that tilted, curved and moving ground is declared as such."""
    terrain = subject.make()
    samples = [sampled(terrain, points(), time) for time in TIMES]
    normals = np.concatenate([sample.normal for sample in samples])
    bends = any(np.ptp(sample.normal, axis=0).max() > 1e-9 for sample in samples)
    moves = any(np.abs(sample.velocity).max() > 0.0 for sample in samples)
    found = {
        Capability.TILTED_TERRAIN: bool(np.abs(normals - [0.0, 0.0, 1.0]).max() > 1e-9),
        Capability.CURVED_TERRAIN: bends,
        Capability.MOVING_GROUND: moves or not np.array_equal(samples[0].gap, samples[1].gap),
    }
    missing = [what.value for what, there in found.items() if there and not subject.can(what)]
    return Finding(not missing, f"not declared: {', '.join(missing)}" if missing else "as declared")


def surface_velocity(subject: Subject) -> Finding:
    """Check the surface velocity v: the gap of a fixed point shrinks at the rate ``n . v``."""
    return worst(_surface_velocity(subject, time) for time in (0.1, *TIMES[1:]))


def _surface_velocity(subject: Subject, time: float) -> Finding:
    terrain, where = subject.make(), points()
    later, before = (sampled(terrain, where, time + s * STEP).gap for s in (1.0, -1.0))
    sample = sampled(terrain, where, time)
    closing = (sample.normal * sample.velocity).sum(axis=1)
    error = float(np.abs((later - before) / (2.0 * STEP) + closing).max())
    fastest = 1.0 + float(np.linalg.norm(sample.velocity, axis=1).max())
    return within(f"t = {time:g} s: error of the gap's rate [m/s]", error, 1e-5 * fastest)


def inputs(subject: Subject) -> Finding:
    """Check that it neither changes nor keeps the query points."""
    terrain, where = subject.make(), points()
    before = where.tobytes()
    sample = sampled(terrain, where)
    if where.tobytes() != before:
        return Finding(False, "the points changed")
    given = _bits(sample)
    where[:] = np.nan
    return Finding(_bits(sample) == given, "the sample after the points were overwritten")


def deterministic(subject: Subject) -> Finding:
    """Check that the same call of fresh objects gives the same bits."""
    found = {_bits(sampled(subject.make(), points(), 0.2)) for _ in range(3)}
    return Finding(len(found) == 1, f"{len(found)} different samples of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that an object gives the same bits after other samples as a fresh one."""
    used = subject.make()
    for time in (0.0, 5.0, 0.1):
        sampled(used, points(7) + time, time)
    same = _bits(sampled(used, points(), 0.2)) == _bits(sampled(subject.make(), points(), 0.2))
    return Finding(same, "after three other samples")


def point_by_point(subject: Subject) -> Finding:
    """Check that a point's sample does not depend on the other points."""
    terrain, where = subject.make(), points(5)
    together = sampled(terrain, where)
    for i in range(len(where)):
        alone = sampled(terrain, where[i : i + 1])
        for name in FIELDS:
            if getattr(alone, name)[0].tobytes() != getattr(together, name)[i].tobytes():
                return Finding(False, f"{name} of point {i} differs when it is alone")
    return Finding(True, f"{len(where)} points alone and together")


def no_points(subject: Subject) -> Finding:
    """Check that a sample of no points raises no error."""
    sampled(subject.make(), np.zeros((0, 3)))
    return Finding(True, "no points")


def not_finite(subject: Subject) -> Finding:
    """Check that a NaN in a point raises a clear error or shows in its gap, and in no other."""
    where = points(4)
    where[2] = np.nan
    try:
        gap = sampled(subject.make(), where).gap
    except FootfallError as error:
        return Finding(True, f"raised {error}")
    right = bool(np.isnan(gap[2]) and np.isfinite(np.delete(gap, 2)).all())
    return Finding(right, f"gaps {gap}")


def grounds(subject: Subject) -> Finding:
    """Check that the drawn planes and surfaces lie on the ground, also after it has moved."""
    terrain = subject.make()
    if not terrain.grounds():
        raise NotApplicable("draws nothing")
    return worst(_drawn(terrain, part, time) for part in terrain.grounds() for time in TIMES)


def _drawn(terrain: Terrain, part: Ground | GroundSurface, time: float) -> Finding:
    pose = np.zeros(7)
    terrain.pose(time, pose)
    if abs(float(np.linalg.norm(pose[3:])) - 1.0) > 1e-12:
        return Finding(False, f"t = {time:g} s: the length of the quaternion {pose[3:]} is not 1")
    if isinstance(part, Ground):
        n = np.asarray(part.normal, float)
        if abs(float(np.linalg.norm(n)) - 1.0) > 1e-12:
            return Finding(False, f"the length of a plane's normal {n} is not 1")
        on_it = points() - np.outer(points() @ n - part.offset, n)
    else:
        on_it = np.asarray(part.points)[np.unique(part.triangles)]
    moved = Rotation.from_quat(pose[3:]).apply(on_it) + pose[:3]
    gap = np.abs(sampled(terrain, np.ascontiguousarray(moved), time).gap)
    # Other parts may cover a plane in places; the corners of a surface lie on the ground.
    off = float(gap.min() if isinstance(part, Ground) else gap.max())
    return within(f"t = {time:g} s: gap of drawn points [m]", off, 1e-9)


def restore(subject: Subject) -> Finding:
    """Check that a simulation restored during contact continues bit for bit."""
    return continuation(lambda: _falling(subject))


def _falling(subject: Subject) -> Simulator:
    """Return a spinning box that falls on an edge, on the ground beneath the world's origin."""
    terrain, where = subject.make(), np.zeros((1, 3))
    for _ in range(3):
        sample = sampled(terrain, where)
        where = where - sample.gap[:, None] * sample.normal
    up = sample.normal[0]
    tilted = contact_frame(np.array([0.3, 0.2, 1.0])) @ contact_frame(up)
    start = Start(where[0] + 0.1 * up, tilted.T, -1.0 * tilted @ up, np.array([2.0, -1.0, 0.5]))
    body = free_body("falls", start, corners())
    return simulator([body], terrain=terrain, gravity=-GRAVITY * up)


def _bits(sample: TerrainSample) -> bytes:
    return b"".join(getattr(sample, name).tobytes() for name in FIELDS)


CHECKS = checks_of(
    "terrain",
    declarations,
    shapes,
    unit_normal,
    normal,
    distance,
    inputs,
    deterministic,
    no_hidden_state,
    point_by_point,
    no_points,
    not_finite,
    grounds,
    never_steep,
    capabilities,
    surface_velocity,
    restore,
)
