"""A scene in other units moves as in metres and kilograms: bodies, robots, laws, restitution."""

import re
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.errors import RobotWarning, SceneError
from footfall.model.robot import bundled_folder
from footfall.registry.discover import discover
from footfall.scene.resolved import resolved
from footfall.scene.units import Units

SCALED = {"length": 2.0**-10, "mass": 2.0**-4}
"""Units whose factors and their roots are exact: what is not converted shows as other bits."""
UNITS = ({"length": 1e-3}, {"length": 1e-3, "mass": 1e-3}, SCALED)
BODIES = {
    "box": ({"type": "box", "size": [0.1, 0.14, 0.08]}, [0.0, 0.0, 0.2], 0.0),
    "ball": ({"type": "sphere", "radius": 0.05}, [0.02, 0.01, 0.4], 0.7),
    "rod": ({"type": "cylinder", "radius": 0.03, "length": 0.2}, [0.01, 0.0, 0.75], 0.0),
    "pill": ({"type": "capsule", "radius": 0.03, "length": 0.1}, [0.0, 0.03, 0.56], 0.4),
}
"""Shape, position and restitution of bodies that fall on a tilted slab and on each other."""
each_unit = pytest.mark.parametrize("units", UNITS, ids=["mm", "mm and g", "exact"])


def body(units: Units, name: str) -> dict:
    shape, position, e = BODIES[name]
    m, kg = units.of(1.0, "m"), units.of(1.0, "kg")
    sized = {k: v if k == "type" else np.multiply(v, m).tolist() for k, v in shape.items()}
    place = {"base_position": [m * x for x in position], "base_orientation": [0.3, 0.2, 0.1]}
    return {"shape": sized, "mass": 0.7 * kg, "restitution": e, "friction": 0.6, **place}


def pile(units: Units) -> dict:
    m = units.of(1.0, "m")
    slab = {"type": "box", "size": [0.5 * m, 0.5 * m, 0.05 * m]}
    fixed = {"shape": slab, "fixed": True, "base_orientation": [0.1, 0.05, 0.0]}
    return {"slab": fixed, **{name: body(units, name) for name in BODIES}}


def moved(bodies: dict, units: Units, time: float, **tables) -> np.ndarray:
    """Return the positions of a scene's run, lengths in metres."""
    given = {"units": units.model_dump()} if units != Units() else {}
    sim = footfall.assemble(footfall.scene_from_dict({"bodies": bodies, **tables, **given}))
    q = sim.run(time).q.values.copy()
    for index, placed in enumerate(sim.world.bodies):
        if placed.joint_offset:
            at = sim.world.q_slice(index).start
            q[:, at : at + 3] /= units.of(1.0, "m")
    return q


@each_unit
def test_bodies_that_fall_on_each_other_and_bounce(units):
    expected = moved(pile(Units()), Units(), 0.8)
    found = moved(pile(Units(**units)), Units(**units), 0.8)
    assert np.abs(found - expected).max() <= (0.0 if units is SCALED else 1e-6)


def test_without_the_key_thresholds_in_metres_act_and_a_warning_tells_of_it():
    expected = moved(pile(Units()), Units(), 0.8)
    units, given = Units(length=1e-3), {"gravity": [0.0, 0.0, -9810.0]}
    with pytest.warns(RobotWarning) as told:
        sim = footfall.assemble(footfall.scene_from_dict({"bodies": pile(units), "world": given}))
    assert "-9810 m/s^2: if lengths are in millimetres, set units.length" in str(list(told)[-1])
    q = sim.run(0.8).q.values
    assert np.abs(q[:, :3] / 1000.0 - expected[:, :3]).max() > 1e-4


def test_simulators_that_take_si_only_and_units_out_of_range_are_refused():
    tables = {"bodies": pile(Units()), "units": {"length": 1e-3}}
    with pytest.raises(SceneError, match='"mujoco" takes metres and kilograms only'):
        footfall.assemble(footfall.scene_from_dict(tables | {"simulator": {"plugin": "mujoco"}}))
    with pytest.raises(SceneError, match=r"units\.length"):
        footfall.scene_from_dict(tables | {"units": {"length": 0.0}})


