"""The simulations behind the figures on impacts."""

from functools import cache

import numpy as np

import footfall
from footfall import discover
from footfall.api.contact import ContactProblem
from footfall_impacts.restitution.impact import Restitution, RestitutionConfig
from footfall_validate.exhibits.gallery import gallery
from footfall_validate.laws.figures import merge

G = 9.81
E_KANE, MU_KANE = 0.95, 0.5
ANGLES = np.radians([20.0, 30.0])
"""Of the rods from the vertical."""
LOWER_RATES = np.linspace(-3.0, 0.8, 191)
"""Rates of the lower rod, [rad/s], for one of -1 rad/s of the upper rod."""


def strikes(e):
    """Return times [s] and approach speeds [m/s] of the impacts of a ball that falls from 1 m."""
    sim = footfall.load("ball/bounce", {"world.terrain.restitution": e})
    times, speeds = [], []
    end = np.sqrt(2.0 / G) * (1.0 + e) / (1.0 - e)
    while sim.time < end:
        height, rate, before = sim.q[2] - 0.1, sim.v[2], sim.time
        sim.step()
        if sim.signal("impacts") > 0 and height > 0.0:
            speed = np.sqrt(rate**2 + 2.0 * G * height)
            times.append(before + (speed + rate) / G)
            speeds.append(speed)
    return np.array(times), np.array(speeds)


@cache
def _exhibits():
    return gallery(discover())


def shown_by_all(name):
    """Return (labels, x, y) of the curves of an exhibit's figure; equal curves are one."""
    for exhibit in _exhibits():
        if name in exhibit.figures:
            labelled = [(label, trace) for label, trace in exhibit.curves if trace.figure == name]
            curves = merge(labelled, exhibit.figures[name])
            return [(",\n".join(curve.names), curve.trace.x, curve.trace.y) for curve in curves]
    raise KeyError(name)


def energy_ratios():
    """Yield label, style and energies after over before of Kane's double pendulum."""
    yield "Newton, by itself", "-", [_ratio(s, _newton_alone) for s in LOWER_RATES]
    for hypothesis, style in (("newton", "--"), ("poisson", "-.")):
        model = Restitution(RestitutionConfig(hypothesis=hypothesis))
        values = [_ratio(s, lambda problem, m=model: _resolved(m, problem)) for s in LOWER_RATES]
        yield f"restitution, {hypothesis}", style, values


def _ratio(speed, answer):
    a, b = ANGLES
    c = 0.5 * np.cos(a - b)
    M = np.array([[4.0 / 3.0, c], [c, 1.0 / 3.0]])
    J = np.array([[np.cos(a), np.cos(b)], [0.0, 0.0], [np.sin(a), np.sin(b)]])
    v = np.array([-1.0, speed])
    if (J @ v)[2] >= 0.0:
        return np.nan
    problem = ContactProblem.from_dense(
        J @ np.linalg.solve(M, J.T), J @ v, np.array([MU_KANE]),
        restitution=np.array([E_KANE]), impulsive=True,
    )  # fmt: skip
    after = v + np.linalg.solve(M, J.T @ answer(problem))
    return (after @ M @ after) / (v @ M @ v)


def _newton_alone(problem):
    Restitution(RestitutionConfig()).bound(problem)()
    return problem.impulse


def _resolved(model, problem):
    model.resolve(problem)
    return problem.impulse
