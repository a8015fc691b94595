"""A robot's collision shapes: the model file's, its robot.toml's own, and who of them may touch."""

import re

import numpy as np
import pytest
from tests.robots.sample_urdf import INERTIAL, joint, link, write

from footfall import assemble, scene_from_dict
from footfall.errors import FootfallError, RobotError, SceneError
from footfall.model.robot import load_robot

BALL = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
FIXED = joint("flange", "hand", "palm", "fixed", '<origin xyz="0 0 0.2" rpy="0 0 0"/>')
OWN = """
[[collision_shapes]]
frame = "palm"
shape = { type = "box", size = [0.1, 0.2, 0.04] }
position = [0.01, 0.02, 0.03]
orientation = [0.0, 0.0, 1.5707963267948966]
friction = 0.9
"""


def robot(folder, more="", collisions="read", top=""):
    """Write an arm with a ball on every link, and a robot file for it; return the file."""
    parts = [link(name, INERTIAL + BALL) for name in ("base", "hand", "palm")]
    write(folder, *parts, joint("wrist", "base", "hand"), FIXED)
    file = folder / "robot.toml"
    file.write_text(
        f'base = "fixed"\n[model]\nfile = "sample.urdf"\ncollisions = "{collisions}"\n{top}\n{more}'
    )
    return file


def load(file, **collisions):
    """Return a simulator of the robot and a ball far away."""
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "base_position": [5.0, 0.0, 0.1]}
    return assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 0.1},
                "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
                "bodies": {"arm": {"robot": str(file)}, "ball": {**ball, "friction": 0.3}},
                "pairs": {"arm/ball": {"friction": 0.4}},
                "collisions": collisions,
            }
        )
    )


def arms(sim):
    """Return the arm's shapes by link."""
    shapes = [shape for shape in sim.world.collider.shapes if shape.body == "arm"]
    return [(shape.name.split("/")[1], type(shape.geometry).__name__) for shape in shapes]


def test_own_shapes_come_besides_or_instead_of_the_model_files(tmp_path):
    balls = [(name, "Sphere") for name in ("base", "hand", "palm")]
    assert arms(load(robot(tmp_path))) == balls
    assert arms(load(robot(tmp_path, OWN))) == [*balls, ("palm", "Box")]
    assert arms(load(robot(tmp_path, OWN, "other_links"))) == [*balls[:2], ("palm", "Box")]
    assert arms(load(robot(tmp_path, OWN, "ignored"))) == [("palm", "Box")]
    assert arms(load(robot(tmp_path, "", "ignored"))) == []


def test_an_own_shape_stands_where_its_table_says_and_rubs_as_it_says(tmp_path):
    """The palm is 0.2 m above the hand's origin; the box is turned by a right angle about z."""
    (box,) = [s for s in load(robot(tmp_path, OWN)).world.collider.shapes if "palm/box" in s.name]
    np.testing.assert_allclose(box.pose.translation, [0.01, 0.02, 0.23], atol=1e-15)
    np.testing.assert_allclose(box.pose.rotation[:, 0], [0.0, 1.0, 0.0], atol=1e-15)
    assert box.friction == 0.9


def test_a_ball_comes_to_rest_on_an_own_shape(tmp_path):
    """A table of a robot without any shape in its model file: top at 0.5 + 0.1 / 2."""
    write(tmp_path, link("base", INERTIAL), link("hand", INERTIAL), joint("wrist", "base", "hand"))
    file = tmp_path / "robot.toml"
    table = 'frame = "base"\nshape = { type = "box", size = [1.0, 1.0, 0.1] }'
    file.write_text(
        f'base = "fixed"\n[model]\nfile = "sample.urdf"\n[[collision_shapes]]\n{table}\n'
        "position = [0.0, 0.0, 0.5]\nfriction = 0.5"
    )
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "base_position": [0.0, 0.0, 0.66]}
    sim = assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 1.0},
                "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
                "bodies": {"arm": {"robot": str(file)}, "ball": ball},
            }
        )
    )
    for _ in range(300):
        sim.step()
    height = sim.q[sim.world.q_slice(sim.world.index("ball"))][2]
    assert height == pytest.approx(0.65, abs=2e-5)


