"""A foot that stands on an object feels what it feels on the ground."""

import numpy as np
import pytest

import footfall
from footfall import assemble, scene_from_dict

HEIGHT = 0.2
PLATE = {
    "shape": {"type": "box", "size": [2.0, 2.0, HEIGHT]},
    "friction": 0.8,
    "base_position": [0.0, 0.0, HEIGHT / 2],
}
SENSORS = [
    {"plugin": "force_torque", "name": "load", "foot": "l_sole"},
    {"plugin": "contact_switch", "name": "switch", "foot": "l_sole"},
    {"plugin": "center_of_pressure", "name": "pressure", "foot": "l_sole"},
]


def standing(height, others):
    """Return a recording of the humanoid that stands at a height, and its simulator."""
    z = float(footfall.load("humanoid/standing").q[2])
    humanoid = {
        "robot": "humanoid",
        "base_position": [0.0, 0.0, z + height],
        "controller": {"plugin": "posture", "stiffness": 2000.0, "damping": 60.0},
        "sensors": SENSORS,
    }
    tables = {
        "simulation": {"duration": 0.1},
        "world": {"terrain": {"plugin": "plane", "friction": 0.8}},
        "bodies": {"humanoid": humanoid, **others},
    }
    sim = assemble(scene_from_dict(tables))
    return sim.run(0.1), sim


@pytest.mark.parametrize("plate", [{"fixed": True}, {"mass": 500.0}], ids=["fixed", "free"])
def test_a_foot_on_an_object_feels_the_same_as_on_the_ground(plate):
    on_ground, _ = standing(0.0, {})
    on_plate, sim = standing(HEIGHT, {"plate": {**PLATE, **plate}})
    # Both solve the same problem to 1e-9 m/s, which on 56 kg is 6e-5 N over a step of 1 ms.
    feet = on_plate.sel(foot=on_ground.foot.values)
    np.testing.assert_allclose(feet.foot_wrench[1:], on_ground.foot_wrench[1:], atol=1e-3)
    for name in ("sensor_load_force", "sensor_load_moment"):
        np.testing.assert_allclose(
            on_plate[name].values[1:], on_ground[name].values[1:], atol=1e-3, err_msg=name
        )
    assert on_plate.sensor_switch_pressed.values[-1] == 1.0
    np.testing.assert_allclose(
        on_plate.sensor_pressure_position.values[-1],
        on_ground.sensor_pressure_position.values[-1],
        atol=1e-4,
    )
    weights = sim.signals("humanoid").contact_wrenches
    lifted = sum(wrench[2] for wrench in weights.values())
    names = [body.name for body in sim.world.bodies]
    on_body = sim.signal("collision_wrench")[names.index("humanoid"), 2]
    np.testing.assert_allclose(lifted, on_body, rtol=1e-4)  # soles lean by 5e-3 rad at most
