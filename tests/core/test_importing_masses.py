"""Bodies of a URDF without mass take it from their collision shapes and a density."""

import numpy as np
import pytest
from tests.core.walker_urdf import inertial, revolute

from footfall.api.plugin import RobotError
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model

DOOR = (
    '<collision><origin xyz="0 0.25 0"/><geometry><box size="0.02 0.5 0.4"/></geometry></collision>'
)
KNOB = '<collision><origin xyz="0 0.5 0"/><geometry><sphere radius="0.1"/></geometry></collision>'


def cabinet(door=DOOR, base=""):
    return (
        f'<robot name="it"><link name="base">{base}</link><link name="door">{door}</link>'
        f'<link name="knob">{KNOB}</link>{revolute("hinge", "base", "door", "0 0 0")}'
        '<joint name="weld" type="fixed"><parent link="door"/><child link="knob"/></joint></robot>'
    )


def read(folder, text, density=None):
    path = folder / "it.urdf"
    path.write_text(text)
    return locate(str(path)), read_model(locate(str(path)), density=density)


def test_masses_are_density_times_volume(tmp_path):
    _, model = read(tmp_path, cabinet(), 500.0)
    door, knob = (model.urdf.links[name].inertial for name in ("door", "knob"))
    assert door.mass == pytest.approx(500.0 * 0.02 * 0.5 * 0.4)
    np.testing.assert_allclose(door.com, [0.0, 0.25, 0.0])
    y, z = 0.5**2, 0.4**2
    assert door.inertia[0, 0] == pytest.approx(door.mass * (y + z) / 12.0)
    assert knob.mass == pytest.approx(500.0 * 4.0 / 3.0 * np.pi * 1e-3)
    assert knob.inertia[1, 1] == pytest.approx(0.4 * knob.mass * 1e-2)
    assert model.urdf.links["base"].inertial is None
    assert [f.text for f in model.findings if f.subject == "masses"] == [
        "of collision shapes at 500 kg/m^3: door 2 kg, knob 2.094 kg"
    ]


def test_a_body_with_a_mass_keeps_it(tmp_path):
    _, model = read(tmp_path, cabinet(DOOR + inertial(3)), 500.0)
    assert model.urdf.links["door"].inertial.mass == 3.0
    assert model.urdf.links["knob"].inertial is None
    assert "every body has a mass" in " ".join(f.text for f in model.findings)


def test_without_density_the_error_names_the_option(tmp_path):
    with pytest.raises(RobotError, match=r'"door" that it moves has no mass \(--density takes it'):
        propose(*read(tmp_path, cabinet()), Wishes(), discover())
    with pytest.raises(RobotError, match=r"has no mass \(--repair-inertia"):  # nothing to weigh
        propose(*read(tmp_path, cabinet("").replace(KNOB, "")), Wishes(), discover())


def test_an_mjcf_takes_no_density(tmp_path):
    path = tmp_path / "it.xml"
    path.write_text('<mujoco><worldbody><body><geom size="1"/></body></worldbody></mujoco>')
    with pytest.raises(RobotError, match="--density is for a URDF"):
        read_model(locate(str(path)), density=1.0)
