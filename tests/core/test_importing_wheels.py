"""Wheels become rims about their joints' axes, and are tried by rolling them."""

import numpy as np
import pytest
from tests.core.walker_urdf import inertial

from footfall import discover
from footfall.cli.main import main
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.robot_text import roll_text
from footfall_import.trial import ROLLS, SINKS, roll_finding

WIDE = '<origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="0.3"/>'
BAR = '<origin rpy="1.5707963267948966 0 0"/><geometry><box size="0.05 0.2 0.05"/>'


def cart(shape, axis="0 1 0"):
    links = f'<link name="chassis">{inertial(10, 0.2)}</link>'
    for name, x, y in (("fl", 0.2, 0.2), ("fr", 0.2, -0.2), ("rl", -0.2, 0.2), ("rr", -0.2, -0.2)):
        links += (
            f'<link name="{name}">{inertial(1)}<collision>{shape}</geometry></collision></link>'
            f'<joint name="{name}_axle" type="continuous"><parent link="chassis"/>'
            f'<child link="{name}"/><origin xyz="{x} {y} -0.05"/><axis xyz="{axis}"/></joint>'
        )
    return f'<robot name="cart">{links}</robot>'


def proposed(folder, text):
    path = folder / "cart.urdf"
    path.write_text(text)
    located = locate(str(path))
    return propose(located, read_model(located), Wishes(), discover())


