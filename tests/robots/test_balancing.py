"""Balancing on one foot: iCub with its motors, and the humanoid; pushed, and under other laws."""

import numpy as np
import pytest
from tests.cases import first
from tests.robot_packages import need_package

import footfall

LEFT, RIGHT = slice(0, 4), slice(4, 8)
"""Contact points of the feet."""
BOTH, ONE = 0.5, 5.5
"""When to push: on both feet, and on one, [s]."""
SCENES = ("icub/balancing", "humanoid/balancing")
long = pytest.mark.long
PUSHED = [
    ("icub/balancing", 20.0, 90),
    ("humanoid/balancing", 40.0, 270),
    *(
        pytest.param("icub/balancing", 20.0, degrees, marks=long)
        for degrees in (0, 45, 135, 180, 225, 270, 315)
    ),
    *(
        pytest.param("humanoid/balancing", 40.0, degrees, marks=long)
        for degrees in (0, 90, 180, 225)
    ),
]
"""Scene, force [N], and its direction."""


def load(scene, **settings):
    """Load a scene, changed by dotted keys."""
    need_package(scene)
    return footfall.load(scene, settings)


def pushes(force, azimuth):
    """Return the tables of two pushes of the chest along the ground, a fifth of a second each."""
    along = [force * np.cos(azimuth), force * np.sin(azimuth), 0.0]
    return [{"link": "chest", "force": along, "start": at, "duration": 0.2} for at in (BOTH, ONE)]


def longest(flags):
    """Return the longest stretch of true values."""
    edges = np.flatnonzero(np.diff(flags.astype(int), prepend=0, append=0))
    return max((edges[1::2] - edges[::2]), default=0)


def time_in_the_air(run, clearance):
    """Return how long all points of the right foot are at least so high without a break, [s]."""
    return 1e-3 * longest(run.gap.values[:, RIGHT].min(axis=1) >= clearance)


def slip(run, foot):
    """Return how far a point of a foot went while it carried, along the ground, [m].

    A foot carries while all its points are on the ground; each time from where it then was.
    """
    carries = (run.gap.values[:, foot] < 1e-4).all(axis=1)
    places, worst = run.contact_position.values[:, foot, :2], 0.0
    edges = np.flatnonzero(np.diff(carries.astype(int), prepend=0, append=0))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        moved = np.linalg.norm(places[start:end] - places[start], axis=-1)
        worst = max(worst, moved.max())
    return worst


def stands(run):
    """Whether both feet are on the ground at the end, and nothing moves."""
    return np.abs(run.gap.values[-1]).max() < 1e-4 and np.abs(run.v.values[-1]).max() < 0.02


@pytest.fixture(scope="module", params=SCENES)
def calm(request):
    """A run in which nobody pushes."""
    return load(request.param, pushes=[]).run()


def test_the_other_foot_is_clear_of_the_ground_for_more_than_two_seconds(calm):
    assert time_in_the_air(calm, 0.02) > 2.0
    assert np.abs(calm.gap.values[:, LEFT]).max() < 1e-4


def test_it_comes_back_to_both_feet(calm):
    assert stands(calm)
    weight = calm.contact_force.values[-1, :, 2]
    assert weight[LEFT].sum() == pytest.approx(weight[RIGHT].sum(), rel=0.2)


def test_feet_that_carry_do_not_slip(calm):
    assert slip(calm, LEFT) < 1e-4
    assert slip(calm, RIGHT) < 1e-3


def test_the_contact_problem_is_solved(calm):
    assert calm.residual_natural_map.values.max() <= 1e-5
    assert np.median(calm.residual_natural_map.values) <= 1e-7


@pytest.mark.parametrize(("scene", "force", "degrees"), first(*PUSHED, names=3))
def test_pushes_from_any_side_are_taken_on_both_feet_and_on_one(scene, force, degrees):
    run = load(scene, pushes=pushes(force, np.radians(degrees))).run()
    assert stands(run)
    assert time_in_the_air(run, 0.02) > 2.0
    assert slip(run, LEFT) < 1e-3


@pytest.mark.parametrize(
    "law",
    first("gauss", *(pytest.param(law, marks=long) for law in ("gauss_discrete", "lcp", "ccp"))),
)
def test_other_contact_laws_carry_it_as_well(law):
    run = load("icub/balancing", **{"contact.plugin": law}).run()
    assert stands(run)
    assert time_in_the_air(run, 0.02) > 2.0


@pytest.mark.parametrize("rate", first(pytest.param(1000.0, marks=long), 200.0))
def test_faster_control_does_as_well(rate):
    chosen = {"bodies.icub.controller.rate": rate}
    run = load("icub/balancing_pushed", **chosen).run(7.0)
    assert run.gap.values[3500:, RIGHT].min(axis=1)[-1] > 0.02
    assert slip(run, LEFT) < 1e-3
