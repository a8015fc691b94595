"""Simulators composed from objects, without a scene file: rigid bodies on a plane."""

import numpy as np

from footfall.interfaces.plugin import NoConfig
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig
from footfall_stepper.devices.participants import Participants
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.world.world import World
from footfall_validate.lab import DOWN, G, steps, world_velocity
from footfall_validate.rotations import (
    UPRIGHT,
    flat_on,
    rotation_matrix,
    rotation_quaternion,
    slope_normal,
)
from footfall_validate.shapes import (
    Shape,
    ball,
    box,
    coin,
    corners,
    feature,
    points,
    rigid_model,
    table,
)

__all__ = [
    "DOWN",
    "UPRIGHT",
    "G",
    "Shape",
    "ball",
    "box",
    "coin",
    "corners",
    "feature",
    "flat_on",
    "laws",
    "points",
    "rigid_model",
    "rotation_matrix",
    "rotation_quaternion",
    "simulator",
    "slope_normal",
    "steps",
    "table",
    "world_velocity",
]


def laws(
    *,
    mu=0.5,
    e=None,
    normal=(0.0, 0.0, 1.0),
    offset=0.0,
    law=None,
    integrator=None,
    impact=None,
    terrain=None,
):
    """Compose laws; ``law`` is a contact law, or settings of the default one.

    A ``terrain`` is taken instead of the plane that mu, e, normal and offset describe.
    """
    if law is None or isinstance(law, dict):
        law = Coulomb(CoulombConfig(**(law or {})))
    normal = tuple(map(float, normal))
    return Physics(
        contact=law,
        impact=impact or NoImpact(NoConfig()),
        integrator=integrator or SemiImplicitEuler(NoConfig()),
        terrain=terrain
        or Plane(PlaneConfig(normal=normal, offset=offset, friction=mu, restitution=e)),
    )


def simulator(bodies, *, gravity=DOWN, dt=1e-3, settings=None, max_impact_splits=4, **physics):
    """Compose a simulator of one body or a list of them; see ``laws`` for the rest."""
    bodies = bodies if isinstance(bodies, list) else [bodies]
    world = World(bodies, np.asarray(gravity, float))
    settings = StepSettings(dt, max_impact_splits, **(settings or {}))
    return StepperSimulator(world, laws(**physics), settings, Participants())


def two_ends(sim):
    """Return the velocities 0.2 s later, and once more from the state that it had after 0.1 s."""
    sim.run(0.1)
    kept = sim.state.copy()
    ends = []
    for _ in range(2):
        sim.run(0.1)
        ends.append(sim.v.copy())
        sim.state.restore(kept)
    return ends
