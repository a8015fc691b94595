"""What is refused of a body's drives, with the key that is wrong."""

import pytest

from footfall import assemble
from footfall.errors import FootfallError
from footfall.scene.load import scene_from_dict

BOTH = ["joint1", "joint2"]


def refusal(*drives, robot="rrbot", **scene):
    """Return what is said of an arm with drives that are refused."""
    body = {"robot": robot, "actuators": list(drives)}
    with pytest.raises(FootfallError) as raised:
        assemble(
            scene_from_dict({"simulation": {"duration": 1.0}, "bodies": {"arm": body}, **scene})
        )
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_a_joint_that_does_not_exist_is_named_with_the_nearest():
    message = refusal({"joints": ["joint3"]})
    assert "bodies.arm.actuators[0].joints" in message or "actuators.0.joints" in message
    assert "joint3" in message
    assert "joint2" in message or "joint1" in message


def test_an_unknown_key_is_named_with_the_nearest():
    message = refusal({"joints": ["*"], "gear_ration": 2.0})
    assert "gear_ration" in message
    assert "gear_ratio" in message


def test_an_unknown_actuator_is_named_with_the_nearest():
    message = refusal({"joints": ["*"], "plugin": "second_ordr"})
    assert "second_order" in message


def test_a_key_of_another_actuator_is_refused():
    assert "natural_frequency" in refusal({"joints": ["*"], "natural_frequency": 5.0})


def test_a_singular_coupling_is_refused():
    message = refusal({"joints": BOTH, "coupling": [[1.0, 1.0], [1.0, 1.0]]})
    assert "coupling" in message
    assert "singular" in message


@pytest.mark.parametrize("coupling", [[[1.0, 0.0]], [[1.0], [0.0]], [[1.0, 0.0, 0.0]] * 3])
def test_a_coupling_of_the_wrong_size_is_refused(coupling):
    assert "2 rows of 2 numbers" in refusal({"joints": BOTH, "coupling": coupling})


def test_patterns_have_no_order_for_a_coupling():
    message = refusal({"joints": ["joint1", "j*2"], "coupling": [[1.0, 0.0], [0.0, 1.0]]})
    assert "in order" in message


@pytest.mark.parametrize("key", ["gear_ratio", "torque_limit"])
def test_values_for_each_motor_must_be_as_many(key):
    assert f"{key} must be one number or 2" in refusal({"joints": BOTH, key: [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(
    ("key", "value"),
    [("gear_ratio", 0.0), ("rotor_inertia", -1.0), ("viscous_friction", -0.1), ("torque_limit", 0)],
)
def test_values_out_of_range_are_refused(key, value):
    assert key in refusal({"joints": ["*"], key: value})


def test_a_joint_has_one_drive():
    assert "'joint2' has a drive already" in refusal({"joints": BOTH}, {"joints": ["joint2"]})


def test_a_speed_limit_without_a_torque_limit_is_refused():
    assert "torque_limit" in refusal({"joints": ["*"], "speed_limit": 3.0})


def test_a_limit_that_the_model_does_not_give_is_refused():
    assert "gives no limit for joint1" in refusal({"joints": ["*"], "torque_limit": "model"})


def test_an_ideal_motor_has_no_inertia():
    assert "has no effect" in refusal({"joints": ["*"], "plugin": "ideal", "rotor_inertia": 1.0})


def test_a_series_spring_needs_a_rotor_and_takes_no_coupling():
    drive = {"joints": BOTH, "plugin": "series_elastic", "stiffness": 10.0}
    assert "rotor_inertia" in refusal(drive)
    coupled = {**drive, "rotor_inertia": 1.0, "coupling": [[1.0, 0.0], [1.0, 1.0]]}
    assert "takes no coupling" in refusal(coupled)


def test_a_drive_stated_for_steps_is_refused_in_continuous_time():
    drive = {"joints": BOTH, "plugin": "series_elastic", "stiffness": 10.0, "rotor_inertia": 1.0}
    message = refusal(drive, contact={"plugin": "compliant"}, integrator={"plugin": "rk4"})
    assert "one-step integrator" in message
