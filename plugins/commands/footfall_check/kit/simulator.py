"""The checks of simulators: they step a box that falls, rests and slides."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import footfall
from footfall import Simulator
from footfall.testing.check import Finding, Subject, checks_of, within
from footfall.testing.declarations import declarations
from footfall_check.kit.bench import advance
from footfall_check.kit.contact.simulated import continuation

G, MU, SIDE = 9.81, 0.5, 0.1
DT = 1e-3
CARRIED, SLOWED = 0.02, 0.1
"""Allowed relative errors of the weight that contacts carry, and of friction's deceleration: soft
contacts need time to settle."""


def free_fall(subject: Subject) -> Finding:
    """Check that a body that spins about its mass centre has the exact velocity in free fall."""
    sim = _box(subject, 10.0, linear=(1.0, 2.0, 3.0), angular=(1.0, -2.0, 3.0))
    advance(sim, 100)
    found = Rotation.from_quat(sim.q[3:7]).apply(sim.v[:3])
    expected = np.array([1.0, 2.0, 3.0 - G * sim.time])
    return within("error after 0.1 s [m/s]", float(abs(found - expected).max()), 1e-9)


def push(subject: Subject) -> Finding:
    """Check that a force set from Python acts in its step, and not in the next."""
    sim = _box(subject, 10.0)
    sim.push("object", force=(2.0, 0.0, 0.0))
    advance(sim, 2)
    expected = 2.0 / sim.world.mass * DT
    return within("error of the speed [m/s]", float(abs(sim.v[0] - expected)), 1e-9)


def weight(subject: Subject) -> Finding:
    """Check that the contacts of a box at rest carry its weight, and are recorded."""
    sim = _box(subject, 0.5 * SIDE)
    advance(sim, 2000)
    carried = float(sim.signal("contact_force")[:, 2].sum()) / (sim.world.mass * G)
    return within("relative error of the force", abs(carried - 1.0), CARRIED)


def friction(subject: Subject) -> Finding:
    """Check that a sliding box is slowed by its weight times the friction of the pair."""
    sim = _box(subject, 0.5 * SIDE, linear=(3.0, 0.0, 0.0))
    advance(sim, 100)
    before = float(sim.v[0])
    advance(sim, 300)
    slowed = (before - float(sim.v[0])) / (MU * G * 300 * DT)
    return within("relative error of the deceleration", abs(slowed - 1.0), SLOWED)


def restore(subject: Subject) -> Finding:
    """Check that a simulation restored during contact continues bit for bit."""
    return continuation(lambda: _box(subject, 0.6 * SIDE, linear=(1.0, 0.0, 0.0)))


def _box(
    subject: Subject,
    height: float,
    linear: tuple[float, ...] = (0.0, 0.0, 0.0),
    angular: tuple[float, ...] = (0.0, 0.0, 0.0),
) -> Simulator:
    """Return a box of 1 kg above a plane, stepped by the simulator."""
    registry, cls = footfall.discover(), subject.cls
    if cls.name not in registry.simulator:
        registry.simulator.add(cls.name, lambda: cls, summary="under test")
    given = subject.config.model_dump(exclude_unset=True)
    tables: dict[str, Any] = {
        "simulation": {"time_step": DT},
        "simulator": {"plugin": cls.name, **given},
        "world": {"gravity": (0.0, 0.0, -G), "terrain": {"plugin": "plane", "friction": MU}},
        "collisions": {"detect": False},
        "bodies": {
            "box": {
                "shape": {"type": "box", "size": (SIDE, SIDE, SIDE)},
                "mass": 1.0,
                "friction": MU,
                "base_position": (0.0, 0.0, height),
                "base_linear_velocity": linear,
                "base_angular_velocity": angular,
            }
        },
    }
    return footfall.assemble(footfall.scene_from_dict(tables, registry), registry)


CHECKS = checks_of("simulator", declarations, free_fall, push, weight, friction, restore)
