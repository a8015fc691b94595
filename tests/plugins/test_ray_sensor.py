"""Distances along rays against closed forms: of shapes, of grounds, of what is ignored."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.plugins.ground_functions import waves

import footfall
from footfall.errors import FootfallError
from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
)
from footfall.geometry.triangles import surface
from footfall.interfaces.plugin import Capability
from footfall.interfaces.visualizer import Ground, GroundSurface
from footfall.spatial.pose import Pose
from footfall_check.kit.bench import Slope
from footfall_check.kit.sensed_robot import Robot
from footfall_sensors.ray import Ray, RayConfig

EXACT = 1e-9
RANGE = 6.0
UP = np.array([0.0, 0.0, 1.0])


class Nothing(Slope):
    """A ground that is not there."""

    def grounds(self):
        return ()


def any_pose(rng, spread=1.0):
    return Pose(Rotation.random(random_state=rng).as_matrix(), rng.uniform(-spread, spread, 3))


def measured(directions, shapes=(), terrain=None, *, at=None, time=0.0, **settings):
    """Return what rays of the kit's robot measure; its trunk is at a pose, by default the world."""
    settings = {"directions": tuple(tuple(d) for d in directions), "range": RANGE, **settings}
    ray = Ray(RayConfig(frame="trunk", **settings))
    robot, out = Robot(), np.full(len(ray.rays), np.nan)
    row = robot.row(0)  # moves the links
    row[robot.columns["time"]] = time
    robot.world.dynamics.pose[0] = frame(at or Pose.identity())
    given = [
        SimpleNamespace(name=f"{body}/link/0", geometry=geometry, link=link, pose=pose)
        for body, link, geometry, pose in shapes
    ]
    mount = replace(robot.mount(out), shapes=given, terrain=terrain or Nothing())
    ray.bound(mount)(row)
    return out


def frame(pose):
    return np.append(pose.rotation.T.ravel(), pose.translation)


def box_depth(p, size):
    """Return the signed distance of points to a box about the origin."""
    beyond = np.abs(p) - 0.5 * np.array(size)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return outside + np.minimum(beyond.max(axis=-1), 0.0)


def capsule_depth(p, radius, length):
    """Return the signed distance to a capsule: that to its segment, less the radius."""
    z = np.clip(p[..., 2], -0.5 * length, 0.5 * length)
    off = p - z[..., None] * UP
    return np.linalg.norm(off, axis=-1) - radius


def cylinder_depth(p, radius, length):
    """Return the signed distance to a cylinder: as of a box in radius and height."""
    beyond = np.stack(
        [np.hypot(p[..., 0], p[..., 1]) - radius, np.abs(p[..., 2]) - 0.5 * length], axis=-1
    )
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return outside + np.minimum(beyond.max(axis=-1), 0.0)


def field_depth(p, field):
    """Return the height over a field of two triangles a cell, 1 beyond its border."""
    i = np.clip(np.searchsorted(field.x, p[..., 0], "right") - 1, 0, len(field.x) - 2)
    j = np.clip(np.searchsorted(field.y, p[..., 1], "right") - 1, 0, len(field.y) - 2)
    s = (p[..., 0] - field.x[i]) / (field.x[i + 1] - field.x[i])
    t = (p[..., 1] - field.y[j]) / (field.y[j + 1] - field.y[j])
    h = field.heights
    a, b, c, d = h[i, j], h[i + 1, j], h[i + 1, j + 1], h[i, j + 1]
    z = np.where(s >= t, a + s * (b - a) + t * (c - b), a + t * (d - a) + s * (c - d))
    beyond = (s < 0.0) | (s > 1.0) | (t < 0.0) | (t > 1.0)
    return np.where(beyond, 1.0, p[..., 2] - z)