def test_a_stored_scene_keeps_its_units_and_converted_defaults():
    """Converted once: 1e-3 m are 1 mm, also after a scene is stored and read back."""
    scene = footfall.scene_from_dict({"bodies": pile(Units(length=1e-3)), "units": UNITS[1]})
    again = footfall.stored_scene(resolved(scene), discover())
    for each in (scene, again):
        assert each.units == Units(**UNITS[1])
        assert each.contact.config.margin == 1.0
        assert each.world.gravity == (0.0, 0.0, -9810.0)
        assert each.simulation.restitution_threshold == 10.0


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("m/s^2", 1e3),
        ("N/m^1.5", 1e6 / 1e3**1.5),
        ("N m s/rad or N s/m", 1e9),
        ("1/kg", 1e-3),
        ("[-]", 1.0),
        ("m, rad", 1.0),
    ],
)
def test_numbers_are_converted_by_their_unit(unit, expected):
    """One of each unit in millimetres and grams: a newton is 1e6 g mm/s^2."""
    assert Units(**UNITS[1]).of(1.0, unit) == pytest.approx(expected, rel=1e-12)


LAWS = sorted(set(discover().contact.names()) - {"gauss", "gauss_discrete"})
"""Those that take bodies that touch each other."""


@pytest.mark.parametrize("law", LAWS)
def test_every_law_by_its_defaults(law):
    """A thrown box that lands and slides, in millimetres and grams.

    Later it lies on several points, where some laws choose among several answers by rounding.
    """
    thrown = {"base_linear_velocity": [0.8, 0.3, 0.0], "base_position": [0.0, 0.0, 0.12]}
    runs = []
    for units in (Units(), Units(**UNITS[1])):
        place = {k: [units.of(x, "m") for x in v] for k, v in thrown.items()}
        box = {"box": body(units, "box") | place}
        runs.append(moved(box, units, 0.14, contact={"plugin": law}))
    np.testing.assert_allclose(*runs, atol=1e-6)


def quadruped(folder: Path, units: Units) -> dict:
    """Write the quadruped in other units; return its table."""
    source = bundled_folder() / "quadruped"
    m, inertia = units.of(1.0, "m"), units.of(1.0, "kg m^2")

    def times(factor: float, names: str, text: str) -> str:
        def write(found: re.Match[str]) -> str:
            return found[1] + " ".join(repr(factor * float(x)) for x in found[2].split()) + '"'

        return re.sub(rf'(\b(?:{names})=")([^"]*)"', write, text)

    xml = (source / "model.urdf").read_text()
    xml = re.sub(r"<axis[^>]*>", lambda found: found[0].replace("xyz", "x_y_z"), xml)
    xml = times(m, "xyz|size|radius|length", xml).replace("x_y_z", "xyz")
    xml = times(
        inertia, "i[xyz][xyz]|effort|damping", times(units.of(1.0, "kg"), "mass value", xml)
    )
    toml = (source / "robot.toml").read_text().partition("[[sensors]]")[0]
    toml = toml.replace("radius = 0.022", f"radius = {0.022 * m!r}").replace(
        "rotor_inertia = 6e-5", f"rotor_inertia = {6e-5 * inertia!r}"
    )
    toml = toml.replace("0.3146755475495283", repr(0.3146755475495283 * m))
    (folder / "model.urdf").write_text(xml)
    (folder / "robot.toml").write_text(toml)
    gains = {"stiffness": units.of(300.0, "N m/rad"), "damping": units.of(8.0, "N m s/rad")}
    target = {"*_knee": -1.2}
    controller = {"plugin": "posture", "target": target, **gains}
    return {"dog": {"robot": str(folder / "robot.toml"), "controller": controller}}


@pytest.mark.parametrize("units", [UNITS[0], SCALED], ids=["mm", "exact"])
def test_a_quadruped_that_rises(tmp_path, units):
    """In grams and millimetres its effort limits would be so large that they count as none."""
    runs = []
    for name, each in (("si", Units()), ("other", Units(**units))):
        (folder := tmp_path / name).mkdir()
        runs.append(moved(quadruped(folder, each), each, 0.5))
    np.testing.assert_allclose(*runs, atol=1e-6)
    assert np.ptp(runs[0][:, 2]) > 1e-2
