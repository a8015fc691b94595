"""A scene in other units moves as in metres and kilograms: bodies, robots, laws, restitution."""

import numpy as np
import pytest

import footfall
from footfall.scene.units import Units

MILLIMETRES = {"length": 1e-3, "mass": 1e-3}
SCALED = {"length": 2.0**-10, "mass": 2.0**-4}
"""Units whose factors are exact: what is not converted shows as other bits."""
UNITS = {"millimetres and grams": MILLIMETRES, "millimetres": {"length": 1e-3}, "exact": SCALED}


def bodies(units: Units) -> dict:
    """Return a box, a ball, a cylinder and a capsule that fall on a tilted slab, each other and
    the ground, some with restitution."""
    m, kg = units.of(1.0, "m"), units.of(1.0, "kg")
    tables = {
        "box": ({"type": "box", "size": [0.1, 0.14, 0.08]}, [0.0, 0.0, 0.2], 0.0),
        "ball": ({"type": "sphere", "radius": 0.05}, [0.02, 0.01, 0.4], 0.7),
        "rod": ({"type": "cylinder", "radius": 0.03, "length": 0.2}, [0.01, 0.0, 0.75], 0.0),
        "pill": ({"type": "capsule", "radius": 0.03, "length": 0.1}, [0.0, 0.03, 0.56], 0.4),
    }
    out = {}
    for name, (shape, position, e) in tables.items():
        sized = {k: np.multiply(v, m).tolist() if k != "type" else v for k, v in shape.items()}
        place = (m * np.array(position)).tolist()
        out[name] = {"shape": sized, "mass": 0.7 * kg, "base_position": place, "restitution": e}
        out[name]["base_orientation"] = [0.3, 0.2, 0.1]
        out[name]["friction"] = 0.6
    slab = {"type": "box", "size": [0.5 * m, 0.5 * m, 0.05 * m]}
    out["slab"] = {"shape": slab, "fixed": True, "base_orientation": [0.1, 0.05, 0.0]}
    return out


def moved(tables: dict, time: float) -> np.ndarray:
    """Return the positions of a scene's run, lengths in metres."""
    scene = footfall.scene_from_dict(tables)
    sim = footfall.assemble(scene)
    run, m = sim.run(time), scene.units.of(1.0, "m")
    q, at = run.q.values.copy(), 0
    for body in sim.world.bodies:
        q[:, at : at + 3] /= m
        at += body.model.nq
    return q


def of(units: dict) -> dict:
    return {"units": units} if units else {}


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_bodies_that_fall_on_each_other(units):
    expected = moved({"bodies": bodies(Units())}, 0.6)
    found = moved({"bodies": bodies(Units(**units)), **of(units)}, 0.6)
    if units is SCALED:
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(found, expected, atol=1e-6)
