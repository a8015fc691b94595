"""The simulations behind the figures of the page on Gauss's principle."""

import numpy as np

import footfall
from footfall.api.contact import ContactProblem
from footfall_gauss.contact import (
    Gauss,
    GaussConfig,
    GaussDeSaxce,
    GaussDeSaxceConfig,
    GaussDiscrete,
)
from footfall_qp.proxqp import ProxQP, ProxQPConfig

MODES = ("gauss", "gauss_discrete", "gauss_de_saxce")
MU, G, DT = 0.5, 9.81, 1e-3


def mode(name, **settings):
    """Return one of the three laws with the default solver."""
    cls, config = {
        "gauss": (Gauss, GaussConfig),
        "gauss_discrete": (GaussDiscrete, GaussConfig),
        "gauss_de_saxce": (GaussDeSaxce, GaussDeSaxceConfig),
    }[name]
    return cls(config(**settings), ProxQP(ProxQPConfig()))


def answer(law, velocity, mu=MU):
    """Return the force [N] on a mass of 1 kg that moves on the ground, and the QPs it took."""
    free = velocity - np.array([0.0, 0.0, G * DT])
    problem = ContactProblem.from_dense(np.eye(3), free, np.array([mu]), velocity=velocity, dt=DT)
    state = {
        part.name: np.zeros((1, part.width)) for part in law.state_parts if part.width is not None
    }
    if isinstance(law, Gauss):
        force = np.zeros(3)
        law.force(problem, state, {}, force)
        return force, 1
    law.solve(problem, state)
    return problem.impulse / DT, int(problem.report.iterations)


def push_off(law, speed, angle, duration, **settings):
    """Return the run of a cube that is pushed off in a direction, without an impact model."""
    chosen = {
        "contact.plugin": law,
        "impact.plugin": "none",
        "bodies.cube.base_linear_velocity": [speed * np.cos(angle), speed * np.sin(angle), 0.0],
    }
    return footfall.load("cube/sliding", chosen | settings).run(duration)


def friction(sides, angle):
    """Return the friction force over mu m g of a point that slides at an angle, shape (2,)."""
    velocity = 2.0 * np.array([np.cos(angle), np.sin(angle), 0.0])
    return answer(mode("gauss_de_saxce", sides=int(sides)), velocity)[0][:2] / (MU * G)
