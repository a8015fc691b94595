"""A repaired link is the nearest that a rigid body can be; what a repair does is told."""

import numpy as np
import pytest
from tests.core.walker_urdf import walker

from footfall.errors import RobotError
from footfall.formats.inertia import unsound
from footfall.formats.urdf import Inertial
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.urdf.inertia_repair import STEEL, nearest_inertia
from footfall_import.write import write_robot


def second_moments(inertia):
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def rotated(*moments):
    R = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    return R @ np.diag(moments) @ R.T


@pytest.mark.parametrize(
    "moments", [(0.001, 0.002, 0.01), (-0.001, 0.002, 0.002), (0, 0, 0), (0, 0.001, 0.001)]
)
def test_a_repaired_inertia_is_sound_and_the_nearest(moments):
    given = Inertial(0.1, np.array([1.0, 2.0, 3.0]), rotated(*moments))
    found = nearest_inertia(given)
    assert unsound(found) is None
    assert found.mass == given.mass
    np.testing.assert_array_equal(found.com, given.com)
    before, after = second_moments(given.inertia), second_moments(found.inertia)
    radius = (0.1 / STEEL / (4.0 / 3.0 * np.pi)) ** (1 / 3)
    floor = 0.4 * 0.1 * radius**2 / 2.0  # a ball's moment is that of two directions
    assert np.linalg.eigvalsh(after).min() == pytest.approx(floor, rel=1e-9)
    # Nearest: the change and what is above the floor are orthogonal, and the change only adds.
    change, above = after - before, after - floor * np.eye(3)
    assert abs(np.trace(change @ above)) < 1e-9 * np.linalg.norm(change) * np.linalg.norm(after)
    assert np.linalg.eigvalsh(change).min() > -1e-15


def test_a_sound_inertia_stays():
    given = Inertial(1.0, np.zeros(3), rotated(0.01, 0.02, 0.025))
    np.testing.assert_allclose(nearest_inertia(given).inertia, given.inertia, atol=1e-16)


PROBES = (
    '<link name="probe">{}</link><joint name="turn" type="continuous"><parent link="trunk"/>'
    '<child link="probe"/></joint>'
)
CASES = {
    "triangle": (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>",
        "violates the triangle inequality",
        "repaired to",
    ),
    "no moments": ('<inertial><mass value="1"/></inertial>', "but no inertia", "repaired to"),
    "no mass": (
        '<inertial><mass value="0.0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>",
        "has an inertia but no mass",
        "without mass: welded",
    ),
    "nothing": ("", "moves has no mass", "without mass: welded"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_refused_says_how_to_go_on_and_then_stands(tmp_path, case):
    inertial, said, done = CASES[case]
    path = tmp_path / "walker.urdf"
    path.write_text(walker(extra=PROBES.format(inertial)))
    located = locate(str(path))
    with pytest.raises(RobotError, match=f"{said}.*--repair-inertia"):
        propose(located, read_model(located), Wishes(), discover())
    proposal = propose(located, read_model(located, repair=True), Wishes(), discover())
    told = [f"{f.level} {f.subject}: {f.text}" for f in proposal.findings]
    assert any(text.startswith("warning") and done in text for text in told)
    write_robot(proposal, tmp_path / "made")
    again = locate(str(tmp_path / "made" / "model.urdf"))
    assert not [
        f
        for f in propose(again, read_model(again), Wishes(), discover()).findings
        if "inertia" in f.text
    ]


def test_a_sound_robot_is_not_touched(tmp_path):
    path = tmp_path / "walker.urdf"
    path.write_text(walker())
    model = read_model(locate(str(path)), repair=True)
    plain = read_model(locate(str(path)))
    assert model.findings == plain.findings
    for name, link in plain.urdf.links.items():
        if link.inertial:
            np.testing.assert_array_equal(
                model.urdf.links[name].inertial.inertia, link.inertial.inertia
            )