BAD = {
    "a link that there is not": (
        OWN.replace("palm", "plam"),
        "read",
        'collision shape: no link or frame "plam", did you mean "palm"',
    ),
    "a size of zero": (OWN.replace("0.04", "0.0"), "read", r"size\[2\]: must be >= 1e-09"),
    "another kind": (OWN.replace('"box"', '"cone"'), "read", "box.*sphere.*capsule"),
    "nothing on other links": ("", "other_links", "needs .*collision_shapes"),
    "a mesh that is missing": (
        OWN.replace('"box", size = [0.1, 0.2, 0.04]', '"mesh", file = "no.stl"'),
        "read",
        "must be a file that exists",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_shapes_are_refused_in_one_line(name, tmp_path):
    more, collisions, expected = BAD[name]
    with pytest.raises(FootfallError) as raised:
        load(robot(tmp_path, more, collisions))
    said = str(raised.value).replace("'", '"')
    assert "robot.toml" in said
    assert re.search(expected, said), said
    assert "\n" not in said


SRDF = '<robot name="arm"><disable_collisions link1="base" link2="palm" reason="Never"/></robot>'


def touching(sim):
    """Return the pairs of links of the arm that are told to touch."""
    found = sim.world.collider.detector.found
    names = [s.name.split("/")[1] for s in sim.world.collider.detector.shapes]
    pairs = zip(found.shape_a, found.shape_b, strict=True)
    return {"/".join(sorted((names[a], names[b]))) for a, b in pairs}


def near(folder, top=""):
    """Write the arm with a third ball beside that of the base, which do not overlap."""
    parts = [link(n, INERTIAL + BALL) for n in ("base", "hand", "palm")]
    turns = joint("elbow", "hand", "palm", inside='<origin xyz="0 0 -0.898"/><axis xyz="0 1 0"/>')
    lifted = joint("wrist", "base", "hand", inside='<origin xyz="0 0 1"/><axis xyz="0 1 0"/>')
    turns, lifted = (x.replace("revolute", "continuous") for x in (turns, lifted))
    write(folder, *parts, lifted, turns)
    file = folder / "robot.toml"
    file.write_text(f'base = "fixed"\n[model]\nfile = "sample.urdf"\n{top}')
    return file


def test_an_srdf_keeps_links_apart_whether_the_robot_or_the_scene_names_it(tmp_path):
    """The palm's ball is 2 mm above the base's: within the margin."""
    (tmp_path / "arm.srdf").write_text(SRDF)
    (tmp_path / "none.srdf").write_text('<robot name="arm"/>')
    own = ["arm"]
    assert touching(load(near(tmp_path), self_collision=own)) == {"base/palm"}
    of_robot = near(tmp_path, 'srdf = "arm.srdf"')
    assert touching(load(of_robot, self_collision=own)) == set()
    assert touching(load(of_robot, self_collision=own, keep=[["arm/base", "arm/palm"]])) != set()
    file = {"arm": str(tmp_path / "none.srdf")}
    assert touching(load(of_robot, self_collision=own, srdf=file)) == {"base/palm"}
    file = {"arm": str(tmp_path / "arm.srdf")}
    assert touching(load(near(tmp_path), self_collision=own, srdf=file)) == set()


BAD_SRDF = {
    "no such body": ({"am": "arm.srdf"}, ["arm"], "collisions.srdf.am: no body 'am', did you mean"),
    "no effect": ({"arm": "arm.srdf"}, [], "collisions.srdf.arm: has no effect: .*self_collision"),
    "no such file": ({"arm": "arn.srdf"}, ["arm"], "collisions.srdf.arm: must be a file that"),
    "no such link": ({"arm": "bad.srdf"}, ["arm"], "bad.srdf: .*no link 'plam', did you mean"),
}


@pytest.mark.parametrize("name", BAD_SRDF)
def test_a_bad_srdf_of_a_scene_is_refused_in_one_line(name, tmp_path):
    files, own, expected = BAD_SRDF[name]
    (tmp_path / "arm.srdf").write_text(SRDF)
    (tmp_path / "bad.srdf").write_text(SRDF.replace("palm", "plam"))
    given = {body: str(tmp_path / file) for body, file in files.items()}
    with pytest.raises((SceneError, RobotError)) as raised:
        load(near(tmp_path), self_collision=own, srdf=given)
    assert re.search(expected, str(raised.value)), raised.value
    assert "\n" not in str(raised.value)


def test_an_srdf_that_a_robot_names_must_exist(tmp_path):
    with pytest.raises(RobotError, match=r"robot\.toml: model\.srdf: .*arm\.srdf: no such file"):
        load_robot(str(near(tmp_path, 'srdf = "arm.srdf"')))
