"""The schedule of the balancing controller: smooth, and a function of time alone."""

import numpy as np
import pytest
from pydantic import ValidationError
from tests.cases import each

from footfall_controllers.balance.schedule import Schedule, minimum_jerk
from footfall_controllers.balance.settings import MomentumBalanceConfig, Phase

FEET = ("left", "right")
PHASES = (
    Phase(start=0.0, feet=FEET),
    Phase(start=1.0, feet=FEET, over={"left": 1.0}, com_offset=(0.02, 0.0), transition=2.0),
    Phase(start=3.0, feet=("left",), lift={"right": (0.1, 0.0, 0.2)}, lean=(0.0, 0.3, 0.0)),
    Phase(start=5.0, feet=("left",), com_rise=-0.05),
    Phase(start=6.5, feet=FEET, transition=0.5),
)
POSTURES = [np.full(2, value) for value in (0.0, 0.1, -0.4, 0.2, 0.0)]
SCHEDULE = Schedule(PHASES, FEET, POSTURES, load_time=0.2)


def config(*phases):
    return MomentumBalanceConfig.model_validate({"phases": phases})


def all_of(wanted):
    lift = wanted.lift.reshape(3, -1)
    return np.hstack([wanted.share, wanted.com, lift, wanted.lean, wanted.joints])


def test_minimum_jerk_goes_from_rest_to_rest():
    duration = 0.7
    assert minimum_jerk(0.0, duration) == (0.0, 0.0, 0.0)
    assert minimum_jerk(duration, duration) == pytest.approx((1.0, 0.0, 0.0), abs=1e-14)
    assert minimum_jerk(0.35, duration)[0] == pytest.approx(0.5)


def test_rates_and_accelerations_are_derivatives():
    """By central differences, to their order."""
    dt = 1e-4
    for time in np.linspace(0.3, 7.9, 60):
        before, now, after = (all_of(SCHEDULE.at(time + k * dt)) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * dt), now[1], atol=1e-5)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * dt), now[2], atol=1e-3)


def test_nothing_jumps():
    """Where a phase begins and where its transition ends: value, rate and acceleration."""
    for phase in PHASES[1:]:
        for time in (phase.start, phase.start + phase.transition):
            before, after = (all_of(SCHEDULE.at(time + d)) for d in (-1e-7, 1e-7))
            np.testing.assert_allclose(before, after, atol=1e-4)


def test_each_phase_gets_what_it_wants():
    for k, phase in enumerate(PHASES):
        wanted = SCHEDULE.at(phase.start + phase.transition - 1e-6)
        assert wanted.feet == phase.feet
        total = sum((phase.over or dict.fromkeys(phase.feet, 1.0)).values())
        for i, foot in enumerate(FEET):
            share = (phase.over or dict.fromkeys(phase.feet, 1.0)).get(foot, 0.0) / total
            assert wanted.share[0, i] == pytest.approx(share)
            assert wanted.lift[0, i] == pytest.approx(
                phase.lift.get(foot, (0.0, 0.0, 0.0)), abs=1e-9
            )
        assert wanted.com[0] == pytest.approx((*phase.com_offset, phase.com_rise), abs=1e-9)
        assert wanted.lean[0] == pytest.approx(phase.lean, abs=1e-9)
        assert wanted.joints[0] == pytest.approx(POSTURES[k])


def test_a_foot_loses_its_load_before_it_leaves_and_takes_it_after_it_is_back():
    right = [SCHEDULE.at(time).load[1] for time in (0.0, 2.79, 2.9, 2.999, 6.501, 6.6, 6.71)]
    assert right[0] == right[1] == right[-1] == np.inf
    assert right[2] == pytest.approx(0.5)
    assert right[3] == pytest.approx(0.0, abs=1e-4)
    assert right[4] == pytest.approx(0.0, abs=1e-4)
    assert right[5] == pytest.approx(0.5)
    assert all(SCHEDULE.at(time).load[0] == np.inf for time in np.linspace(0.0, 8.0, 200))


def test_time_alone_decides():
    times = np.random.default_rng(0).uniform(0.0, 8.0, 50)
    forward = [all_of(SCHEDULE.at(t)) for t in np.sort(times)]
    backward = [all_of(SCHEDULE.at(t)) for t in np.sort(times)[::-1]][::-1]
    np.testing.assert_array_equal(forward, backward)


@each(
    ("phases", "words"),
    [
        ([{"start": 0.5, "feet": ("a",)}], ["first phase must start at 0", "0.5"]),
        (
            [{"start": 0.0, "feet": ("a",)}, {"start": 0.0, "feet": ("a",)}],
            ["phase 1 starts at 0 s", "before phase 0 is over"],
        ),
        (
            [
                {"start": 0.0, "feet": ("a",)},
                {"start": 2.0, "feet": ("a",), "transition": 1.5},
                {"start": 3.0, "feet": ("a",)},
            ],
            ["phase 2 starts at 3 s", "its transition ends at 3.5 s"],
        ),
        ([{"start": 0.0, "feet": ()}], ["at least 1 item"]),
        ([{"start": 0.0, "feet": ("a", "a")}], ["phase 0 names a foot twice"]),
        ([{"start": 0.0, "feet": ("a",), "over": {"b": 1.0}}], ["over names b", "not in feet"]),
        ([{"start": 0.0, "feet": ("a",), "lift": {"a": (0.0, 0.0, 0.1)}}], ["lift names a"]),
        (
            [
                {"start": 0.0, "feet": ("a",), "lift": {"b": (0.0, 0.0, 0.1)}},
                {"start": 1.0, "feet": ("a", "b")},
            ],
            ["phase 1: b is in feet but is lifted in phase 0"],
        ),
        (
            [{"start": 0.0, "feet": ("a",)}, {"start": 1.0, "feet": ("b",)}],
            ["phase 1: keep at least one of the feet of phase 0"],
        ),
    ],
)
def test_schedules_that_make_no_sense_are_refused(phases, words):
    with pytest.raises(ValidationError) as error:
        config(*phases)
    for word in words:
        assert word in str(error.value)
