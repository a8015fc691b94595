"""Distances and normals of height grids and steps, against geometry worked out another way."""

import struct
import zlib

import numpy as np
import pytest
from tests.cases import each

from footfall.interfaces.terrain import TerrainSample
from footfall.terrain.coefficients import Patch
from footfall_terrains.exposed import exposed_faces
from footfall_terrains.heightmap import Heightmap, HeightmapConfig
from footfall_terrains.steps import Steps, StepsConfig

RNG = np.random.default_rng(5)
HEIGHTS = 0.2 * RNG.random((5, 4))
"""A rough grid over 4 m x 3 m: cells of 1 m."""


def sample(terrain, points):
    points = np.atleast_2d(np.asarray(points, float))
    found = TerrainSample.allocate(len(points))
    terrain.prepare(found)
    terrain.sample(0.0, points, found)
    return found


@pytest.fixture
def rough(tmp_path):
    np.save(tmp_path / "rough.npy", HEIGHTS)
    return Heightmap(HeightmapConfig(file=str(tmp_path / "rough.npy"), size=(4.0, 3.0)))


def bilinear(x, y):
    """Height of the grid at places within it, by the definition."""
    i, j = np.minimum((x + 2.0).astype(int), 3), np.minimum((y + 1.5).astype(int), 2)
    u, v = x + 2.0 - i, y + 1.5 - j
    low = (1 - u) * HEIGHTS[i, j] + u * HEIGHTS[i + 1, j]
    return (1 - v) * low + v * ((1 - u) * HEIGHTS[i, j + 1] + u * HEIGHTS[i + 1, j + 1])


def test_heights_are_bilinear_between_those_of_the_file(rough):
    x, y = RNG.uniform(-2.0, 2.0, 200), RNG.uniform(-1.5, 1.5, 200)
    found = sample(rough, np.column_stack([x, y, bilinear(x, y)]))
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-14)


def test_normals_on_the_surface_are_those_of_the_patch(rough):
    """``n ~ (-dz/dx, -dz/dy, 1)``, by differences of the definition within a cell."""
    x, y = RNG.uniform(-0.99, -0.01, 100), RNG.uniform(-0.49, 0.49, 100)
    d = 1e-6
    slopes = [
        (bilinear(x + d, y) - bilinear(x - d, y)) / (2 * d),
        (bilinear(x, y + d) - bilinear(x, y - d)) / (2 * d),
    ]
    expected = np.column_stack([-slopes[0], -slopes[1], np.ones(100)])
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    found = sample(rough, np.column_stack([x, y, bilinear(x, y)]))
    np.testing.assert_allclose(found.normal, expected, atol=1e-9)


def test_the_gap_is_the_distance_to_the_nearest_of_many_points_of_the_surface(rough):
    """Points 5 mm apart find the distance from above to ``(5 mm)^2 / (2 d)``, never less."""
    grid = np.meshgrid(np.linspace(-2, 2, 801), np.linspace(-1.5, 1.5, 601), indexing="ij")
    x, y = (a.ravel() for a in grid)
    cloud = np.column_stack([x, y, bilinear(x, y)])
    asked = RNG.uniform([-1.2, -0.8, 0.25], [1.2, 0.8, 0.6], (30, 3))
    asked[15:, 2] = bilinear(asked[15:, 0], asked[15:, 1]) - 0.15
    found = sample(rough, asked)
    for point, gap in zip(asked, found.gap, strict=True):
        nearest = np.sqrt(((cloud - point) ** 2).sum(axis=1).min())
        assert -1e-12 < nearest - abs(gap) < 0.0025**2 / abs(gap)
    assert (found.gap[:15] > 0.0).all()
    assert (found.gap[15:] < 0.0).all()


def test_the_border_goes_on_level(rough):
    inside = sample(rough, [[-2.0, 0.0, 5.0]])
    corner = sample(rough, [[-9.0, -7.0, HEIGHTS[0, 0] + 0.3]])
    np.testing.assert_allclose(corner.gap, 0.3, atol=1e-12)
    np.testing.assert_allclose(corner.normal, [[0.0, 0.0, 1.0]], atol=1e-12)
    assert np.isfinite(inside.gap).all()


def png(rows, depth, filters=0):
    """A greyscale picture of integers, every line with the same filter (0, 1 or 2)."""
    data, width = b"", rows.shape[1] * depth // 8
    kind = ">u2" if depth == 16 else ">u1"
    above, step = np.zeros(width, np.uint8), depth // 8
    for row in rows:
        line = np.frombuffer(row.astype(kind).tobytes(), np.uint8)
        left = np.concatenate([np.zeros(step, np.uint8), line[:-step]])
        data += bytes([filters]) + (line - [0, left, above][filters]).astype(np.uint8).tobytes()
        above = line
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], depth, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(data)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("filters", [0, 1, 2])
@pytest.mark.parametrize("depth", [8, 16])
def test_a_picture_lies_as_it_is_seen_from_above(tmp_path, depth, filters):
    """White, the largest number, is one ``height``; columns go along x, the top row is at y max."""
    rows = RNG.integers(0, 2**depth, (3, 4))
    (tmp_path / "hill.png").write_bytes(png(rows, depth, filters))
    config = HeightmapConfig(file=str(tmp_path / "hill.png"), size=(3.0, 2.0), height=0.5, base=0.1)
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, 4), [1.0, 0.0, -1.0])
    z = 0.1 + 0.5 * rows / (2**depth - 1)
    found = sample(Heightmap(config), np.column_stack([x.ravel(), y.ravel(), z.ravel()]))
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-14)


