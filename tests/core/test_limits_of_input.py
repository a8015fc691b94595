"""Files and tables of any size, depth and content are answered in one line, in bounded time."""

import os
import re
import time
from pathlib import Path

import pytest
from tests.cases import each

import footfall
from footfall.config.toml import DEEPEST, LARGEST_FILE
from footfall.config.validate import LONGEST_INTEGER
from footfall.errors import LONGEST_MESSAGE, LONGEST_NAME, FootfallError
from footfall.formats import xml
from footfall.scene.bodies import MOST_BODIES
from footfall_policy import network, onnx_file, worker
from footfall_stepper.assembly.bodies import MOST_JOINTS, MOST_POINTS

SECONDS = 10.0
"""Longest that a refusal may take on a busy machine."""
HEAD = "[simulation]\nduration = 1.0\n"
BOX = HEAD + '[bodies.box]\nshape = {type = "box", size = [0.1, 0.1, 0.1]}\n'
LINK = (
    '<link name="%s"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="%s" type="continuous"><parent link="%s"/><child link="%s"/>'
    '<axis xyz="0 0 1"/>%s</joint>'
)
TEXTS = {
    "deep array": BOX + "mass = " + "[" * 100_000 + "]" * 100_000,
    "shallow enough for the parser": BOX + "mass = " + "[" * 100 + "]" * 100,
    "deep inline tables": BOX + "mass = " + "{a=" * 900 + "1" + "}" * 900,
    "long dotted key": ".".join("a" * 100_000) + " = 1",
    "long header": f"[{'.'.join('a' * 20_000)}]\n",
    "long quoted header": f"[{'.'.join(chr(34) + 'a b' + chr(34) for _ in range(20_000))}]\n",
    "many digits": BOX + "mass = " + "1" * 100_000,
    "digits beyond a double": BOX + "mass = " + "1" * 400,
    "unknown keys": HEAD + "\n".join(f"k{i} = 1" for i in range(100_000)),
    "unknown tables": HEAD + "\n".join(f"[k{i}]" for i in range(30_000)),
    "many bodies": HEAD + "".join(f'[bodies.b{i}]\nrobot = "ball"\n' for i in range(20_000)),
    "many copies": BOX + "copies = [1000, 1000, 1]\nspacing = [1.0, 1.0, 1.0]\n",
    "long key": HEAD + "a" * 1_000_000 + " = 1",
    "long value": BOX + f'base = "{"a" * 1_000_000}"',
    "long robot": HEAD + f'[bodies.r]\nrobot = "{"a" * 300}/{"b" * 300}"\n',
    "control characters": HEAD + '[bodies.r]\nrobot = "\\u0000\\u001b[31m\\n"\n',
    "large": "#" * (LARGEST_FILE + 1),
}


def refused(read, *arguments):
    """Return the message that something is refused with, one line within the time."""
    start = time.monotonic()
    with pytest.raises(FootfallError) as caught:
        read(*arguments)
    assert time.monotonic() - start < SECONDS
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) <= LONGEST_MESSAGE
    return message


