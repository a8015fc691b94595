"""Which pairs are tested, and names that do not exist."""

import numpy as np
import pytest
from tests.core.collision_worlds import pose

from footfall.errors import SceneError
from footfall.geometry.shapes import Box, HalfSpace, Sphere
from footfall.spatial.pose import Pose
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.filters import PairFilter
from footfall_stepper.collision.shape import FIXED, CollisionShape


def world(filters):
    """Two arms of three links each, a ball, a table, a floor: everything at one place."""
    names = ["left/upper/0", "left/lower/0", "left/hand/0"]
    names += ["right/upper/0", "right/lower/0", "right/hand/0", "right/hand/1", "ball/ball/0"]
    links = [0, 1, 2, 3, 4, 5, 5, 6]
    shapes = [
        CollisionShape(Sphere(0.1), Pose.identity(), link, 2 + k, name)
        for k, (name, link) in enumerate(zip(names, links, strict=True))
    ]
    shapes += [
        CollisionShape(HalfSpace(), Pose.identity(), FIXED, 0, "terrain/plane/0"),
        CollisionShape(Box((1.0, 1.0, 1.0)), Pose.identity(), FIXED, 1, "terrain/table/0"),
    ]
    detector = Detector(shapes, filters)
    found = detector.detect(np.array([pose((0, 0, 0))] * 7))
    names = [shape.name for shape in detector.shapes]
    return {
        frozenset((names[a], names[b])) for a, b in zip(found.shape_a, found.shape_b, strict=True)
    }


def touching(pairs, one, two):
    return any(
        any(a.startswith(one) and b.startswith(two) for a, b in (sorted(p), sorted(p)[::-1]))
        for p in pairs
    )


def test_bodies_touch_others_and_the_environment_but_not_themselves():
    pairs = world(PairFilter())
    assert touching(pairs, "left/hand", "right/upper")
    assert touching(pairs, "ball", "terrain/plane")
    assert touching(pairs, "ball", "terrain/table")
    assert not touching(pairs, "left", "left")
    assert not touching(pairs, "terrain", "terrain")
    assert len(pairs) == 3 * 4 + 7 + 2 * 8


def test_self_collision_is_chosen_by_body():
    pairs = world(PairFilter(self_collision=["right"]))
    assert touching(pairs, "right/upper", "right/hand/1")
    assert not touching(pairs, "left", "left")
    assert frozenset(("right/hand/0", "right/hand/1")) not in pairs


def test_neighbouring_links_do_not_touch():
    pairs = world(PairFilter(self_collision=["left"], neighbours={(0, 1), (2, 1)}))
    assert not touching(pairs, "left/upper", "left/lower")
    assert not touching(pairs, "left/lower", "left/hand")
    assert touching(pairs, "left/upper", "left/hand")


def test_pairs_are_switched_off_and_on_by_pattern():
    pairs = world(
        PairFilter(
            disabled=[("left", "right/*"), ("ball", "terrain/*")],
            enabled=[("left/hand", "right/hand/1"), ("terrain/table", "ball")],
        )
    )
    assert {p for p in pairs if touching([p], "left", "right")} == {
        frozenset(("left/hand/0", "right/hand/1"))
    }
    assert touching(pairs, "ball", "terrain/table")
    assert not touching(pairs, "ball", "terrain/plane")


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (PairFilter(disabled=[("left/hand", "righ")]), ["'righ'", "'right'"]),
        (PairFilter(disabled=[("left/hnad", "right")]), ["'left/hnad'", "'left/hand'"]),
        (PairFilter(enabled=[("left/hand/7", "ball")]), ["'left/hand/7'", "'left/hand/0'"]),
        (PairFilter(self_collision=["lefft"]), ["'lefft'", "'left'", "left, right, ball"]),
    ],
)
def test_a_filter_that_names_nothing_is_refused_with_the_nearest_name(filters, words):
    with pytest.raises(SceneError) as caught:
        world(filters)
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in words)
