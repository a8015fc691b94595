"""Collision shapes of MJCF files."""

import numpy as np
import pytest

from footfall.errors import RobotError
from footfall.robot.mjcf_shapes import read_shapes

MJCF = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body name="base" pos="0 0 1"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="box" size=".1 .2 .3" pos="0 0 .1" euler="0 0 90"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size=".05"/>
<body name="arm" pos="0 0 .5"><joint name="j" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="sphere" size=".1" contype="0" conaffinity="0"/><geom type="cylinder" size=".1 .2"/>
<body name="hand" pos=".1 0 0"><geom type="sphere" size=".03" pos="0 .2 0" mass="0.1"/></body>
</body></body></worldbody></mujoco>"""


def test_shapes_are_placed_on_their_bodies(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(MJCF)
    box, capsule, cylinder, sphere = read_shapes(path)
    assert [s.frame for s in (box, capsule, cylinder, sphere)] == ["base", "base", "arm", "hand"]
    assert box.shape.kind == "box"
    assert box.shape.size == pytest.approx((0.2, 0.4, 0.6))
    assert box.origin.translation == pytest.approx((0.0, 0.0, 0.1))
    assert np.abs(box.origin.rotation[:2, :2]) == pytest.approx(np.array([[0, 1], [1, 0]]))
    assert (capsule.shape.kind, capsule.shape.size) == ("capsule", pytest.approx((0.05, 1.0)))
    assert capsule.origin.translation == pytest.approx((0.0, 0.0, 0.5))
    assert (cylinder.shape.kind, cylinder.shape.size) == ("cylinder", pytest.approx((0.1, 0.4)))
    assert sphere.origin.translation == pytest.approx((0.0, 0.2, 0.0), abs=1e-12)


def test_a_file_that_is_none_is_refused_in_one_line(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("<mujoco><worldbody>")
    with pytest.raises(RobotError) as caught:
        read_shapes(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
