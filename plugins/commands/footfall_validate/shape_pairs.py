"""Contacts of all pairs of shapes against a reference: depth, direction, sweep and cost.

The reference knows the shapes by their support functions alone. The Minkowski difference of two
convex shapes grows from within as a polyhedron of Qhull, by the support point of the facet nearest
to the origin (van den Bergen, Proximity queries and penetration depth computation, 2001). The depth
lies between the distances of that facet and of its support plane, in the end ``CLOSE`` together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations_with_replacement, product
from pathlib import Path
from statistics import median
from time import process_time
from timeit import repeat
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from footfall import assemble, scene_from_dict
from footfall.api.plugin import Floats, SimulationError
from footfall_stepper.api import StepperSimulator, stepped

MOVING = ("sphere", "box", "capsule", "cylinder", "hull", "mesh")
GROUND = ("height field", "half-space")
PAIRS = (*combinations_with_replacement(MOVING, 2), *product(MOVING, GROUND))
FIRST, SECOND = (0.06, 0.08, 0.1), (0.05, 0.09, 0.11)
"""Extents of the two bodies whose depth is measured, [m]."""
SMALL, THIN = (0.008, 0.008, 0.012), (0.002, 0.15, 0.15)
"""Extents of what is shot, and of what it is shot at along x, [m]."""
SPEED, STEPS, SHOTS = 50.0, (1e-3, 5e-3), 8
"""Speed of the shots, [m/s], their time steps, [s], and the number of phases at each."""
SHALLOW, DEEP = 1e-5, 5e-3
"""Least and largest depth, [m]; in between they are uniform in their logarithm."""
CLOSE = 1e-11
"""Largest distance of the two bounds of a depth, [m]."""
ABSOLUTE, RELATIVE = 1e-6, 0.01
"""Larger errors of a depth, [m] and relative to it, are misses."""
MOST = 1000
"""Most points that are added for a depth."""
TIMED = 10
"""Poses whose detection is timed."""
METHODS = (
    f"depth: deepest contact at random poses, pressed in by {1e6 * SHALLOW:g} um to"
    f" {1e3 * DEEP:g} mm, against the Minkowski difference; misses are wrong by more than"
    " 1 % and 1 um",
    "direction: angle of that contact's normal from the reference's; a detour is a normal along"
    " which the shapes overlap by more than the depth plus 1 % and 1 um",
    f"sweep: a body of the first shape, {1e3 * SMALL[0]:g} mm wide, at {SPEED:g} m/s against"
    f" a fixed second one, {1e3 * THIN[0]:g} mm thick; through in k of {SHOTS} phases",
    f"cost: median time of a detection of the touching pair, over {TIMED} poses",
)
HEADER = (
    *("pair", "misses", "largest [um]", "largest [%]", "angle [deg]", "detours"),
    *(f"through, {1e3 * dt:g} ms" for dt in STEPS),
    "a call [us]",
)
Support = Callable[[Floats], Floats]
"""Returns the point of a shape farthest along a unit vector, both (3,), in its own frame."""


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Figures of a pair of shapes.

    Attributes:
        first: the shape that is shot.
        second: the shape that it is shot at.
        poses: number of poses.
        misses: number of poses whose depth is wrong by more than 1 % and 1 um.
        absolute: largest error of a depth, [m].
        relative: largest error of a depth, relative to it.
        angle: largest angle between a normal and the reference's, [deg].
        detours: number of poses in which the shapes overlap along the normal by more than the
            depth plus 1 % and 1 um.
        through: shots of ``SHOTS`` that pass through, by time step.
        cost: median time of a detection, [us].
    """

    first: str
    second: str
    poses: int
    misses: int
    absolute: float
    relative: float
    angle: float
    detours: int
    through: tuple[int, ...]
    cost: float

    def cells(self) -> list[str]:
        """Return a row of the table."""
        misses, detours = (f"{count} of {self.poses}" for count in (self.misses, self.detours))
        sizes = (1e6 * self.absolute, 100.0 * self.relative, self.angle)
        shown = (f"{size:.2g}" for size in sizes)
        through = (f"{count} of {SHOTS}" for count in self.through)
        cost = f"{self.cost:.{int(self.cost < 10.0)}f}"
        return [f"{self.first}, {self.second}", misses, *shown, detours, *through, cost]


