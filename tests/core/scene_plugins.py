"""Small plugins for tests of scenes: each declares something and does nothing."""

import pytest
from pydantic import Field

from footfall.config.fields import NonNegative, Positive, UnitVector3
from footfall.interfaces.contact import ForceLaw, ImpactModel, ImpulseLaw
from footfall.interfaces.controller import Controller
from footfall.interfaces.engine import Engine
from footfall.interfaces.integrator import OneStep
from footfall.interfaces.plugin import Capability, NoConfig, PluginConfig
from footfall.interfaces.solver import QPSolver
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Visualizer
from footfall.problem.arrays import BlockKind
from footfall.registry.registry import Origin, Registry
from footfall.simulator.role import SimulatorPlugin

C = Capability
ORIGIN = Origin("fakes", "fakes", "fake-plugins", "3.1")


class Configured:
    def __init__(self, config, solver=None):
        self.config, self.solver_object = config, solver


class Pinocchio(Configured, Engine):
    name = "featherstone"
    capabilities = frozenset({C.URDF, C.FLOATING_BASE, C.FIXED_BASE})

    def build(self, source):
        raise NotImplementedError


class OtherEngine(Pinocchio):
    name = "other"
    capabilities = frozenset({C.URDF, C.MJCF, C.FLOATING_BASE, C.FIXED_BASE, C.PLANAR_BASE})


class CoulombConfig(PluginConfig):
    tolerance: Positive = 1e-9
    """Residual at which a solve ends, [m/s]."""
    gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Share of a penetration that is corrected each step."""


class Coulomb(Configured, ImpulseLaw):
    name = "coulomb"
    Config = CoulombConfig
    capabilities = frozenset({C.FRICTION, C.RESTITUTION, C.TILTED_TERRAIN, C.SEVERAL_BODIES})
    blocks = frozenset({BlockKind.CONE, BlockKind.UNILATERAL})

    def solve(self, problem, state):
        raise NotImplementedError


class GaussConfig(PluginConfig):
    failures: int = 10
    """Failures in a row that are tolerated."""


class Gauss(Configured, ForceLaw):
    name = "gauss"
    Config = GaussConfig
    uses_solver = True
    capabilities = frozenset({C.FRICTION})

    def force(self, problem, state, rate, out):
        raise NotImplementedError


class NoImpact(Configured, ImpactModel):
    name = "none"
    acts = False

    def resolve(self, problem):
        raise NotImplementedError


class Inelastic(NoImpact):
    name = "inelastic"
    acts = True
    uses_solver = True
    capabilities = frozenset({C.TILTED_TERRAIN, C.SEVERAL_BODIES})


class Bouncing(Inelastic):
    name = "bouncing"
    capabilities = frozenset({C.RESTITUTION, C.TILTED_TERRAIN, C.SEVERAL_BODIES})


class ProxqpConfig(PluginConfig):
    eps_abs: Positive = 1e-9
    """Absolute tolerance."""


class Proxqp(Configured, QPSolver):
    name = "proxqp"
    Config = ProxqpConfig

    def solve(self, problem, warm_start):
        raise NotImplementedError


class Osqp(Proxqp):
    name = "osqp"


class SemiImplicit(Configured, OneStep):
    name = "semi_implicit_euler"
    theta = 1.0


class Explicit(SemiImplicit):
    name = "explicit_euler"
    theta = 0.0


class PlaneConfig(PluginConfig):
    normal: UnitVector3 = (0.0, 0.0, 1.0)
    """Direction out of the ground, world frame."""
    friction: NonNegative | None = None
    """Coefficient of friction of the ground's side."""


class Plane(Configured, Terrain):
    name = "plane"
    Config = PlaneConfig

    def prepare(self, sample):
        raise NotImplementedError

    def sample(self, time, points, sample):
        raise NotImplementedError

    def grounds(self):
        return ()


class Zero(Configured, Controller):
    name = "zero"

    def setup(self, model, posture):
        raise NotImplementedError

    def command(self, observation, command):
        raise NotImplementedError


class PostureConfig(PluginConfig):
    stiffness: dict[str, NonNegative] = Field(default_factory=dict)
    """Stiffness by joint pattern, [N m/rad]."""


class Posture(Zero):
    name = "posture"
    Config = PostureConfig


class NoVisualizer(Configured, Visualizer):
    name = "none"
    Config = NoConfig

    def open(self, graph):
        raise NotImplementedError

    def show(self, frame):
        raise NotImplementedError

    def close(self):
        raise NotImplementedError


class Meshcat(NoVisualizer):
    name = "meshcat"


class OwnSteps(Configured, SimulatorPlugin):
    name = "footfall"

    def assemble(self, scene, registry, *, tell_deep=True):
        raise NotImplementedError


PLUGINS = {
    "simulator": [OwnSteps],
    "engine": [Pinocchio, OtherEngine],
    "contact": [Coulomb, Gauss],
    "impact": [NoImpact, Inelastic, Bouncing],
    "solver": [Proxqp, Osqp],
    "integrator": [SemiImplicit, Explicit],
    "terrain": [Plane],
    "controller": [Zero, Posture],
    "visualizer": [NoVisualizer, Meshcat],
}


def make_registry():
    """Return a registry of the plugins above, and one that lacks its dependency."""
    registry = Registry()
    for role, classes in PLUGINS.items():
        for cls in classes:
            registry.catalog(role).add(cls.name, lambda cls=cls: cls, summary=f"a {role}")
    registry.contact.add(
        "absent",
        lambda: pytest.fail("loaded without its dependency"),
        summary="lacks something",
        requires=("no_such_package",),
        extra="absent",
    )
    merged = Registry()
    merged.merge(registry, ORIGIN)
    return merged


MINIMAL = {"simulation": {"duration": 1.0}, "bodies": {"box": {"robot": "box"}}}