@each("text", TEXTS.values(), ids=TEXTS)
def test_a_scene_of_any_text_is_refused_in_a_line(text, tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(text)
    assert "scene.toml" in refused(footfall.load, file)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    for name in ("loop.toml", "folder.toml", "a" * 5000 + ".toml", "a\0b.toml"):
        refused(footfall.load, tmp_path / name)
    refused(footfall.load, "/dev/zero/scene.toml")


def nested(levels):
    """Return tables in each other."""
    tables = {}
    for _ in range(levels):
        tables = {"a": tables}
    return tables


def test_tables_from_python_may_be_deep_cyclic_or_many():
    circle = {}
    circle["a"] = circle
    ring = []
    ring.append(ring)
    for key, value in (
        ("contact", nested(100_000)),
        ("contact", circle),
        ("world.gravity", ring),
        ("bodies.cube.mass_scale", 10**100_000),
        ("contact.plugin", "a" * 1_000_000),
    ):
        assert key.split(".")[0] in refused(footfall.load, "cube/drop", {key: value})
    refused(footfall.load, "cube/drop", {f"k{i}": 1 for i in range(20_000)})


def robot(tmp_path, text, name="robot.urdf", extra='base = "fixed"\n'):
    """Return a scene of a model file of this text."""
    (tmp_path / name).write_text(text)
    scene = tmp_path / "scene.toml"
    scene.write_text(
        HEAD + f'[world.terrain]\nfriction = 0.5\n[bodies.r]\nrobot = "{name}"\n{extra}'
    )
    return scene


def arm(joints, extra=""):
    """Return a URDF of a chain of links ``l0`` to ``lN``, joints ``j1`` to ``jN``."""
    links = "".join(LINK % f"l{i}" for i in range(joints + 1))
    turns = "".join(JOINT % (f"j{i}", f"l{i - 1}", f"l{i}", extra) for i in range(1, joints + 1))
    return f'<robot name="r">{links}{turns}</robot>'


def test_model_files_have_limits(tmp_path, monkeypatch):
    message = refused(footfall.load, robot(tmp_path, arm(MOST_JOINTS + 1)))
    assert f"at most {MOST_JOINTS} moving joints" in message
    deep = f"<robot>{'<a>' * 100_000}{'</a>' * 100_000}</robot>"
    assert "nested too deeply" in refused(footfall.load, robot(tmp_path, deep))
    monkeypatch.setattr(xml, "LARGEST_FILE", 100)
    assert "larger than 100 bytes" in refused(footfall.load, robot(tmp_path, arm(2)))


def test_a_body_has_so_many_points(tmp_path):
    (tmp_path / "block.urdf").write_text(f'<robot name="r">{LINK % "block"}</robot>')
    points = "[0.0, 0.0, 0.0]," * (MOST_POINTS + 1)
    feature = f'[[contact_features]]\nkind = "point"\nframe = "block"\npoints = [{points}]\n'
    text = f'[model]\nfile = "block.urdf"\n{feature}'
    message = refused(footfall.load, robot(tmp_path, text, "robot.toml", ""))
    assert f"at most {MOST_POINTS} contact points" in message


def test_a_joint_that_follows_itself_is_refused(tmp_path):
    text = arm(2, '<mimic joint="j1"/>')
    assert "follows itself" in refused(footfall.load, robot(tmp_path, text))


def test_joints_that_follow_each_other_are_refused(tmp_path):
    text = arm(2).replace("</joint>", '<mimic joint="j2"/></joint>', 1)
    text = '<mimic joint="j1"/></joint>'.join(text.rsplit("</joint>", 1))
    assert "follows itself" in refused(footfall.load, robot(tmp_path, text))


MJCF = (
    '<mujoco model="m"><compiler {compiler}/>{include}<default><default class="c"/>{default}'
    '</default><worldbody><body name="a" {body}><joint name="j" {joint}/>'
    '<geom type="box" size="1 1 1" {geom}/></body></worldbody></mujoco>'
)
WRONG = {
    ("compiler", 'angle="banana"'): 'angle="banana" must be one of degree, radian',
    ("include", '<include file="robot.xml"/>'): "includes itself",
    ("include", '<include file="other.xml"/>'): "includes itself",
    ("default", '<default class="c"/>'): 'class "c" is defined twice',
    ("body", 'quat="0 0 0 0"'): "quat must not be zero",
    ("joint", 'type="banana"'): 'type="banana" must be one of',
    ("joint", 'limited="banana"'): 'limited="banana" must be one of',
    ("joint", 'limited="true" range="1 -1"'): "range must go up, got 1 -1",
    ("geom", '/><joint name="j" axis="1 0 0"'): 'two <joint> elements have the name "j"',
}


@each(("where", "said"), WRONG.items(), ids=[" ".join(key) for key in WRONG])
def test_an_mjcf_says_what_has_a_meaning(where, said, tmp_path):
    slots = dict.fromkeys(("compiler", "include", "default", "body", "joint", "geom"), "")
    (tmp_path / "other.xml").write_text('<mujoco><include file="robot.xml"/></mujoco>')
    scene = robot(tmp_path, MJCF.format(**{**slots, where[0]: where[1]}), "robot.xml", "")
    assert said in refused(footfall.load, scene)


def test_the_page_of_limits_has_these_numbers():
    page = (Path(__file__).parents[2] / "docs/reference/limits.md").read_text()
    told = [
        int(number)
        for row in page.split("\n\n")[2].splitlines()
        for number in re.findall(r"\d+", row)
    ]
    limits = [
        LARGEST_FILE,
        DEEPEST,
        LONGEST_INTEGER,
        xml.LARGEST_FILE,
        xml.DEEPEST,
    ]
    limits += [MOST_BODIES, MOST_JOINTS, MOST_POINTS]
    limits += [onnx_file.LARGEST, onnx_file.MOST, onnx_file.DEEPEST]
    limits += [worker.MEMORY >> 30, int(network.LOADING), int(network.RUNNING)]
    assert told == [*limits, LONGEST_MESSAGE]
    assert f"{LONGEST_NAME} characters" in page


def test_a_pipe_is_no_scene_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "s.toml")
    assert "is not a file" in refused(footfall.load, tmp_path / "s.toml")
