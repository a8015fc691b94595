"""A model that an engine cannot represent is refused, with the element's name and in one line."""

import subprocess
import sys

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.engine_models import (
    BRANCHED,
    BRANCHED_JOINTS,
    ENGINES,
    engine,
    joint,
    limits,
    link,
    source,
)

from footfall.errors import RobotError

INSTALL = 'pip install -e ".[mujoco]"'
OLD = """
import footfall, mujoco
del mujoco.mj_makeM
footfall.load("pendulum/swing", {"engine.plugin": "mujoco"})
"""
FREE = limits(-1.0, 1.0, 1.0, 1.0, 0.0, 0.0)


@pytest.fixture(scope="module", params=ENGINES)
def loaded(request):
    return engine(request.param)


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


def refusal(loaded, base, xml, joints):
    with pytest.raises(RobotError) as caught:
        loaded.load(source(base, xml, joints))
    message = str(caught.value)
    assert "\n" not in message
    assert "robot.urdf" in message
    return message


def test_text_that_is_no_xml(loaded):
    message = refusal(loaded, "floating", "no robot", ())
    assert "XML" in message or "syntax error" in message


def test_truncated_xml(loaded):
    message = refusal(loaded, "floating", BRANCHED[:-20], BRANCHED_JOINTS)
    assert "XML" in message or "unclosed" in message


def test_several_roots_are_named(loaded):
    message = refusal(loaded, "floating", robot(link("left", 1), link("right", 2)), ())
    assert "left" in message
    assert "right" in message


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_a_joint_of_several_dofs_is_named(loaded, kind):
    xml = robot(link("a", 1), link("b", 2), joint("slippery", kind, "a", "b"))
    assert "slippery" in refusal(loaded, "floating", xml, ("slippery",))


def test_a_joint_that_does_not_exist_is_named(loaded):
    message = refusal(loaded, "floating", BRANCHED, (*BRANCHED_JOINTS[:-1], "y_elbw"))
    assert "y_elbw" in message


def test_an_order_that_is_not_from_the_root_outwards(loaded):
    message = refusal(loaded, "floating", BRANCHED, ("a_rail", "wing", "y_elbow", "z_arm"))
    assert "order" in message or "a_rail, wing, z_arm, y_elbow" in message


def test_a_parent_link_that_does_not_exist(loaded):
    xml = robot(link("a", 1), link("b", 2), joint("j", "revolute", "ghost", "b", rest=FREE))
    assert "ghost" in refusal(loaded, "floating", xml, ("j",))


def test_a_joint_that_moves_no_mass_is_named(loaded):
    xml = robot(link("a", 1), link("b"), joint("idle", "revolute", "a", "b", rest=FREE))
    assert "idle" in refusal(loaded, "floating", xml, ("idle",))


def test_two_joints_of_one_axis_without_mass_between_them(loaded):
    """Each moves mass, but their sum and difference do not: M is singular everywhere."""
    same = {"xyz": "0 0 0", "rpy": "0 0 0", "rest": FREE}
    xml = robot(
        *(link("a", 1), link("b"), link("c", 2)),
        joint("one", "revolute", "a", "b", **same),
        joint("two", "revolute", "b", "c", **same),
    )
    message = refusal(loaded, "fixed", xml, ("one", "two"))
    assert "one" in message or "two" in message


def test_a_massless_link_between_crossed_joints_is_allowed(loaded):
    """A gimbal, singular in no generic configuration."""
    flat = {"xyz": "0 0 0", "rpy": "0 0 0", "rest": FREE}
    xml = robot(
        *(link("a", 1), link("b"), link("c", 2)),
        joint("one", "revolute", "a", "b", axis="1 0 0", **flat),
        joint("two", "revolute", "b", "c", axis="0 1 0", **flat),
    )
    tree = loaded.load(source("fixed", xml, ("one", "two")))
    tree.evaluate(np.zeros(2), np.zeros(2))
    assert np.linalg.eigvalsh(tree.M)[0] > 0.0


def test_a_negative_mass_is_refused(loaded):
    heavy = link("b", 2).replace('mass value="', 'mass value="-')
    xml = robot(link("a", 1), heavy, joint("j", "revolute", "a", "b", rest=FREE))
    assert '"b"' in refusal(loaded, "floating", xml, ("j",))


@each("number", ["nan", "heavy", ""])
def test_a_mass_that_is_no_number_is_refused(loaded, number):
    before, _, rest = link("b", 2).partition('mass value="')
    broken = before + f'mass value="{number}"' + rest.partition('"')[2]
    xml = robot(link("a", 1), broken, joint("j", "revolute", "a", "b", rest=FREE))
    refusal(loaded, "floating", xml, ("j",))


def test_an_unreadable_mass_of_a_welded_link_is_not_lost(loaded):
    broken = link("b", 2).replace('mass value="', 'mass value="heavy')
    xml = robot(link("a", 1), broken, joint("weld", "fixed", "a", "b"))
    assert "mass" in refusal(loaded, "floating", xml, ())


def test_an_inertia_that_no_body_has_is_refused(loaded):
    flat = '<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/>'
    bad = f'<link name="b"><inertial><mass value="1"/>{flat}</inertial></link>'
    xml = robot(link("a", 1), bad, joint("j", "revolute", "a", "b", rest=FREE))
    assert "triangle inequality" in refusal(loaded, "floating", xml, ("j",))


def test_nothing_is_printed(loaded, capfd):
    refusal(loaded, "floating", robot(link("left", 1), link("right", 2)), ())
    loaded.load(source("floating"))
    assert capfd.readouterr() == ("", "")


def test_an_older_mujoco_is_told_with_what_to_install():
    pytest.importorskip("mujoco")
    ended = subprocess.run([sys.executable, "-c", OLD], capture_output=True, text=True, check=False)
    assert f"is too old: pip uninstall mujoco, then {INSTALL}" in ended.stderr.splitlines()[-1]
