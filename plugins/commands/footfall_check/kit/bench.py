"""Test objects of checks: boxes and balls on a plane without an engine, a scene to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Simulator
from footfall.api.advanced import ContactModel, Node
from footfall.api.contact import ContactProblem, ForceLaw, ImpactModel, LawState
from footfall.api.engine import TreeModel
from footfall.api.plugin import Capability, Floats
from footfall.api.viewer import Ground, GroundSurface, SceneGraph, Shape
from footfall.api.world import Integrator, OneStep, Terrain, TerrainSample
from footfall.testing.problems.cases import CORNERS, GRAVITY, contact_frame
from footfall_stepper.api import (
    Body,
    ContactFeature,
    Physics,
    StepperSimulator,
    StepSettings,
    World,
)

UP = np.array([0.0, 0.0, 1.0])
TIME_STEP = 1e-3
HALF = np.array([0.1, 0.1, 0.02])
"""Half lengths of the box, [m]: low, so that it slides long before it tips."""
RADIUS = 0.05
"""Radius of the ball, [m]."""
STIFFNESS, DAMPING = 2e4, 50.0
"""Stiffness [N/m] and damping [N s/m] per point of the compliant ground."""


class Slope(Terrain):
    """A plane through the world's origin."""

    name = "slope"
    capabilities = frozenset({Capability.TILTED_TERRAIN})

    def __init__(
        self, normal: Floats = UP, friction: float = 0.5, restitution: float = 0.0
    ) -> None:
        self.normal = np.asarray(normal, float) / np.linalg.norm(normal)
        self.friction, self.restitution = friction, restitution

    def prepare(self, sample: TerrainSample) -> None:
        """Fill normals and coefficients."""
        sample.normal[:] = self.normal
        sample.friction[:], sample.restitution[:] = self.friction, self.restitution

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite the gaps."""
        sample.gap[:] = points @ self.normal

    def grounds(self) -> tuple[Ground, ...]:
        """Return the plane."""
        return (Ground(self.normal, 0.0),)


class Euler(OneStep):
    """Semi-implicit Euler."""

    name = "euler"

    @property
    def theta(self) -> float:
        """Weight of the new velocity: positions follow it alone."""
        return 1.0


class NoImpact(ImpactModel):
    """The null impact model: leaves impacts to the contact law."""

    name = "no_impact"
    acts = False

    def resolve(self, problem: ContactProblem) -> None:
        """Set the impulse to zero."""
        problem.impulse[:] = problem.offset[:] = 0.0
        problem.report.write()


class Stop(ImpactModel):
    """Stops points that newly touch: ``r = -W^+ u``, the smallest such impulse."""

    name = "stop"

    def resolve(self, problem: ContactProblem) -> None:
        """Set the impulse that stops the points."""
        W = problem.delassus()
        problem.impulse[:] = -np.linalg.lstsq(W, problem.free_velocity, rcond=1e-10)[0]
        problem.offset[:] = 0.0
        problem.report.write()


class Spring(ForceLaw):
    """A frictionless compliant ground: ``f_n = max(0, -k gap - d u_n)`` at touching points."""

    name = "spring"
    needs = frozenset()

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Write the normal forces."""
        out[:] = 0.0
        pressed = -STIFFNESS * problem.gap - DAMPING * problem.velocity[2::3]
        out[2::3] = np.where(problem.gap <= 0.0, np.maximum(pressed, 0.0), 0.0)
        problem.report.write()


@dataclass(frozen=True, slots=True)
class Start:
    """The start state of a free body.

    Attributes:
        position: shape (3,), of its centre, [m], world.
        rotation: shape (3, 3), body to world.
        linear: shape (3,), [m/s], body axes.
        angular: shape (3,), [rad/s], body axes.
    """

    position: Floats
    rotation: Floats
    linear: Floats
    angular: Floats


def at_rest(height: float, normal: Floats = UP, yaw: float = 0.0) -> Start:
    """Return a start flush with a plane through the origin, the centre ``height`` above it."""
    E = contact_frame(normal)
    turned = Rotation.from_rotvec([0.0, 0.0, yaw]).as_matrix()
    return Start(height * E[2], E.T @ turned, np.zeros(3), np.zeros(3))


