"""A ground's shapes are where its gaps say that it is."""

import numpy as np
import pytest

from footfall.geometry.shapes import Sphere
from footfall.interfaces.terrain import TerrainSample
from footfall.spatial.pose import Pose
from footfall_standard.terrain import Plane, PlaneConfig
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.shape import FIXED, CollisionShape
from footfall_terrains.heightmap import Heightmap, HeightmapConfig
from footfall_terrains.moving import Moving, MovingConfig
from footfall_terrains.steps import Steps, StepsConfig

RADIUS = 0.02
WAVES = "tests.plugins.test_terrain_solids:waves"
SIZE, CELLS = 4.0, 40
BENT = 0.1 * 3.0 * 2.0 * (SIZE / CELLS) ** 2 / 4.0
"""A quarter of a cell's twist at most: the mixed derivative of the waves times the cell's area."""
STAIRS = {"count": 4, "rise": 0.2, "run": 0.4, "width": 1.0}


def waves(x, y):
    return 0.1 * np.sin(3.0 * x) * np.sin(2.0 * y)


GROUNDS = {
    "plane": (Plane(PlaneConfig(normal=(0.2, -0.3, 1.0), offset=0.1, friction=0.5)), 1e-9),
    "heightmap": (
        Heightmap(HeightmapConfig(function=WAVES, size=(SIZE, SIZE), cells=(CELLS, CELLS))),
        BENT,
    ),
    "steps": (
        Steps(
            StepsConfig(
                floor=-0.1,
                yaw=0.4,
                stairs=[STAIRS],
                boxes=[{"position": [-1.0, 0.5, -0.1], "size": [0.5, 0.3, 0.6], "friction": 0.2}],
            )
        ),
        1e-9,
    ),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_a_small_ball_is_as_far_from_the_shapes_as_the_gap_says(name):
    """Points up to 0.3 m above: the nearest of the ball's contacts, and its radius."""
    terrain, tolerance = GROUNDS[name]
    points = np.random.default_rng(3).uniform((-1.5, -1.5, -0.3), (1.5, 1.5, 1.2), (400, 3))
    sample = TerrainSample.allocate(len(points))
    terrain.prepare(sample)
    terrain.sample(0.0, points, sample)
    near = (sample.gap > 1e-3) & (sample.gap < 0.3)
    assert near.sum() > 40
    shapes = [
        CollisionShape(solid.geometry, solid.pose, FIXED, 2 + k, f"terrain/ground/{k}")
        for k, solid in enumerate(terrain.solids())
    ]
    ball = CollisionShape(Sphere(RADIUS), Pose.identity(), 0, 1, "ball/link/0")
    detector = Detector([ball, *shapes], margin=0.35)
    for point, gap in zip(points[near], sample.gap[near], strict=True):
        pose = np.concatenate([np.eye(3).ravel(), point])[None]
        assert detector.detect(pose).gap.min() + RADIUS == pytest.approx(gap, abs=tolerance)


def test_each_box_has_its_own_friction_and_the_floor_that_of_the_ground():
    frictions = [solid.friction for solid in GROUNDS["steps"][0].solids()]
    assert frictions == [None, 0.2, None, None, None, None]


def test_grounds_that_no_shape_can_stand_for_have_none():
    patches = [{"x": [0.0, 1.0], "friction": 0.1}]
    assert Plane(PlaneConfig(patches=patches)).solids() == ()
    assert Heightmap(HeightmapConfig(function=WAVES, patches=patches)).solids() == ()
    assert Steps(StepsConfig(patches=patches)).solids() == ()
    assert Moving(MovingConfig(motion={"kind": "constant"})).solids() == ()
