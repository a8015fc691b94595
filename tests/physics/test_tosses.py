"""Real cube tosses: the published scoring protocol, nothing fitted.

Acosta, Yang, Posa, Validating Robotics Simulators on Real-World Impacts, RA-L 2022. Friction is the
measured one (tilt test), mass and inertia are the cube's, e = 0, the law has its default settings.
"""

from pathlib import Path

import numpy as np
import pytest
from tests.physics.composed import DOWN, Body, points, rigid_model

from footfall.plugin import NoConfig
from footfall.simulation.parts import Physics
from footfall.simulation.simulator import Simulator
from footfall.simulation.stepper import StepSettings
from footfall.world.world import World
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig

DATA = Path(__file__).parents[2].parent / "shared" / "reference" / "tosses" / "tosses_acosta550.npz"
RATE = 148.0
"""Rows a second of the recorded tosses."""
WIDTH, MASS, INERTIA, MU = 0.1048, 0.37, 0.00081, 0.18
"""Of the real cube: [m], [kg], [kg m^2], tilt test."""

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not DATA.exists(), reason="the recorded tosses are not beside the project"),
]


def cube_simulator(substeps):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * WIDTH / 2
    body = Body(
        "cube",
        rigid_model(MASS, [INERTIA] * 3),
        None,
        np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        np.zeros(6),
        points(corners),
    )
    physics = Physics(
        Coulomb(CoulombConfig()),
        NoImpact(NoConfig()),
        SemiImplicitEuler(NoConfig()),
        Plane(PlaneConfig(friction=MU)),
    )
    return Simulator(World([body], DOWN), physics, StepSettings(1.0 / RATE / substeps))


def world_to_body(q, vector):
    """Rotate into the frame of a unit quaternion x, y, z, w."""
    u, w = -q[:3], q[3]
    t = 2.0 * np.cross(u, vector)
    return vector + w * t + np.cross(u, t)


def errors(sim, blank, rows, velocity, substeps):
    """Mean position error [% of the width] and rotation error [degrees] of one toss."""
    sim.state.restore(blank)
    sim.q[:] = np.r_[rows[0, :3], rows[0, 4:7], rows[0, 3]]
    sim.v[:] = np.r_[world_to_body(sim.q[3:], velocity[:3]), velocity[3:]]
    position, rotation = [], []
    for index, row in enumerate(rows):
        for _ in range(substeps if index else 0):
            sim.step()
        position.append(np.linalg.norm(sim.q[:3] - row[:3]))
        cosine = abs(sim.q[3:] @ np.r_[row[4:7], row[3]])
        rotation.append(2.0 * np.arccos(min(1.0, cosine)))
    return 100.0 * np.mean(position) / WIDTH, np.degrees(np.mean(rotation))


@pytest.mark.slow
def test_untuned_tosses_are_as_close_as_fitted_simulators_are():
    """At most 14.3 % and 17.5 degrees over all 550 (Drake, fitted on them: 13.5 % and 16.5)."""
    substeps = 10
    data = np.load(DATA)
    state, offsets = data["state"], data["offsets"]
    sim = cube_simulator(substeps)
    blank = sim.state.copy()
    found = np.array(
        [
            errors(sim, blank, state[offsets[i] + k : offsets[i + 1]], velocity, substeps)
            for i, (k, velocity) in enumerate(zip(data["ic_row"], data["ic_vel"], strict=True))
        ]
    )
    assert len(found) == 550
    position, rotation = found.mean(axis=0)
    assert position <= 14.3
    assert rotation <= 17.5