BOX = (0.8, 1.1, 0.5)
CORNERS = 0.5 * np.array(BOX) * np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).T.reshape(-1, 3)
HULL = convex_hull(CORNERS)
FIELD = HeightField(x := np.linspace(-2.0, 2.0, 41), y := np.linspace(-1.5, 1.5, 31),
                    waves(*np.meshgrid(x, y, indexing="ij")))  # fmt: skip
SHAPES = {
    "sphere": (Sphere(0.6), lambda p: np.linalg.norm(p, axis=-1) - 0.6),
    "box": (Box(BOX), lambda p: box_depth(p, BOX)),
    "capsule": (Capsule(0.3, 1.0), lambda p: capsule_depth(p, 0.3, 1.0)),
    "cylinder": (Cylinder(0.4, 0.9), lambda p: cylinder_depth(p, 0.4, 0.9)),
    "half-space": (HalfSpace(), lambda p: p[..., 2]),
    "hull": (HULL, lambda p: box_depth(p, BOX)),
    "mesh": (surface(HULL), lambda p: box_depth(p, BOX)),
    "height field": (FIELD, lambda p: field_depth(p, FIELD)),
}


@each("seed", range(6))
@pytest.mark.parametrize("name", SHAPES)
def test_a_ray_ends_on_the_surface_and_is_nowhere_inside_before(name, seed):
    geometry, depth = SHAPES[name]
    rng = np.random.default_rng(seed)
    eye, shape, n = any_pose(rng, 2.5), any_pose(rng), 400
    if name == "height field":  # above it: it has no sides
        over = np.array([*rng.uniform(-0.5, 0.5, 2), 0.6])
        eye = Pose(eye.rotation, shape.rotation @ over + shape.translation)
    away = shape.translation - eye.translation
    aim = away + rng.normal(size=(n, 3)) * 0.7
    directions = aim / np.linalg.norm(aim, axis=1, keepdims=True) @ eye.rotation
    found = measured(directions, [("rock", -1, geometry, shape)], at=eye)

    def depth_at(t):
        world = eye.translation + t[:, None] * (directions @ eye.rotation.T)
        return depth((world - shape.translation) @ shape.rotation)

    hits = found < RANGE
    if depth(((eye.translation - shape.translation) @ shape.rotation)[None])[0] <= 0.0:
        assert (found == 0.0).all()
        return
    assert np.abs(depth_at(found)[hits]).max(initial=0.0) <= EXACT
    for part in np.linspace(0.0, 1.0, 400, endpoint=False):
        assert (depth_at(part * found) >= -EXACT).all()


def test_some_rays_hit_and_some_miss():
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(500, 3))
    shapes = [("rock", -1, Sphere(1.0), Pose(np.eye(3), np.array([2.0, 0.0, 0.0])))]
    found = measured(directions, shapes)
    # A ball of radius 1 at distance 2 is seen in a cone of 30 degrees.
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    seen = unit[:, 0] > np.cos(np.pi / 6)
    assert seen.any()
    assert np.array_equal(found < RANGE, seen)
    assert (found[~seen] == RANGE).all()


INSIDE = {name: (shape, np.array([0.1, 0.05, -0.1])) for name, (shape, _) in SHAPES.items()}


@pytest.mark.parametrize("name", INSIDE)
def test_a_ray_that_starts_inside_measures_zero(name):
    geometry, place = INSIDE[name]
    directions = np.random.default_rng(3).normal(size=(200, 3))
    directions[:3] = np.eye(3)  # through the diagonals of a box's faces, too
    at = Pose(np.eye(3), place - (UP if name == "height field" else 0.0))
    shapes = [("rock", -1, geometry, Pose.identity())]
    found = measured(directions, shapes, at=at)
    if name == "height field":  # it has no sides: what leaves through them meets nothing
        assert (found[directions[:, 2] > np.abs(directions[:, :2]).max(axis=1)] == 0.0).all()
    else:
        assert (found == 0.0).all()


