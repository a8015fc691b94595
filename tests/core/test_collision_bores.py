"""Pegs in a bore: depths against the walls' planes, over random poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import long
from tests.core.collision_worlds import Coal, detector, pose
from tests.core.test_scene_mesh_objects import write_obj

from footfall import assemble, scene_from_dict
from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.shapes import Box, Capsule, Cylinder, TriangleMesh
from footfall.geometry.triangles import surface

SIDES, RADIUS, HEIGHT, LENGTH = 48, 0.008, 0.025, 0.05
INNER = RADIUS * np.cos(np.pi / SIDES)
"""Radius of the circle that fits into the bore, [m]."""
OUTWARDS = np.pi / SIDES * (2 * np.arange(SIDES) + 1)
WALLS = np.column_stack([np.cos(OUTWARDS), np.sin(OUTWARDS), np.zeros(SIDES)])


def ring(radius, z, n=SIDES, turn=0.0):
    angle = 2.0 * np.pi * np.arange(n) / n + turn
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, z)])


def bore():
    """Return a block of 48 sides with a bore from z = 0, its closed end, to 25 mm."""
    rings = [ring(RADIUS, HEIGHT), ring(RADIUS, 0.0), ring(0.03, HEIGHT), ring(0.03, -0.01)]
    vertices = np.concatenate([*rings, [(0.0, 0.0, 0.0), (0.0, 0.0, -0.01)]])
    faces, n = [], SIDES
    for k in range(n):
        m = (k + 1) % n
        for a, b in ((0, 2), (1, 0), (2, 3)):  # top, bore, outside
            faces += [(a * n + k, b * n + k, b * n + m), (a * n + k, b * n + m, a * n + m)]
        faces += [(4 * n, n + k, n + m), (4 * n + 1, 3 * n + m, 3 * n + k)]
    return TriangleMesh(vertices, np.array(faces))


def peg(kind, radius):
    """Return a peg of 5 cm about the origin that fits into a circle, and points that span it."""
    half = 0.5 * LENGTH
    if kind == "box":
        side = radius * np.sqrt(2.0)
        corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return Box((side, side, LENGTH)), np.array(corners) * [side / 2, side / 2, half]
    if kind == "capsule":
        axis = np.linspace(radius - half, half - radius, 2000)
        return Capsule(radius, LENGTH - 2 * radius), axis[:, None] * (0, 0, 1)
    n = 1000 if kind == "cylinder" else 24
    points = np.concatenate([ring(radius, -half, n, 0.1), ring(radius, half, n, 0.1)])
    if kind == "cylinder":
        return Cylinder(radius, LENGTH), points
    hull = convex_hull(points)
    return (hull if kind == "hull" else surface(hull)), points


def depth_in_walls(points, radius=0.0):
    """Return how far a convex peg is beyond the planes of the bore's walls, up to the rim, [m].

    Points above the rim count where the line from a point below meets the rim's plane. With a
    radius, points are centres of balls: those above the rim count by their circle in its plane.
    """
    if radius:
        above = np.clip(points[:, 2:] - HEIGHT, 0.0, radius)
        return float((points @ WALLS.T + np.sqrt(radius**2 - above**2)).max() - INNER)
    low, high = points[points[:, 2] <= HEIGHT], points[points[:, 2] > HEIGHT]
    deepest = (low @ WALLS.T).max(axis=0)
    if len(points) > 100:  # a fine prism: lines along it only
        high = high[: len(low)]
        cut = low + (high - low) * ((HEIGHT - low[:, 2:]) / (high[:, 2:] - low[:, 2:]))
    else:
        a, b = low[:, None], high[None]
        cut = (a + (b - a) * ((HEIGHT - a[..., 2:]) / (b[..., 2:] - a[..., 2:]))).reshape(-1, 3)
    return float(np.maximum(deepest, (cut @ WALLS.T).max(axis=0)).max() - INNER)


def placed(rng, play, straight):
    """Return a random pose of a peg that is pressed into the wall by 1 to 200 um."""
    away, tilt = rng.uniform(0.0, 2.0 * np.pi, 2)
    lean = 0.0 if straight else rng.uniform(0.0, 2e-3)
    press = play + 10.0 ** rng.uniform(-6.0, -3.7)
    turn = Rotation.from_rotvec([lean * np.cos(tilt), lean * np.sin(tilt), 0.0])
    turn *= Rotation.from_euler("z", rng.uniform(0.0, 2.0 * np.pi))
    z = rng.uniform(0.002, 0.014) + 0.5 * LENGTH
    return turn, np.array([press * np.cos(away), press * np.sin(away), z])


KINDS = ["cylinder", "hull", "box", "capsule", "mesh"]
CASES = [(kind, play, 50) for kind in KINDS for play in (1e-4, 2e-5)]


@pytest.mark.parametrize(
    ("kind", "play", "count"), [*CASES, *(long((k, p, 1000), 3) for k, p, _ in CASES)]
)
def test_the_depth_of_a_peg_is_what_is_pressed(kind, play, count):
    shape, points = peg(kind, INNER - play)
    round_by = INNER - play if kind == "capsule" else 0.0
    ours, rng, misses = (
        detector(bore(), shape, max_points_per_pair=64),
        np.random.default_rng(1),
        [],
    )
    for k in range(count):
        turn, at = placed(rng, play, straight=k % 4 == 0)
        found = ours.detect(np.array([pose((0, 0, 0)), pose(at, turn)]))
        right = depth_in_walls(turn.apply(points) + at, round_by)
        told = -found.gap.min(initial=0.0)
        if abs(told - max(0.0, right)) > max(1e-6, 0.01 * right):
            misses.append((k, 1e6 * told, 1e6 * right))
    # Edges of a box behind an inward edge of the bore: known to be too shallow in a few poses.
    assert len(misses) <= (count // 400 if kind == "box" else 0), misses
    assert all(0.8 * right < told <= 1.01 * right for _, told, right in misses)


@pytest.mark.parametrize("count", [30, long(1000)])
@pytest.mark.parametrize("kind", ["hull", "mesh", "box"])
def test_the_depth_is_that_of_the_deepest_wall_by_another_library(kind, count):
    """The bore as 48 overlapping blocks, one behind each wall, each tested alone by Coal."""
    shape, points = peg(kind, INNER - 2e-5)
    walls, thick = Coal(Box((0.02, 0.05, HEIGHT)), convex_hull(points), 0.0), INNER + 0.01
    turns = [Rotation.from_euler("z", angle) for angle in OUTWARDS]
    blocks = [pose(turn.apply((thick, 0.0, 0.5 * HEIGHT)), turn) for turn in turns]
    ours, rng = detector(bore(), shape, max_points_per_pair=64), np.random.default_rng(2)
    misses = []
    for k in range(count):
        turn, at = placed(rng, 2e-5, straight=k % 4 == 0)
        there = pose(at, turn)
        right = -min((walls.ask((block, there)) or (0.0,))[0] for block in blocks)
        told = -ours.detect(np.array([pose((0, 0, 0)), there])).gap.min(initial=0.0)
        if abs(told - right) > max(1e-6, 0.01 * right):
            misses.append((k, 1e6 * told, 1e6 * right))
    # Edges of a box behind an inward edge: see above.
    assert len(misses) <= (count // 400 if kind == "box" else 0), misses


@pytest.mark.parametrize("play", [1e-4, 2e-5])
@pytest.mark.parametrize("kind", ["cylinder", "hull", "box", "capsule"])
def test_a_peg_slides_into_a_bore(kind, play, tmp_path):
    """It starts 2 mm inside, aside and turned, and falls to the bottom; nothing lifts it."""
    _, points = peg(kind, INNER - play)
    r, side = INNER - play, (INNER - play) * np.sqrt(2.0)
    own = {
        "cylinder": {"type": "cylinder", "radius": r, "length": LENGTH},
        "capsule": {"type": "capsule", "radius": r, "length": LENGTH - 2.0 * r},
        "box": {"type": "box", "size": [side, side, LENGTH]},
        "hull": {"type": "mesh"},
    }[kind]
    if kind == "hull":
        own["file"] = write_obj(tmp_path / "peg.obj", surface(convex_hull(points)))
    hollow = {"type": "mesh", "use": "triangles", "file": write_obj(tmp_path / "b.obj", bore())}
    place = [0.5 * play, 0.0, 0.5 * LENGTH + HEIGHT - 0.002]
    start = {"base_position": place, "base_orientation": [0.0, 0.0, 0.3]}
    bodies = {
        "block": {"shape": hollow, "fixed": True, "friction": 0.05},
        "peg": {"shape": own, "mass": 0.05, "friction": 0.05, **start},
    }
    world = {"terrain": {"plugin": "plane", "offset": -1.0, "friction": 0.3}}
    sim = assemble(scene_from_dict({"world": world, "bodies": bodies}))
    gap = []
    for _ in range(200):
        sim.step()
        gap.append(float(sim.q[2]) - 0.5 * LENGTH)
    falling = np.array(gap)[: int(np.argmax(np.array(gap) < 1e-3))]
    assert (np.diff(falling) < 0.0).all()
    assert gap[-1] == pytest.approx(0.0, abs=2e-5)
