"""Bodies that meet: simulators with a small collision detector of their own, for spheres.

What comes out can be said in closed form, and the detector in a few lines, so that the contact
problem between bodies is tested apart from the geometry.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from tests.physics.composed import DOWN, laws

from footfall_stepper.devices.participants import Participants
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import StepSettings
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.collision_arrays import contact_key
from footfall_stepper.world.world import World


@dataclass(frozen=True)
class Ball:
    """A sphere on a link, or in the world with link -1 (``centre`` in the world then)."""

    name: str
    number: int
    link: int
    radius: float
    centre: tuple = (0.0, 0.0, 0.0)
    friction: float = np.nan
    restitution: float = np.nan
    lengths: tuple = (np.nan, np.nan)


def placed(ball, poses):
    """The centre of a ball in the world."""
    if ball.link < 0:
        return np.array(ball.centre)
    R = poses[ball.link, :9].reshape(3, 3).T
    return R @ np.array(ball.centre) + poses[ball.link, 9:]


class Spheres:
    """All pairs of spheres on different links, a the environment's or the smaller number."""

    def __init__(self, shapes, margin=0.01):
        self.shapes, self.margin, self.calls = sorted(shapes, key=lambda s: s.number), margin, 0
        self.found = self.kept([])

    def bound(self, poses):
        """It is Python."""
        return None

    def detect(self, poses):
        """Return the pairs that are no further apart than the margin, by key."""
        self.calls += 1
        rows = []
        for i, one in enumerate(self.shapes):
            for other in self.shapes[i + 1 :]:
                a, b = (other, one) if other.link < 0 else (one, other)
                if a.link == b.link:
                    continue
                start, way = placed(a, poses), placed(b, poses) - placed(a, poses)
                gap = np.linalg.norm(way) - a.radius - b.radius
                if gap <= self.margin:
                    normal = way / np.linalg.norm(way)
                    point = start + (a.radius + 0.5 * gap) * normal
                    key = contact_key(a.number, b.number, 0)
                    rows.append((key, a.number, b.number, a.link, b.link, point, normal, gap))
        self.found = self.kept(sorted(rows, key=lambda row: row[0]))
        return self.found

    def kept(self, rows):
        """Return rows as contacts that have been found."""
        names = ("key", "geometry_a", "geometry_b", "link_a", "link_b", "position", "normal", "gap")
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        found = {
            name: np.array(column, float if k > 4 else np.int64)
            for k, (name, column) in enumerate(zip(names, columns, strict=True))
        }
        for name in ("position", "normal"):
            found[name] = found[name].reshape(-1, 3)
        arrays = SimpleNamespace(**found)
        return SimpleNamespace(n=len(rows), version=self.calls, arrays=arrays)


def meeting(bodies, shapes, *, gravity=DOWN, dt=1e-3, pairs=None, splits=4, **physics):
    """Compose a simulator of bodies whose spheres touch; pairs: friction and restitution."""
    no_lengths = np.nan, np.nan
    given = {names: (*values, *no_lengths) for names, values in (pairs or {}).items()}
    collider = Collider(Spheres(shapes), shapes, given)
    world = World(list(bodies), np.asarray(gravity, float), collider)
    settings = StepSettings(time_step=dt, max_impact_splits=splits)
    return StepperSimulator(world, laws(**physics), settings, Participants())


def momentum(sim):
    """Linear and angular momentum about the world's origin of all free bodies, and their scale."""
    total, scale = np.zeros(6), np.zeros(6)
    for index, body in enumerate(sim.world.bodies):
        q, v = sim.q[sim.world.q_slice(index)], sim.v[sim.world.v_slice(index)]
        x, y, z, w = q[3:7]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        p = body.model.link_mass[0] * (R @ v[:3])
        turn = R @ body.model.link_inertia[0] @ v[3:6] + np.cross(q[:3], p)
        total += np.concatenate([p, turn])
        scale += np.concatenate([np.full(3, np.linalg.norm(p)), np.full(3, np.linalg.norm(turn))])
    return total, scale