def test_rays_do_not_slip_through_the_edges_and_corners_of_triangles():
    target = np.array([(0.0, 0.0, 0.0), *CORNERS * 0.999999, *0.5 * CORNERS])
    eye = np.array([-3.0, 0.0, 0.0])
    for geometry in (HULL, surface(HULL)):
        found = measured(
            target - eye,
            [("rock", -1, geometry, Pose.identity())],
            at=Pose(np.eye(3), eye),
        )
        expected = measured(
            target - eye,
            [("rock", -1, Box(BOX), Pose.identity())],
            at=Pose(np.eye(3), eye),
        )
        assert np.abs(found - expected).max() <= EXACT
        assert (found < RANGE).all()


def test_a_height_field_is_met_where_the_mesh_of_its_triangles_is():
    """Uneven lines, more than a block of them; rays through corners and along lines."""
    rng = np.random.default_rng(5)
    x, y = np.cumsum(rng.uniform(0.05, 0.2, 20)) - 1.0, np.cumsum(rng.uniform(0.05, 0.2, 27)) - 1.5
    field = HeightField(x, y, rng.uniform(-0.3, 0.3, (20, 27)))
    mesh, met = field.mesh(), 0
    corners = rng.choice(mesh.vertices[np.isin(mesh.vertices[:, 0], x[1:-1])], 40)
    for corner in corners:
        eye = corner + rng.uniform([-3, -3, 0.4], [3, 3, 1.5])
        along_x, along_y = [*eye[:1], corner[1], eye[2]], [corner[0], *eye[1:]]
        for start in (eye, along_x, along_y, [*corner[:2], eye[2]]):
            towards = np.vstack([corner - start, corner - start + 0.2 * rng.normal(size=(30, 3))])
            at = Pose(np.eye(3), np.array(start, float))
            one, other = (
                measured(towards, [("rock", -1, shape, Pose.identity())], at=at)
                for shape in (field, mesh)
            )
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
            met += int((one < RANGE).sum())
    assert met > 3000


def test_an_open_surface_is_seen_from_both_sides():
    triangle = TriangleMesh(np.array([(0.0, -1.0, -1.0), (0.0, 1.0, -1.0), (0.0, 0.0, 2.0)]),
                            np.array([(0, 1, 2)]))  # fmt: skip
    for side in (-1.0, 1.0):
        at = Pose(np.eye(3), np.array([2.0 * side, 0.0, 0.0]))
        found = measured([(-side, 0.0, 0.0)], [("wall", -1, triangle, Pose.identity())], at=at)
        assert found == pytest.approx([2.0], abs=EXACT)


def test_the_nearest_of_many_shapes_counts_and_those_on_links_move():
    rng = np.random.default_rng(11)
    shapes = [
        ("rocks", -1, Sphere(0.2), Pose(np.eye(3), rng.uniform(-3.0, 3.0, 3))) for _ in range(40)
    ]
    directions = rng.normal(size=(300, 3))
    alone = [measured(directions, [shape]) for shape in shapes]
    assert np.array_equal(measured(directions, shapes), np.min(alone, axis=0))
    # The kit's robot stands at the pose of its link 0, and so does what is on that link.
    at = Pose(Rotation.from_euler("z", 90, degrees=True).as_matrix(), np.array([5.0, 0.0, 0.0]))
    on_link = [("other", 0, Sphere(0.5), Pose(np.eye(3), np.array([2.0, 0.0, 0.0])))]
    assert measured([(1.0, 0.0, 0.0)], on_link, at=at) == pytest.approx([1.5], abs=EXACT)


def test_the_own_body_is_ignored_unless_it_is_asked_for():
    shapes = [
        ("it", 0, Box((0.2, 0.2, 0.2)), Pose(np.eye(3), np.array([1.0, 0.0, 0.0]))),
        ("other", -1, Box((0.2, 0.2, 0.2)), Pose(np.eye(3), np.array([2.0, 0.0, 0.0]))),
    ]
    ahead = [(1.0, 0.0, 0.0)]
    assert measured(ahead, shapes) == pytest.approx([1.9], abs=EXACT)
    assert measured(ahead, shapes, own_body=True) == pytest.approx([0.9], abs=EXACT)
    with pytest.raises(FootfallError, match=r"own_body: .*collisions\.detect = true"):
        measured(ahead, own_body=True)