def wheel_obj(corners):
    """Return a wheel of 0.1 m about y, 0.06 m wide beside its origin, with a hub."""
    angles = 2.0 * np.pi / corners * np.arange(corners)
    lines = [f"v {0.1 * np.cos(a)} {y} {0.1 * np.sin(a)}" for y in (0.02, 0.08) for a in angles]
    lines += ["v 0 0.11 0", "v 0 -0.01 0"]
    hub = 2 * corners + 1
    for k in range(corners):
        a, b = k + 1, (k + 1) % corners + 1
        lines += [f"f {a} {b} {b + corners}", f"f {a} {b + corners} {a + corners}"]
        lines += [f"f {hub} {a + corners} {b + corners}", f"f {hub + 1} {b} {a}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("axis", ["0 1 0", "0 -1 0"])
def test_a_wide_cylinder_on_a_lying_axle_becomes_its_two_rims(tmp_path, axis):
    found = proposed(tmp_path, cart(WIDE, axis))
    assert [sole.kind for sole in found.soles] == ["rim"] * 4
    for sole in found.soles:
        assert sole.radius == pytest.approx(0.1)
        assert np.sort(sole.points[:, 1]) == pytest.approx([-0.15, 0.15])
    assert found.base_height == pytest.approx(0.15)
    sign = 1.0 if axis == "0 1 0" else -1.0
    assert found.roll.velocity == pytest.approx([0.5, 0.0, 0.0])
    assert found.roll.rates["fl_axle"] == pytest.approx(sign * 5.0)


@pytest.mark.parametrize(("corners", "kind"), [(24, "rim"), (6, "sphere")])
def test_a_mesh_is_a_wheel_if_it_is_round_about_its_axle(tmp_path, corners, kind):
    (tmp_path / "wheel.obj").write_text(wheel_obj(corners))
    found = proposed(tmp_path, cart('<geometry><mesh filename="wheel.obj"/>'))
    assert found.soles[0].kind == kind
    if kind == "rim":
        assert found.soles[0].radius == pytest.approx(0.1)
        assert np.sort(found.soles[0].points[:, 1]) == pytest.approx([0.02, 0.08])


@pytest.mark.parametrize("changed", [("0 1 0", BAR), ("0 0 1", WIDE)])
def test_what_is_not_round_about_a_lying_axle_is_no_wheel(tmp_path, changed):
    axis, shape = changed
    found = proposed(tmp_path, cart(shape, axis))
    assert {sole.kind for sole in found.soles} == {"point"}
    assert found.roll is None


def test_a_drawn_wheel_replaces_a_collision_shape_that_does_not_roll(tmp_path):
    square = '<geometry><box size="0.2 0.1 0.2"/>'
    drawn = f"{square}</geometry></collision><visual>{WIDE}</geometry></visual><collision>{square}"
    found = proposed(tmp_path, cart(drawn))
    assert {(sole.kind, round(sole.radius, 9)) for sole in found.soles} == {("rim", 0.1)}
    assert "collision shapes do not roll" in " ".join(f.text for f in found.findings)


def test_casters_that_are_welded_to_the_base_are_feet_beside_wheels(tmp_path):
    text = cart(WIDE)
    for side, y in (("l", 0.1), ("r", -0.1)):
        text = text.replace(
            "</robot>",
            f'<link name="{side}"><collision><geometry><sphere radius="0.02"/></geometry>'
            f'</collision></link><joint name="{side}_weld" type="fixed"><parent link="chassis"/>'
            f'<child link="{side}"/><origin xyz="0.4 {y} -0.13"/></joint></robot>',
        )
    found = proposed(tmp_path, text)
    assert [sole.link for sole in found.soles] == ["l", "r", "fl", "fr", "rl", "rr"]
    assert [sole.kind for sole in found.soles] == ["sphere"] * 2 + ["rim"] * 4
    assert found.roll.casters == ("l", "r")
    assert "l = { friction = 0.0 }" in roll_text(found, found.roll)


def test_imported_wheels_roll(tmp_path, capsys):
    (tmp_path / "cart.urdf").write_text(cart(WIDE))
    with pytest.raises(SystemExit) as ended:
        main(["import", f"{tmp_path}/cart.urdf", "--output", f"{tmp_path}/it"])
    said = " ".join(capsys.readouterr().out.split())
    assert not ended.value.code
    assert "note wheels roll: " in said
    assert f"footfall run {tmp_path}/it/rolling" in said


@pytest.mark.parametrize(
    ("way", "turns", "sinks", "level", "said"),
    [
        (1.0, 1.0, 0.0, "note", "roll"),
        (0.3, 0.3, 0.0, "note", "roll"),
        (0.05, 0.04, 0.0, "note", "stop"),
        (0.3, 1.0, 0.0, "warning", "do not roll"),
        (1.0, 1.0, 2.0 * SINKS, "warning", "do not roll"),
    ],
)
def test_what_slips_or_sinks_does_not_roll(way, turns, sinks, level, said):
    found = roll_finding(way, [turns] * 4, np.array([0.0, -sinks]), 1.0 / ROLLS)
    assert found.level == level
    assert found.text.startswith(f"{said}: ")


def test_rollers_that_come_down_later_are_told(tmp_path):
    """Three rollers about each wheel, of which the lowest alone is a foot."""
    text = cart(WIDE).replace("</robot>", "")
    for wheel in ("fl", "fr", "rl", "rr"):
        text = text.replace(
            f'<link name="{wheel}">{inertial(1)}<collision>{WIDE}</geometry></collision>',
            f'<link name="{wheel}">{inertial(1)}',
        )
        for k in range(3):
            angle = 2.0 * np.pi / 3.0 * k
            place = f"{-0.1 * np.sin(angle)} 0 {-0.1 * np.cos(angle)}"
            text += (
                f'<link name="{wheel}{k}">{inertial(0.1)}<collision><geometry>'
                f'<sphere radius="0.02"/></geometry></collision></link>'
                f'<joint name="{wheel}{k}_pin" type="continuous"><parent link="{wheel}"/>'
                f'<child link="{wheel}{k}"/><origin xyz="{place}"/><axis xyz="1 0 0"/></joint>'
            )
    found = proposed(tmp_path, text + "</robot>")
    assert {sole.link for sole in found.soles} == {"fl0", "fr0", "rl0", "rr0"}
    assert any(f.text.startswith("8 links turn with a wheel") for f in found.findings)
