"""Friction on a box: its limit, and its effect on sliding."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.plugin import Capability, Floats
from footfall.testing.check import Finding, NotApplicable, Subject, within, worst
from footfall.testing.problems.cases import GRAVITY
from footfall_check.kit.bench import UP, advance, settle
from footfall_check.kit.contact.simulated import resting
from footfall_check.kit.contact.usual import accuracy
from footfall_stepper.api import StepperSimulator

DELTA = 0.005
"""Relative distance below and above the friction limit of the tests."""
SHORT, SHORT_LIFTED = 0.1, 0.75
"""Relative amount by which the displacement just above the limit may be shorter than by Coulomb's
law. Relaxations that lift sliding bodies lose 1 - 1 / (1 + 2 mu^2) of it, and landing impacts
more."""
STEPS = 50
GROWTH = 400
"""Steps over which a pull grows on compliant ground."""
AZIMUTHS = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
"""Directions every 15 degrees: across the axes of a pyramid and along its diagonals."""
BRAKING = 0.01
"""Allowed error of the braking, relative to mu g."""
TILTS = (0.1, 1.3, 2.4, 3.6, 5.0)
"""Directions of descent of slopes, [rad]."""
FRICTION = (0.3, 0.7)


def friction_level(subject: Subject) -> Finding:
    """Check that a box on level ground starts to slide at mu m g, in every direction."""
    subject.require(Capability.FRICTION)
    return worst(_level(subject, mu) for mu in FRICTION)


def _level(subject: Subject, mu: float) -> Finding:
    sim = resting(subject.make(), UP, mu)
    settle(sim)
    return worst(
        finding
        for azimuth in AZIMUTHS
        for finding in _limit(subject, sim, mu * GRAVITY, _level_direction(azimuth), f"mu {mu:g}")
    )


def _level_direction(azimuth: float) -> Floats:
    return np.array([np.cos(azimuth), np.sin(azimuth), 0.0])


def friction_tilted(subject: Subject) -> Finding:
    """Check that a box on a slope rests for a tilt below atan(mu), and slides down above."""
    subject.require(Capability.FRICTION)
    subject.require(Capability.TILTED_TERRAIN)
    return worst(_tilted(subject, mu, azimuth) for mu in FRICTION for azimuth in TILTS)


def _tilted(subject: Subject, mu: float, azimuth: float) -> Finding:
    """Settle on the slope without the tangential part of the weight; pull down it, then up."""
    slope, down = np.arctan(mu), _level_direction(azimuth)
    normal = np.cos(slope) * UP + np.sin(slope) * down
    along = np.cos(slope) * down - np.sin(slope) * UP
    sim = resting(subject.make(), normal, mu)
    load = GRAVITY * np.cos(slope)
    sim.stepper.world.topology.gravity[:] = -load * normal
    settle(sim)
    title = f"mu {mu:g}, slope descending at {np.degrees(azimuth):.0f} deg"
    return worst(
        finding
        for pull in (along, -along)
        for finding in _limit(subject, sim, mu * load, pull, title)
    )


def _limit(
    subject: Subject, sim: StepperSimulator, limit: float, along: Floats, title: str
) -> list[Finding]:
    """Pull a box at rest with slightly less and slightly more than the friction limit.

    Args:
        subject: the law.
        sim: a box at rest.
        limit: the largest friction, over the mass, [m/s^2].
        along: shape (3,), unit, direction of the pull.
        title: for messages.
    """
    claims = subject.claims
    wide, time = 1.0 + claims.anisotropy, STEPS * sim.time_step
    creep = claims.creep
    gives = subject.make().rest_depth(sim.world.mass * limit) > 0.0
    held = _pulled(sim, limit * (1.0 - DELTA) * along, gives=gives)
    slid = _pulled(sim, limit * (1.0 + DELTA) * wide * along, creep * along, gives=gives)
    slid -= creep * time
    short = SHORT if claims.slides else SHORT_LIFTED
    expected = 0.5 * DELTA * limit * time**2
    title += f", pulled to {np.degrees(np.arctan2(along[1], along[0])):.0f} deg"
    moves = (creep + accuracy(subject)) * time
    return [
        within(f"{title}: moved just below mu N [m]", held, moves),
        within(f"{title}: short of its way just above mu N [m]", expected - slid, short * expected),
    ]


def _pulled(
    sim: StepperSimulator, acceleration: Floats, velocity: Floats | None = None, *, gives: bool
) -> float:
    """Return the displacement by a pull at the mass centre, [m]; then restore the simulation.

    Compliant ground first yields a little, whatever friction holds. There the pull grows slowly,
    so that nothing overshoots, and only the displacement at full pull is measured.

    Args:
        sim: a box at rest.
        acceleration: shape (3,), world frame, [m/s^2].
        velocity: shape (3,), initial velocity, world frame, [m/s].
        gives: whether the ground is compliant.
    """
    before, gravity = sim.state.copy(), sim.stepper.world.topology.gravity
    weight = gravity.copy()
    if gives:
        for step in range(GROWTH):
            gravity[:] = weight + step / GROWTH * acceleration
            sim.step()
    gravity[:] = weight + acceleration
    if gives:
        settle(sim)
    start = sim.q[:3].copy()
    if velocity is not None:
        sim.v[:3] += Rotation.from_quat(sim.q[3:7]).inv().apply(velocity)
    advance(sim, STEPS)
    way = float(np.linalg.norm(sim.q[:3] - start))
    gravity[:] = weight
    sim.state.restore(before)
    return way


def sliding(subject: Subject) -> Finding:
    """Check that a sliding box decelerates by mu g against its velocity, without vertical motion.

    A polygon around the circle, with corners at ``w = 1 + anisotropy``, brakes by mu g along the
    first tangent, which is normal to one of its faces. Elsewhere it brakes by 1 to w times that
    and may push sideways, by the rest of a corner's w: ``sqrt(w^2 - braking^2)``.
    """
    subject.require(Capability.FRICTION)
    if not subject.claims.slides:
        raise NotApplicable("declares that it does not slide by Coulomb's law")
    return worst(_sliding(subject, mu) for mu in FRICTION)


def _sliding(subject: Subject, mu: float) -> Finding:
    sim = resting(subject.make(), UP, mu)
    settle(sim)
    start, height = sim.state.copy(), float(sim.q[2])
    # The base's velocity is in its own frame, which is turned about the vertical.
    first, second, _ = Rotation.from_quat(sim.q[3:7]).inv().apply(sim.stepper.problem.frame[0])
    findings = []
    for azimuth in AZIMUTHS[::3]:
        sim.state.restore(start)
        direction = np.cos(azimuth) * first + np.sin(azimuth) * second
        sim.v[:3] = direction
        advance(sim, STEPS)
        lost = (direction - sim.v[:3]) / (mu * GRAVITY * STEPS * sim.time_step)
        title = f"mu {mu:g}, {np.degrees(azimuth):.0f} deg from the first tangent"
        on_axis = abs(np.sin(azimuth)) < 1e-9
        findings += _braked(title, direction, lost, 0.0 if on_axis else subject.claims.anisotropy)
        rise = abs(float(sim.q[2]) - height)
        findings.append(within(f"{title}: change of height [m]", rise, 1e-5))
    return worst(findings)


def _braked(title: str, direction: Floats, lost: Floats, anisotropy: float) -> list[Finding]:
    """Compare a box's loss of velocity, over mu g t, with the possible effect of friction."""
    widest = 1.0 + anisotropy
    along = float(lost @ direction)
    sideways = float(np.linalg.norm(lost - along * direction))
    beyond = max(1.0 - along, along - widest)
    reach = float(np.sqrt(max(widest**2 - max(along, 1.0) ** 2, 0.0)))
    return [
        within(f"{title}: braking beyond 1 to {widest:.3f} of mu g", beyond, BRAKING),
        within(f"{title}: push sideways, of mu g", sideways, BRAKING + reach),
    ]