def test_origins_scan_and_grid_give_the_rays_that_they_say():
    plane = Slope()
    at = Pose(np.eye(3), np.array([0.0, 0.0, 2.0]))
    down = (0.0, 0.0, -3.0)
    found = measured(
        [down, down], terrain=plane, at=at, origins=((0.0, 0.0, 0.5), (0.0, 0.0, -0.5))
    )
    assert found == pytest.approx([2.5, 1.5], abs=EXACT)
    scan = {"azimuth": (-0.5, 0.5), "elevation": (-1.2, -0.4), "count": (3, 5)}
    found = measured([], terrain=plane, at=at, scan=scan, range=20.0).reshape(5, 3)
    expected = 2.0 / np.sin(np.linspace(1.2, 0.4, 5))
    assert np.abs(found - expected[:, None]).max() <= EXACT
    grid = {"x": (-1.0, 1.0), "y": (0.0, 0.5), "count": (5, 2)}
    slope = Slope(np.array([0.3, 0.0, 1.0]))
    found = measured([], terrain=slope, at=at, grid=grid).reshape(5, 2)
    assert np.abs(found - (2.0 + 0.3 * np.linspace(-1.0, 1.0, 5))[:, None]).max() <= EXACT


class Lift(Slope):
    """A plane that rises at 0.5 m/s and is tilted by a time's number of radians about y."""

    capabilities = frozenset({Capability.TILTED_TERRAIN, Capability.MOVING_GROUND})

    def pose(self, time, out):
        out[:] = 0.0
        out[2] = 0.5 * time
        out[3:] = Rotation.from_euler("y", time).as_quat()


def test_what_is_drawn_of_rays_ends_where_they_met_something():
    """Rays of a turned frame that is fixed to a leg's link, down to a level ground."""
    rays = {
        "plugin": "ray",
        "name": "eye",
        "frame": "fl_foot",
        "directions": [(0, 0, -1), (0.1, 0.2, -1)],
    }
    rays["origins"] = [(0.0, 0.0, 0.3), (0.05, 0.0, 0.3)]
    sim = footfall.load("quadruped/standing", {"bodies.quadruped.sensors": [rays]})
    for _ in range(5):
        sim.step()
    drawing = sim.drawing()
    drawing.update(sim.time)
    ((name, link, fan, reach),) = drawing.graph().rays
    assert (name, link, reach) == ("sensor_eye_distance", "quadruped/fl_shank", 10.0)
    pose = drawing.poses[drawing.graph().links.index(link)]
    turn = Rotation.from_quat(pose[3:])
    assert turn.magnitude() > 0.1
    ends = turn.apply(fan[:, :3] + sim.signal(name)[:, None] * fan[:, 3:]) + pose[:3]
    np.testing.assert_allclose(ends[:, 2], 0.0, atol=1e-9)


def test_a_ground_that_moves_is_met_where_it_is():
    at = Pose(np.eye(3), np.array([1.0, 0.0, 2.0]))
    found = measured([(0.0, 0.0, -1.0)], terrain=Lift(), at=at, time=0.4)
    # The plane through (0, 0, 0.2), turned about y: z = 0.2 - x tan(0.4).
    assert found == pytest.approx([2.0 - (0.2 - np.tan(0.4))], abs=EXACT)


class Drawn(Nothing):
    """A ground that has no solids, as one with patches."""

    def grounds(self):
        points = np.array([(-1.0, -1.0, 0.5), (1.0, -1.0, 0.5), (0.0, 1.0, 0.5)])
        lines = np.zeros((0, 2), np.int64)
        return (Ground(UP, 0.25), GroundSurface(points, np.array([(0, 1, 2)]), lines))