def measure_pair(first: str, second: str, poses: int, seed: int, folder: Path) -> PairFigures:
    """Measure a pair of shapes.

    Args:
        first: name of a shape that may move.
        second: name of any shape.
        poses: number of random poses.
        seed: of the poses and shots.
        folder: for the files of shapes.
    """
    rng, costs = np.random.default_rng(seed), []
    tables = _table(first, FIRST, folder), _table(second, SECOND, folder)
    sim = _simulator(*tables, STEPS[0], fixed=second in GROUND)
    assert sim.world.collider is not None
    detector, links = sim.world.collider.detector, sim.world.dynamics.pose.copy()
    call = detector.bound(links) or partial(detector.detect, links)
    rows = np.empty((poses, 4))
    for k in range(poses):
        difference, at = _placed(first, second, rng, links)
        rows[k] = _errors(difference, at, detector.detect(links))
        if k < TIMED:
            costs.append(0.1 * min(repeat(call, timer=process_time, repeat=3, number=10)))
    depths, wrong, angles, longer = rows.T
    allowed = np.maximum(ABSOLUTE, RELATIVE * depths)
    return PairFigures(
        *(first, second, poses, int((wrong > allowed).sum()), float(wrong.max())),
        *(float((wrong / depths).max()), float(angles.max()), int((longer > allowed).sum())),
        tuple(_through(first, second, dt, rng, folder) for dt in STEPS),
        1e6 * median(costs),
    )


def _placed(
    first: str, second: str, rng: np.random.Generator, links: Floats
) -> tuple[Difference, Floats]:
    """Place the links so that the shapes overlap; return their difference and the first's place."""
    turns, along = Rotation.random(2, random_state=rng).as_matrix(), rng.normal(size=3)
    inside = np.zeros(3)
    if second in GROUND:  # from above
        turns[0], inside[2] = np.eye(3), -0.5
        along = np.append(0.2 * np.tanh(along[:2]), 1.0)
    along /= np.linalg.norm(along)
    difference = Difference(support(second, SECOND), support(first, FIRST), turns)
    at = difference.pressed(inside, along, SHALLOW * (DEEP / SHALLOW) ** rng.random())
    poses = [np.append(R.T.ravel(), p) for R, p in zip(turns, (np.zeros(3), at), strict=True)]
    links[:] = poses[-len(links) :]
    return difference, at


def _errors(difference: Difference, at: Floats, found: Any) -> tuple[float, float, float, float]:
    """Return depth, error [m], angle [deg] and how much longer the way along the normal is, [m]."""
    depth, normal = difference.depth(at)
    told, along = 0.0, -normal
    if found.n:
        deepest = int(np.argmin(found.gap))
        told, along = -float(found.gap[deepest]), found.normal[deepest]
    angle = 2.0 * np.arcsin(min(1.0, 0.5 * float(np.linalg.norm(along - normal))))
    return depth, abs(told - depth), np.degrees(angle), difference.overlap(along, at) - depth


class Difference:
    """The points a - b of a shape a and a turned shape b, convex, as a polyhedron that grows.

    With b moved to x, the shapes overlap if it contains x.

    Args:
        a: support function of the first shape.
        b: of the second.
        turns: shape (2, 3, 3), their rotations.
    """

    def __init__(self, a: Support, b: Support, turns: Floats) -> None:
        self._a, self._b, self._turns = a, b, turns
        start = np.random.default_rng(0).normal(size=(100, 3))
        start /= np.linalg.norm(start, axis=1)[:, None]
        self._hull = ConvexHull([self._farthest(n) for n in start], incremental=True)

    def _farthest(self, n: Floats) -> Floats:
        A, B = self._turns
        farthest: Floats = A @ self._a(n @ A) - B @ self._b(-n @ B)
        return farthest

    def overlap(self, n: Floats, x: Floats) -> float:
        """Return how far the second shape at x has to move along the unit vector n, [m]."""
        return float((self._farthest(n) - x) @ n)

    def depth(self, x: Floats) -> tuple[float, Floats]:
        """Return the least overlap over all directions, [m], and its direction.

        Raises:
            SimulationError: if the two bounds do not meet.
        """
        for _ in range(MOST):
            planes = self._hull.equations
            k = int(np.argmax(planes[:, :3] @ x + planes[:, 3]))
            n, point = planes[k, :3].copy(), self._farthest(planes[k, :3])
            if point @ n + planes[k, 3] < CLOSE:
                return float((point - x) @ n), n
            self._hull.add_points([point])
        raise SimulationError(f"the reference has no depth after {MOST} points")

    def pressed(self, inside: Floats, along: Floats, depth: float) -> Floats:
        """Return the place of a depth on a ray, by Newton's method from outside, (3,), [m]."""
        x = inside + along
        for _ in range(50):
            now, n = self.depth(x)
            if abs(now - depth) < 1e-3 * depth:
                break
            x = x + (now - depth) / (n @ along) * along
        return x


@cache
def _corners(kind: str) -> Floats:
    """Return the corners of a polyhedron: a box or hull of extents 1, or ground, [m]."""
    signs = np.array(list(product((-0.5, 0.5), (-0.5, 0.5), (-0.5, 0.5))))
    if kind == "height field":
        x, y = np.array(list(product(np.linspace(-0.4, 0.4, 9), repeat=2))).T
        top = np.column_stack([x, y, -0.5 * (x**2 + y**2)])  # flat cells of a convex solid
        return np.concatenate([top, top * (1.0, 1.0, 0.0) - (0.0, 0.0, 1.0)])
    ball = np.random.default_rng(3).normal(size=(24, 3))
    rock: Floats = 0.5 * ball / np.linalg.norm(ball, axis=1)[:, None]
    return {"box": signs, "half-space": signs * 4.0 - (0.0, 0.0, 2.0)}.get(kind, rock)