def test_a_picture_by_another_program_is_read(tmp_path):
    """Pillow's own choice of filters."""
    image = pytest.importorskip("PIL.Image")
    ramp = (np.add.outer(np.arange(16), 3 * np.arange(32)) * 2).astype(np.uint8)
    image.fromarray(ramp).save(tmp_path / "ramp.png", optimize=True)
    terrain = Heightmap(HeightmapConfig(file=str(tmp_path / "ramp.png"), size=(31.0, 15.0)))
    found = sample(terrain, [[15.5 - 31.0 + 4.0, 7.5 - 2.0, ramp[2, 4] / 255.0]])
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-14)


STAIRS = {"count": 3, "rise": 0.2, "run": 0.3, "width": 2.0}


@each(
    ("point", "gap", "normal"),
    [
        ((0.15, 0.0, 0.25), 0.05, (0, 0, 1)),  # over the first tread
        ((0.25, 0.0, 0.3), 0.05, (-1, 0, 0)),  # before the second riser
        ((-0.03, 0.0, 0.24), 0.05, (-0.6, 0, 0.8)),  # beside the first edge
        ((-0.03, 1.04, 0.1), 0.05, (-0.6, 0.8, 0)),  # beside a corner that stands upright
        ((0.15, 0.0, 0.17), -0.03, (0, 0, 1)),  # in the first tread
        ((0.3, 0.0, 0.15), -0.05, (0, 0, 1)),  # below the inner edge: out along either
        ((0.33, 0.0, 0.16), -0.05, (-0.6, 0, 0.8)),  # behind and below it: out through the edge
        ((0.61, 0.0, 0.58), -0.01, (-1, 0, 0)),  # just in the last edge
        ((-2.0, 0.0, -0.1), -0.1, (0, 0, 1)),  # in the floor
        ((0.15, 0.0, -0.1), -0.25, (-0.6, 0, 0.8)),  # in the floor below: out before the stairs
    ],
)
def test_the_gap_of_stairs_is_the_signed_distance_to_their_surface(point, gap, normal):
    found = sample(Steps(StepsConfig(stairs=[STAIRS])), [point])
    if normal == (-0.6, 0, 0.8) and gap == -0.25:
        gap, normal = -np.hypot(0.15, 0.1), np.array([-0.15, 0.0, 0.1]) / np.hypot(0.15, 0.1)
    np.testing.assert_allclose(found.gap, gap, atol=1e-12)
    if point[0] != 0.3:
        np.testing.assert_allclose(found.normal, [normal], atol=1e-12)


def test_blocks_side_by_side_have_no_edge_between_them():
    """Beside the joint of two equal blocks, just below their top, the way out is up."""
    boxes = [{"position": (x, 0.0, 0.0), "size": (1.0, 1.0, 0.2)} for x in (-0.5, 0.5)]
    found = sample(Steps(StepsConfig(boxes=boxes)), [[1e-6, 0.0, 0.2 - 1e-4], [0.0, 0.0, 0.19]])
    np.testing.assert_allclose(found.gap, [-1e-4, -0.01], atol=1e-15)
    np.testing.assert_array_equal(found.normal, [[0, 0, 1], [0, 0, 1]])


def test_a_box_in_the_air_has_a_bottom():
    boxes = [{"position": (0.0, 0.0, 1.0), "size": (1.0, 1.0, 0.1)}]
    found = sample(Steps(StepsConfig(boxes=boxes)), [[0.0, 0.0, 0.9]])
    np.testing.assert_allclose(found.gap, 0.1, atol=1e-15)
    np.testing.assert_array_equal(found.normal, [[0, 0, -1]])


def test_the_faces_of_a_union_have_its_area():
    """Two overlapping cubes of 1 m, shifted by half along each axis: 12 - 2 x 6 x 0.25 m^2."""
    boxes = np.array([[0, 0, 0, 1, 1, 1], [0.5, 0.5, 0.5, 1.5, 1.5, 1.5]], float)
    faces, axis, _, number = exposed_faces(boxes)
    sides = faces[:, 3:] - faces[:, :3]
    sides[np.arange(len(faces)), axis] = 1.0
    assert sides.prod(axis=1).sum() == pytest.approx(12.0 - 1.5)
    assert set(number) == {0, 1}


def test_boxes_and_patches_give_coefficients_where_they_are():
    config = StepsConfig(
        friction=0.5,
        boxes=[{"position": (0.0, 0.0, 0.0), "size": (1.0, 1.0, 0.2), "friction": 0.1}],
        patches=[{"x": (0.2, 9.0), "restitution": 0.3}],
    )
    found = sample(Steps(config), [[0.0, 0.0, 0.2], [0.3, 0.0, 0.25], [0.9, 0.0, 0.0]])
    np.testing.assert_array_equal(found.friction, [0.1, 0.1, 0.5])
    np.testing.assert_array_equal(found.restitution, [np.nan, 0.3, 0.3])
    assert Steps(config).greatest_restitution == 0.3


def test_patches_leave_gaps_and_normals_the_same_bits_in_any_number_of_points():
    """A product of matrices fails here on some processors only: its rows round differently."""
    box = {"position": (0.0, 0.0, 0.0), "size": (0.5, 0.4, 0.2)}
    config = StepsConfig(yaw=0.3, floor=-5.0, boxes=[box])
    patched = Steps(config.model_copy(update={"patches": (Patch(x=(0.0, 1.0), friction=0.1),)}))
    points = np.random.default_rng(6).uniform(-1.0, 1.0, (9, 3))
    plain = sample(Steps(config), points)
    for n in range(1, 10):
        found = sample(patched, points[:n])
        np.testing.assert_array_equal(found.gap, plain.gap[:n])
        np.testing.assert_array_equal(found.normal, plain.normal[:n])