def free_body(
    name: str,
    start: Start,
    features: Sequence[ContactFeature],
    *,
    mass: float = 1.0,
    com: Floats | None = None,
    inertia: Floats | None = None,
) -> Body:
    """Return a rigid body without joints.

    Args:
        name: of the body.
        start: its start state.
        features: its contact features for the ground.
        mass: [kg].
        com: shape (3,), centre of mass in its own frame, [m]; default the origin.
        inertia: shape (3, 3), about the centre of mass, [kg m^2]; default that of the box.
    """
    x, y, z = (2.0 * HALF) ** 2
    box = mass / 12.0 * np.diag([y + z, x + z, x + y])
    model = TreeModel.rigid_body(
        name,
        mass,
        np.zeros(3) if com is None else com,
        box if inertia is None else inertia,
    )
    q = np.concatenate([start.position, Rotation.from_matrix(start.rotation).as_quat()])
    v = np.concatenate([start.linear, start.angular])
    return Body(name, model, None, q, v, tuple(features))


def corners() -> tuple[ContactFeature, ...]:
    """Return the lower corners of the box."""
    places = [HALF * np.array([x, y, -1.0]) for x, y in CORNERS]
    return tuple(
        ContactFeature(f"corner{i}", 0, "point", place, np.zeros(3), 0.0, np.nan, np.nan)
        for i, place in enumerate(places)
    )


def sphere() -> tuple[ContactFeature, ...]:
    """Return the surface of the ball."""
    return (ContactFeature("ball", 0, "sphere", np.zeros(3), np.zeros(3), RADIUS, np.nan, np.nan),)


def simulator(
    bodies: Sequence[Body],
    *,
    contact: ContactModel | None = None,
    impact: ImpactModel | None = None,
    integrator: Integrator | None = None,
    terrain: Terrain | None = None,
    gravity: Floats = -GRAVITY * UP,
    time_step: float = TIME_STEP,
) -> StepperSimulator:
    """Compose a simulator; parts that are not given are the simplest ones.

    Beside a law that does not absorb impacts, points that newly touch are brought to rest.
    """
    law = contact if contact is not None else Spring()
    stops = NoImpact() if contact is None or law.absorbs_impacts else Stop()
    physics = Physics(
        contact=law,
        impact=impact if impact is not None else stops,
        integrator=integrator if integrator is not None else Euler(),
        terrain=terrain if terrain is not None else Slope(),
    )
    return StepperSimulator(World(bodies, np.array(gravity)), physics, StepSettings(time_step))


def advance(sim: Simulator, steps: int) -> None:
    """Make ``steps`` steps."""
    for _ in range(steps):
        sim.step()


def settle(sim: Simulator, steps: int = 400, still: float = 1e-9) -> None:
    """Step until all speeds are below ``still`` [m/s], at most ``steps`` steps."""
    for _ in range(steps):
        sim.step()
        if np.abs(sim.v).max() < still:
            return


def scene_graph() -> SceneGraph:
    """Return a scene with every kind of shape that needs no file."""
    shapes = (
        Shape("box", (0.1, 0.2, 0.3)),
        Shape("sphere", (0.1,)),
        Shape("cylinder", (0.05, 0.4)),
        Shape("capsule", (0.05, 0.4)),
    )
    nodes = tuple(
        Node(f"body/{i}", i % 2, shape, np.eye(3), np.array([0.0, 0.1 * i, 0.0]))
        for i, shape in enumerate(shapes)
    )
    ground = Ground(np.array([0.0, 0.6, 0.8]), 0.1)
    corners = np.array([(0.0, 0.0, 0.2), (1.0, 0.0, 0.2), (0.0, 1.0, 0.4)])
    lines = np.array([(0, 1), (1, 2)])
    slope = GroundSurface(corners, np.array([(0, 1, 2)]), lines, (0.6, 0.8, 0.9))
    grounds = (ground, slope)
    return SceneGraph("conformance", nodes, 2, grounds, 3, 9.81, 1.0, (("body", 0),), 1)
