"""Pairs switched off by an SRDF file, or because they overlap at the start."""

import numpy as np
import pytest
from tests.core.collision_worlds import pose

from footfall.errors import RobotError
from footfall.geometry.shapes import Sphere
from footfall.spatial.pose import Pose
from footfall_stepper.assembly.collision import start_overlaps, without_start_overlaps
from footfall_stepper.assembly.srdf import read_srdf
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.filters import PairFilter
from footfall_stepper.collision.shape import CollisionShape

LINKS = ("upper", "lower", "hand")


def arm(body, first):
    return [
        CollisionShape(Sphere(0.1), Pose.identity(), first + k, 10 * first + k, f"{body}/{link}/0")
        for k, link in enumerate(LINKS)
    ]


SHAPES = [*arm("left", 0), *arm("right", 3)]
AT_START = np.array([pose((x, 0, 0)) for x in (0.0, 0.15, 0.5, 0.05, 1.0, 1.25)])


def test_links_of_one_body_that_overlap_at_the_start_are_found():
    both = PairFilter(self_collision=("left", "right"))
    assert start_overlaps(SHAPES, both, AT_START) == (("left/upper/0", "left/lower/0"),)
    assert start_overlaps(SHAPES, both, AT_START, depth=0.06) == ()


def test_they_do_not_touch_later_but_other_pairs_do():
    both = PairFilter(self_collision=("left", "right"))
    filters = without_start_overlaps(SHAPES, both, AT_START)
    together = np.array([pose((0.01 * k, 0, 0)) for k in range(6)])
    assert Detector(SHAPES, both).detect(together).n == 15
    found = Detector(SHAPES, filters).detect(together)
    assert found.n == 14
    assert not ((found.shape_a == 0) & (found.shape_b == 1)).any()
    alone = PairFilter()
    assert without_start_overlaps(SHAPES, alone, AT_START) is alone


SRDF = """<robot name="arm"><group name="all"/>
<disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
<disable_collisions link1="upper" link2="camera" reason="Never"/></robot>"""
ALL = (*LINKS, "camera")


def test_an_srdf_switches_pairs_off(tmp_path):
    path = tmp_path / "arm.srdf"
    path.write_text(SRDF)
    pairs = read_srdf(path, "left", ALL, LINKS)
    assert pairs == (("left/upper", "left/lower"),)
    filters = PairFilter(self_collision=("left", "right"), disabled=pairs)
    together = np.array([pose((0.01 * k, 0, 0)) for k in range(6)])
    assert Detector(SHAPES, filters).detect(together).n == 14


def test_an_srdf_can_switch_a_whole_link_off_and_pairs_on_again(tmp_path):
    path = tmp_path / "arm.srdf"
    path.write_text(
        """<robot name="arm"><disable_default_collisions link="hand"/>
        <enable_collisions link1="hand" link2="upper"/></robot>"""
    )
    assert read_srdf(path, "left", ALL, LINKS) == (("left/hand", "left/lower"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco/>", "is not an SRDF"),
        ('<robot><disable_collisions link1="upper"/></robot>', "needs link2="),
        (SRDF.replace("upper", "uper"), "no link 'uper'"),
    ],
)
def test_what_is_no_srdf_of_the_robot_is_refused(text, said, tmp_path):
    path = tmp_path / "arm.srdf"
    path.write_text(text)
    with pytest.raises(RobotError, match=said) as caught:
        read_srdf(path, "left", ALL, LINKS)
    assert str(path) in str(caught.value)
