"""A held posture: its constant feed-forward acts beside the gains."""

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError

SCENE, START = "pendulum/swing", 1.2217304763960306
WEIGHT = 9.81 * 0.5 * np.sin(START)
"""Torque of a rod of 1 m and 1 kg about its hinge, [N m]."""


def held(method, **settings):
    controller = {"plugin": "posture", "stiffness": 20.0, "damping": 5.0, "method": method}
    return footfall.load(SCENE, {"bodies.pendulum.controller": controller | settings}).run(1.0)


@pytest.mark.parametrize("method", ["implicit", "explicit"])
def test_fed_forward_the_weight_is_held_where_it_is(method):
    run = held(method, feed_forward={"hin*": WEIGHT})
    assert float(np.abs(run.joint_position - START).max()) < 1e-12
    np.testing.assert_allclose(run.tau[1:], WEIGHT, rtol=1e-12)


@pytest.mark.parametrize("method", ["implicit", "explicit"])
def test_without_it_the_joint_gives_way(method):
    end = float(held(method).joint_position[-1, 0])
    assert 20.0 * (START - end) == pytest.approx(9.81 * 0.5 * np.sin(end), rel=0.02)


def test_a_torque_for_a_joint_that_is_not_there_is_refused():
    with pytest.raises(FootfallError, match=r"feed_forward: no joint matches 'hing'.*hinge"):
        held("implicit", feed_forward={"hing": 1.0})