def test_a_ground_without_solids_is_met_as_it_is_drawn():
    grid = {"x": (0.0, 3.0), "y": (0.0, 0.0), "count": (2, 1)}
    at = Pose(np.eye(3), np.array([0.0, 0.0, 2.0]))
    found = measured([], terrain=Drawn(), at=at, grid=grid)
    assert found == pytest.approx([1.5, 1.75], abs=EXACT)


def box_depths(points, boxes):
    """Return the signed distance to a floor and boxes on it, given by their corners."""
    found = [points[..., 2]]
    for low, high in boxes:
        middle = 0.5 * (np.array(low) + np.array(high))
        found.append(box_depth(points - middle, np.array(high) - np.array(low)))
    return np.min(found, axis=0)


def test_a_scan_of_stairs_and_a_crate_is_that_of_their_boxes():
    without = {"bodies.quadruped.sensors": [
        {"plugin": "imu", "name": "imu", "frame": "trunk"},
        {"plugin": "encoder", "name": "joints"},
        {
            "plugin": "ray",
            "name": "depth",
            "frame": "trunk",
            "origins": [(0.33, 0.0, 0.06)],
            "scan": {"azimuth": (0.8, -0.8), "elevation": (0.1, -0.9), "count": (40, 25)},
            "range": 4.0,
        },
    ]}  # fmt: skip
    run = footfall.load("quadruped/scanning", without).run(0.05)
    stairs = [
        ((0.9 + 0.35 * k, -0.8, 0.0), (0.9 + 0.35 * (k + 1) if k < 2 else 4.6, 0.8, 0.02 * (k + 1)))
        for k in range(3)
    ]
    crate = ((2.45, 0.2, 0.06), (2.75, 0.5, 0.36))
    e, a = np.meshgrid(np.linspace(0.1, -0.9, 25), np.linspace(0.8, -0.8, 40), indexing="ij")
    rays = np.stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)], axis=-1)
    body = Rotation.from_quat(run.base_quaternion.values[-1, 0])
    eye = run.base_position.values[-1, 0] + body.apply([0.33, 0.0, 0.06])
    rays = body.apply(rays.reshape(-1, 3))
    found = run.sensor_depth_distance.values[-1]

    def depth(t):
        return box_depths(eye + t[:, None] * rays, [*stairs, crate])

    hits = found < 4.0
    assert 300 < hits.sum() < 1000
    assert np.abs(depth(found))[hits].max() <= EXACT
    for part in np.linspace(0.0, 1.0, 200, endpoint=False):
        assert (depth(part * found) >= -EXACT).all()
    on_crate = np.abs(box_depth(eye + found[:, None] * rays - np.mean(crate, axis=0), (0.3,) * 3))
    assert (on_crate <= EXACT).sum() >= 10


BAD = {
    "no rays": ({}, "one of directions, scan and grid, got none"),
    "two kinds": (
        {"directions": [(1.0, 0.0, 0.0)], "grid": {"x": (0, 1), "y": (0, 1), "count": (2, 2)}},
        "got directions and grid",
    ),
    "no direction": ({"directions": [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]}, "number 1 must not be"),
    "origins": (
        {"directions": [(1.0, 0.0, 0.0)] * 3, "origins": [(0.0, 0.0, 0.0)] * 2},
        "origins must be 1 or 3",
    ),
    "range": ({"directions": [(1.0, 0.0, 0.0)], "range": 0.0}, "range"),
    "frame": ({"directions": [(1.0, 0.0, 0.0)], "frame": "trunc"}, "trunk"),
    "nothing else": ({"directions": [(1.0, 0.0, 0.0)], "ray": 3}, "ray"),
}


@each("settings, says", [*BAD.values()], ids=[*BAD])
def test_bad_settings_are_refused_by_their_key(settings, says):
    sensor = {"plugin": "ray", "name": "depth", "frame": "trunk", **settings}
    with pytest.raises(FootfallError, match=says):
        footfall.load("quadruped/standing", {"bodies.quadruped.sensors": [sensor]})