def support(kind: str, extents: tuple[float, float, float]) -> Support:
    """Return the support function of a shape, from its definition."""
    radius, half = 0.5 * extents[0], 0.5 * extents[2]
    corners = _corners(kind) * (1.0 if kind in GROUND else extents)
    smooth: dict[str, Support] = {
        "sphere": lambda n: radius * n,
        "capsule": lambda n: radius * n + (0.0, 0.0, np.copysign(half - radius, n[2])),
        "cylinder": lambda n: np.append(
            radius * n[:2] / max(1e-300, float(np.hypot(*n[:2]))), np.copysign(half, n[2])
        ),
    }
    return smooth.get(kind, lambda n: corners[np.argmax(corners @ n)])


def _table(kind: str, extents: tuple[float, float, float], folder: Path) -> dict[str, Any] | None:
    """Return the table of a shape in a scene; None for a half-space."""
    radius, length = 0.5 * extents[0], extents[2]
    field, rock = folder / "dome.npy", folder / "rock.obj"
    mesh = {"type": "mesh", "file": str(rock), "scale": list(extents)}
    if kind == "height field":
        np.save(field, _corners(kind)[:81, 2].reshape(9, 9))
    if kind in ("hull", "mesh"):
        _write_rock(rock)
    tables: dict[str, dict[str, Any]] = {
        "sphere": {"type": "sphere", "radius": radius},
        "box": {"type": "box", "size": list(extents)},
        "capsule": {"type": "capsule", "radius": radius, "length": length - 2.0 * radius},
        "cylinder": {"type": "cylinder", "radius": radius, "length": length},
        "hull": mesh,
        "mesh": {**mesh, "use": "triangles"},
        "height field": {"type": "heightfield", "file": str(field), "size": [0.8, 0.8]},
    }
    return tables.get(kind)


def _write_rock(file: Path) -> None:
    """Write the polyhedron of hulls and meshes as triangles, counter-clockwise from outside."""
    hull = ConvexHull(_corners("hull"))
    lines = ["v {} {} {}".format(*corner) for corner in hull.points]
    for (a, b, c), plane in zip(hull.simplices, hull.equations, strict=True):
        edges = hull.points[[b, c]] - hull.points[a]
        b, c = (b, c) if np.cross(*edges) @ plane[:3] > 0.0 else (c, b)
        lines.append(f"f {a + 1} {b + 1} {c + 1}")
    file.write_text("\n".join(lines))


def _simulator(
    first: dict[str, Any] | None, second: dict[str, Any] | None, dt: float, *, fixed: bool
) -> StepperSimulator:
    """Return a scene without gravity: the first body high above the second or the half-space."""
    moves, still = {"mass": 0.1, "friction": 0.3}, {"fixed": True, "friction": 0.3}
    bodies = {"second": {"shape": second, **(still if fixed else moves)}} if second else {}
    bodies["first"] = {"shape": first, **moves, "base_position": [0.0, 0.0, 0.5]}
    ground = {"plugin": "plane", "friction": 0.3, "offset": -9.0 if second else 0.0}
    scene = {
        "simulation": {"time_step": dt},
        "world": {"gravity": [0.0, 0.0, 0.0], "terrain": ground},
        "collisions": {"ground": "shapes"},
        "bodies": bodies,
    }
    return stepped(assemble(scene_from_dict(scene, name="two shapes")))


def _through(first: str, second: str, dt: float, rng: np.random.Generator, folder: Path) -> int:
    """Return how many shots pass the fixed second shape at more than half of their speed."""
    small, thin = _table(first, SMALL, folder), _table(second, THIN, folder)
    sim = _simulator(small, thin, dt, fixed=True)
    blank, ahead, through = sim.state.vector.copy(), np.array([1.0, 0.0, 0.0]), 0
    if second in GROUND:
        ahead = np.array([0.0, 0.0, -1.0])
    for phase in (np.arange(SHOTS) + 0.5) / SHOTS:
        turn, before = Rotation.random(random_state=rng), 0.05 + SPEED * dt * phase
        sim.state.assign(blank)
        sim.q[:3] = np.array([3e-4, 2e-4, 1e-4]) - before * ahead
        sim.q[3:], sim.v[:3] = turn.as_quat(), turn.inv().apply(SPEED * ahead)
        for _ in range(2 + int(np.ceil((before + 0.05) / (SPEED * dt)))):
            sim.step()
        through += bool(sim.q[:3] @ ahead > 0.0 and np.linalg.norm(sim.v[:3]) > 0.5 * SPEED)
    return through
