"""One line of a scene changes the engine; the motion stays the same."""

import numpy as np
import pytest
from tests.cases import first

from footfall import load

FLIGHT = {
    "bodies.humanoid.base_position": [0.0, 0.0, 20.0],
    "bodies.humanoid.base_linear_velocity": [1.0, 0.0, 3.0],
    "bodies.humanoid.base_angular_velocity": [1.0, -2.0, 1.5],
    "bodies.humanoid.joint_velocities": {"*_elbow": 3.0, "*_hip_pitch": -2.0, "*_knee": 1.5},
    "bodies.humanoid.controller": {"plugin": "zero"},
}


@pytest.fixture(params=["idyntree", "featherstone", "mujoco"])
def other(request):
    if request.param == "idyntree":
        pytest.importorskip("idyntree.bindings")
    return request.param


def both(scene, other, duration, overrides=None):
    """Return q, v of every step with pinocchio and with another engine."""
    if scene.startswith("icub"):
        pytest.importorskip("icub_models")
    runs = [
        load(scene, {"engine.plugin": name, **(overrides or {})}).run(duration)
        for name in ("pinocchio", other)
    ]
    assert [run.attrs["resolved_scene"]["scene"]["engine"]["plugin"] for run in runs] == [
        "pinocchio",
        other,
    ]
    return [(run.q.values, run.v.values) for run in runs]


def test_free_flight_agrees_over_a_second(other):
    """To 1e-8; a limp humanoid that tumbles is not chaotic within a second."""
    (q, v), (q_other, v_other) = both("humanoid/standing", other, 1.0, FLIGHT)
    assert np.abs(q[-1, 7:] - q[0, 7:]).max() > 0.5
    np.testing.assert_allclose(q_other, q, atol=1e-8)
    np.testing.assert_allclose(v_other, v, atol=1e-7)


@pytest.mark.parametrize("scene", first("icub/standing", "humanoid/standing"))
def test_standing_agrees(scene, other):
    """To 1e-9 over the first 50 steps, to 1e-6 over a second."""
    (q, _), (q_other, _) = both(scene, other, 1.0)
    np.testing.assert_allclose(q_other[:51], q[:51], atol=1e-9)
    np.testing.assert_allclose(q_other, q, atol=1e-6)


@pytest.mark.parametrize("scene", first("icub/drop", "humanoid/drop", runs=3))
def test_landing_agrees(scene, other):
    """Before the impact to 1e-9; after it to the law's tolerance, grown over 50 steps."""
    (q, _), (q_other, _) = both(scene, other, 0.15)
    np.testing.assert_allclose(q_other[:100], q[:100], atol=1e-9)
    np.testing.assert_allclose(q_other, q, atol=1e-6)


@pytest.mark.parametrize("scene", first("pendulum/swing", "rrbot/swing"))
def test_fixed_bases_agree(scene, other):
    (q, v), (q_other, v_other) = both(scene, other, 1.0)
    np.testing.assert_allclose(q_other, q, atol=1e-9)
    np.testing.assert_allclose(v_other, v, atol=1e-8)


@pytest.mark.parametrize("base", first("planar", "fixed"))
def test_held_humanoids_agree(base, other):
    overrides = {
        "bodies.humanoid.base": base,
        "bodies.humanoid.base_position": [0.0, 0.0, 5.0],
        "bodies.humanoid.joint_velocities": {"*_elbow": 3.0, "*_knee": 1.5},
        "bodies.humanoid.controller": {"plugin": "zero"},
    }
    (q, _), (q_other, _) = both("humanoid/standing", other, 0.5, overrides)
    np.testing.assert_allclose(q_other, q, atol=1e-8)
