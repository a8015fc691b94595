"""Worlds of made-up trees and one free rigid body, with everything random in their joints."""

import numpy as np
from tests.core.random_trees import evaluation, random_parents, tree_model

from footfall.interfaces.contact import ImpulseLaw
from footfall.interfaces.plugin import NoConfig
from footfall.model.contact_features import ContactFeature
from footfall.problem.arrays import allocate
from footfall_standard.impact import NoImpact
from footfall_standard.integrator import SemiImplicitEuler
from footfall_standard.terrain import Plane, PlaneConfig
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.world.body import Body
from footfall_stepper.world.world import World

GROUND = PlaneConfig(normal=(0.2, -0.3, 0.9), offset=0.3, friction=0.5)
TERRAIN_NORMAL = np.array(GROUND.normal) / np.linalg.norm(GROUND.normal)


class Answer(ImpulseLaw):
    """Gives the impulses it is told to, to whatever could ever touch."""

    name = "answer"

    def __init__(self, impulse):
        self.impulse = impulse

    @property
    def margin(self):
        return 1e3

    def solve(self, problem, state):
        problem.impulse[:] = self.impulse(problem.n_rows)
        problem.offset[:] = 0.0
        problem.correction[:] = 0.0
        problem.report.write()


def points(rng, links):
    """Return a point on each of these links."""
    places = [rng.normal(size=3) for _ in links]
    return [
        ContactFeature(f"p{k}", link, "point", place, np.zeros(3), 0.0, 0.5, np.nan)
        for k, (link, place) in enumerate(zip(links, places, strict=True))
    ]


def mixed_features(rng, n_links, n):
    """Return points, spheres and rims on random links."""
    features = []
    for k in range(n):
        kind = ("point", "sphere", "rim")[k % 3]
        axis = rng.normal(size=3)
        features.append(
            ContactFeature(
                name=f"f{k}",
                link=int(rng.integers(0, n_links)),
                kind=kind,
                position=rng.normal(size=3),
                axis=axis / np.linalg.norm(axis) if kind == "rim" else np.zeros(3),
                radius=0.0 if kind == "point" else float(rng.uniform(0.1, 0.5)),
                friction=0.5,
                restitution=np.nan,
            )
        )
    return features


def body(rng, name, parents, floating, features, *, free=False):
    """Return a body in a random state; ``free``: without an engine's tree."""
    model = tree_model(rng, parents, floating)
    tree = None if free else evaluation(rng, model)
    q, v, n = rng.normal(size=model.nq), rng.normal(size=model.nv), len(parents)
    if floating:
        q[3:7] /= np.linalg.norm(q[3:7])
    return Body(name, model, tree, q, v, features, rng.uniform(0, 1, n), rng.uniform(0, 1, n))


def simulator(rng, bodies, settings, *, impulse=np.zeros, gains=(50.0, 5.0)):
    """Return a simulator of bodies that touch the ground with all points, wherever they are.

    ``gains`` are the largest of the joints, [N m/rad] and [N m s/rad].
    """
    world = World(bodies, rng.normal(size=3))
    n = world.n_contacts
    world.problem = allocate(n, 3 * n, n * n, 9 * n * n)  # also for pairs across trees
    integrator = SemiImplicitEuler(NoConfig())
    physics = Physics(Answer(impulse), NoImpact(NoConfig()), integrator, Plane(GROUND))
    sim, joints = StepperSimulator(world, physics, settings), world.joints
    for k in range(len(bodies)):
        at = world.joint_slice(k)
        n = at.stop - at.start
        joints.stiffness[at] = rng.uniform(0, gains[0], n)
        joints.rate_gain[at] = rng.uniform(0, gains[1], n)
    return sim


def random_simulator(seed, *, impulse=np.zeros, dt=1e-3, sizes=((9, True), (5, False))):
    """Return a world of trees and one free rigid body that are driven and pushed at random."""
    rng = np.random.default_rng(seed)
    bodies = [
        body(rng, f"tree{k}", random_parents(rng, n), floating, mixed_features(rng, n + 1, 4))
        for k, (n, floating) in enumerate(sizes)
    ]
    bodies.append(body(rng, "free", (), True, mixed_features(rng, 1, 3), free=True))
    sim = simulator(
        rng, bodies, StepSettings(dt, max_impact_splits=0), impulse=impulse, gains=(1e3, 50.0)
    )
    joints = sim.stepper.world.joints
    for k in range(len(bodies)):
        at = sim.world.joint_slice(k)
        n = at.stop - at.start
        joints.tau[at], joints.target[at] = rng.normal(size=n), rng.normal(size=n)
        joints.target_rate[at] = rng.normal(size=n)
    joints.external[:] = rng.normal(size=sim.world.nv)
    return sim
