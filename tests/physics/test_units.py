"""A scene in other units moves as in metres and kilograms: bodies, robots, laws, restitution."""

import re

import numpy as np
import pytest

import footfall
from footfall.errors import RobotWarning, SceneError
from footfall.model import bundled_folder
from footfall.registry.discover import discover
from footfall.scene.resolved import resolved
from footfall.scene.units import Units
from footfall_validate.checks.motion import scale
from footfall_validate.combination import combine
from footfall_validate.lab import Lab

SI = Units()
MILLIMETRES, GRAMS = Units(length=1e-3), Units(length=1e-3, mass=1e-3)
SCALED = Units(length=2.0**-10, mass=2.0**-4)
"""Units whose factors and their roots are exact: what is not converted shows as other bits."""
BODIES = {
    "box": ({"type": "box", "size": [0.1, 0.14, 0.08]}, [0.0, 0.0, 0.2], 0.0),
    "ball": ({"type": "sphere", "radius": 0.05}, [0.02, 0.01, 0.4], 0.7),
    "rod": ({"type": "cylinder", "radius": 0.03, "length": 0.2}, [0.01, 0.0, 0.75], 0.0),
    "pill": ({"type": "capsule", "radius": 0.03, "length": 0.1}, [0.0, 0.03, 0.56], 0.4),
    "slab": ({"type": "box", "size": [0.5, 0.5, 0.05]}, [0.0, 0.0, 0.0], 0.0),
}
"""Shape, position and restitution of bodies that fall on a tilted slab and on each other."""


def pile(units: Units) -> dict:
    m, bodies = units.of(1.0, "m"), {}
    for name, (shape, position, e) in BODIES.items():
        sized = {k: v if k == "type" else np.multiply(v, m).tolist() for k, v in shape.items()}
        rest = {"fixed": True} if name == "slab" else {"mass": units.of(0.7, "kg")}
        place = {"base_position": [m * x for x in position], "base_orientation": [0.2, 0.1, 0.0]}
        bodies[name] = {"shape": sized, "restitution": e, "friction": 0.6, **place, **rest}
    return bodies


def moved(bodies: dict, units: Units, time: float) -> np.ndarray:
    """Return the positions of a scene's run, lengths in metres."""
    tables = {"bodies": bodies} | ({"units": units.model_dump()} if units != SI else {})
    sim = footfall.assemble(footfall.scene_from_dict(tables))
    q = sim.run(time).q.values.copy()
    for index in range(len(sim.world.bodies)):
        at = sim.world.q_slice(index).start
        q[:, at : at + 3] /= units.of(1.0, "m")
    return q


@pytest.mark.parametrize("units", [MILLIMETRES, GRAMS, SCALED])
def test_bodies_that_fall_on_each_other_and_bounce(units):
    expected, found = moved(pile(SI), SI, 0.8), moved(pile(units), units, 0.8)
    assert np.abs(found - expected).max() <= (0.0 if units is SCALED else 1e-6)


def test_without_the_key_thresholds_in_metres_act_and_a_warning_tells_of_it():
    expected, given = moved(pile(SI), SI, 0.8), {"gravity": [0.0, 0.0, -9810.0]}
    tables = {"bodies": pile(MILLIMETRES), "world": given}
    with pytest.warns(RobotWarning) as told:
        sim = footfall.assemble(footfall.scene_from_dict(tables))
    assert "-9810 m/s^2: if lengths are in millimetres, set units.length" in str(list(told)[-1])
    q = sim.run(0.8).q.values
    assert np.abs(q[:, :3] / 1000.0 - expected[:, :3]).max() > 1e-4


def test_simulators_that_take_si_only_and_units_out_of_range_are_refused():
    tables = {"bodies": pile(SI), "units": {"length": 1e-3}}
    with pytest.raises(SceneError, match='"mujoco" takes metres and kilograms only'):
        footfall.assemble(footfall.scene_from_dict(tables | {"simulator": {"plugin": "mujoco"}}))
    with pytest.raises(SceneError, match=r"units\.length"):
        footfall.scene_from_dict(tables | {"units": {"length": 0.0}})


def test_a_stored_scene_keeps_its_units_and_converted_defaults():
    """Converted once: 1e-3 m are 1 mm, also after a scene is stored and read back."""
    tables = {"bodies": pile(GRAMS), "units": GRAMS.model_dump()}
    scene = footfall.scene_from_dict(tables)
    for each in (scene, footfall.stored_scene(resolved(scene), discover())):
        assert each.units == GRAMS
        assert each.contact.config.margin == 1.0
        assert each.world.gravity == (0.0, 0.0, -9810.0)
        assert each.simulation.restitution_threshold == 10.0


def test_numbers_are_converted_by_their_unit():
    """One of each unit in millimetres and grams: a newton is 1e6 g mm/s^2."""
    units = {"m/s^2": 1e3, "N/m^1.5": 10.0**1.5, "N m s/rad or N s/m": 1e9, "1/kg": 1e-3, "m, s": 1}
    for unit, expected in units.items():
        assert GRAMS.of(1.0, unit) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("law", discover().contact.names())
def test_every_law_by_its_defaults(law):
    measures = list(scale.run(Lab(combine(discover(), law))))
    assert len(measures) == 2
    assert all(measure.is_met for measure in measures)


def quadruped(folder, units: Units) -> dict:
    """Write the quadruped in other units; return its table."""
    source = bundled_folder() / "quadruped"
    factors = {
        "i[xyz][xyz]|effort|damping": "kg m^2",
        "size|radius|length": "m",
        "mass value": "kg",
    }
    xml = (source / "model.urdf").read_text()
    for names, unit in (*factors.items(), ("<origin xyz", "m")):
        xml = re.sub(
            rf'((?:\b|(?=<))(?:{names})=")([^"]*)',
            lambda at: at[1] + " ".join(repr(units.of(float(x), unit)) for x in at[2].split()),  # noqa: B023
            xml,
        )
    toml = (source / "robot.toml").read_text().partition("[[sensors]]")[0]
    for number, unit in ((0.022, "m"), (6e-5, "kg m^2"), (0.3146755475495283, "m")):
        toml = toml.replace(str(number).replace("e-05", "e-5"), repr(units.of(number, unit)))
    folder.mkdir()
    (folder / "model.urdf").write_text(xml)
    (folder / "robot.toml").write_text(toml)
    gains = {"stiffness": units.of(300.0, "N m/rad"), "damping": units.of(8.0, "N m s/rad")}
    controller = {"plugin": "posture", "target": {"*_knee": -1.2}, **gains}
    return {"dog": {"robot": str(folder / "robot.toml"), "controller": controller}}


@pytest.mark.parametrize("units", [MILLIMETRES, SCALED])
def test_a_quadruped_that_rises(tmp_path, units):
    """In grams and millimetres its effort limits would be so large that they count as none."""
    runs = [moved(quadruped(tmp_path / f"{u.length}", u), u, 0.5) for u in (SI, units)]
    np.testing.assert_allclose(*runs, atol=1e-6)
    assert np.ptp(runs[0][:, 2]) > 1e-2
