"""Simulators composed from objects, without a scene file: rigid bodies on a plane."""

from dataclasses import dataclass, replace

import numpy as np

from footfall.plugin import NoConfig
from footfall.robot.feature import ContactFeature
from footfall.roles.engine import TreeModel
from footfall.simulation.parts import Company, Physics
from footfall.simulation.simulator import Simulator
from footfall.simulation.stepper import StepSettings
from footfall.world.body import Body
from footfall.world.world import World
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig

G = 9.81
"""[m/s^2]"""
DOWN = np.array([0.0, 0.0, -G])
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def rigid_model(mass, inertia, com=(0.0, 0.0, 0.0)):
    """Return one rigid body; inertia about the centre of mass, (3,) principal or (3, 3)."""
    inertia = np.asarray(inertia, float)
    full = np.diag(inertia) if inertia.ndim == 1 else inertia
    return TreeModel.rigid_body("body", mass, np.array(com), full)


def feature(name, position, *, kind="point", axis=(0.0, 0.0, 0.0), radius=0.0, mu=np.nan, e=np.nan):
    """Return something of link 0 that can touch the ground; coefficients are the body's side."""
    return ContactFeature(name, 0, kind, np.array(position, float), np.array(axis, float), radius,
                          mu, e)  # fmt: skip


def points(positions):
    """Return point features."""
    return [feature(f"p{i}", p) for i, p in enumerate(positions)]


def corners(lengths):
    """Return the eight corners of a box, (8, 3); the lowest four come first."""
    signs = [(x, y, z) for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)]
    return 0.5 * np.array(signs, float) * np.asarray(lengths, float)


def rotation_quaternion(vector):
    """Return the unit quaternion x y z w of a rotation vector, [rad]."""
    vector = np.asarray(vector, float)
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return UPRIGHT.copy()
    return np.append(np.sin(angle / 2) * vector / angle, np.cos(angle / 2))


def rotation_matrix(quaternion):
    """Return R of a unit quaternion x y z w."""
    x, y, z, w = quaternion
    u = np.array([x, y, z])
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * skew


@dataclass(frozen=True)
class Shape:
    """A rigid body before it has a place: mass properties and features."""

    model: TreeModel
    features: list

    def at(self, position, quaternion=UPRIGHT, linear=(0, 0, 0), angular=(0, 0, 0), name="body"):
        """Return a body; velocities are world-aligned, [m/s] and [rad/s]."""
        R = rotation_matrix(quaternion)
        q = np.concatenate([np.asarray(position, float), quaternion])
        v = np.concatenate([R.T @ np.asarray(linear, float), R.T @ np.asarray(angular, float)])
        return Body(name, self.model, None, q, v, tuple(self.features))

    def touching(self, **coefficients):
        """Return the same body with the given coefficients (friction, restitution) on its side."""
        return replace(self, features=[replace(f, **coefficients) for f in self.features])


def box(mass=1.0, lengths=(0.1, 0.1, 0.1)):
    """Return a uniform box that touches with its corners."""
    x, y, z = np.asarray(lengths, float) ** 2
    inertia = mass / 12.0 * np.array([y + z, x + z, x + y])
    return Shape(rigid_model(mass, inertia), points(corners(lengths)))


def ball(mass=1.0, radius=0.1):
    """Return a solid sphere."""
    inertia = np.full(3, 0.4 * mass * radius**2)
    return Shape(
        rigid_model(mass, inertia), [feature("s", (0, 0, 0), kind="sphere", radius=radius)]
    )


def laws(
    *,
    mu=0.5,
    e=None,
    normal=(0.0, 0.0, 1.0),
    offset=0.0,
    law=None,
    integrator=None,
    impact=None,
):
    """Compose laws; ``law`` is a contact law, or settings of the default one."""
    if law is None or isinstance(law, dict):
        law = Coulomb(CoulombConfig(**(law or {})))
    normal = tuple(map(float, normal))
    return Physics(
        contact=law,
        impact=impact or NoImpact(NoConfig()),
        integrator=integrator or SemiImplicitEuler(NoConfig()),
        terrain=Plane(PlaneConfig(normal=normal, offset=offset, friction=mu, restitution=e)),
    )


def simulator(bodies, *, gravity=DOWN, dt=1e-3, max_impact_splits=4, **physics):
    """Compose a simulator of one body or a list of them; see ``laws`` for the rest."""
    bodies = bodies if isinstance(bodies, list) else [bodies]
    world = World(bodies, np.asarray(gravity, float))
    settings = StepSettings(time_step=dt, max_impact_splits=max_impact_splits)
    return Simulator(world, laws(**physics), settings, Company())


def steps(sim, n):
    """Make n steps."""
    for _ in range(n):
        sim.step()


def world_velocity(sim, index=0):
    """Return linear and angular velocity of a floating base along world axes, (6,)."""
    q, v = sim.q[sim.world.q_slice(index)], sim.v[sim.world.v_slice(index)]
    R = rotation_matrix(q[3:7])
    return np.concatenate([R @ v[:3], R @ v[3:6]])
