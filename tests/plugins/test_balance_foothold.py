"""What the balancing controller believes the ground can do to a foot."""

import numpy as np
import pytest
from tests.cases import first

from footfall.errors import SettingError
from footfall_controllers.balance.foothold import foothold

MU = 0.5
SOLE = np.array([[0.11, 0.04, 0.0], [0.11, -0.035, 0.0], [-0.06, 0.04, 0.0], [-0.06, -0.035, 0.0]])
UP = np.array([0.0, 0.0, 1.0])
LEVEL = np.eye(3)
INSIDE = 1e-12


def made(points=SOLE, rotation=LEVEL, normal=UP, radius=0.0, margin=0.0):
    return foothold(points, np.full(len(points), radius), rotation, normal, MU, margin)


def within(hold, wrench):
    return (hold.rows @ wrench).max() <= INSIDE


def at(hold, force, place):
    """Return the wrench of a force at a place of the sole, along the foothold's axes."""
    return np.concatenate([force, np.cross(hold.axes.T @ (place - hold.middle), force)])


def test_the_pressure_must_be_under_the_sole():
    hold = made()
    for x in (-0.0599, 0.0, 0.1099):
        for y in (-0.0349, 0.0399):
            assert within(hold, at(hold, UP, np.array([x, y, 0.0])))
    for place in ([0.111, 0.0, 0.0], [-0.061, 0.0, 0.0], [0.0, 0.041, 0.0], [0.0, -0.036, 0.0]):
        assert not within(hold, at(hold, UP, np.array(place)))


def test_a_margin_keeps_it_from_the_edges():
    hold = made(margin=0.01)
    assert within(hold, at(hold, UP, np.array([0.0999, 0.0, 0.0])))
    assert not within(hold, at(hold, UP, np.array([0.1001, 0.0, 0.0])))


@pytest.mark.parametrize("hold", first(made(), made(SOLE[:1])), ids=["sole", "point"])
def test_friction_is_within_coulombs_cone_and_reaches_it_somewhere(hold):
    middle = hold.middle
    reached = 0.0
    for angle in np.radians(np.arange(0, 360, 5)):
        direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        sizes = np.linspace(0.0, 1.0, 1001)
        allowed = [
            s for s in sizes if within(hold, at(hold, UP + s * direction, middle)[: hold.size])
        ]
        assert max(allowed) <= MU + 1e-9
        assert max(allowed) >= MU / np.sqrt(2.0) - 1e-3
        reached = max(reached, max(allowed))
    assert reached == pytest.approx(MU, abs=2e-3)


def test_the_ground_does_not_pull():
    for hold in (made(), made(SOLE[:1])):
        assert not within(hold, at(hold, -UP, hold.middle)[: hold.size])
        assert within(hold, np.zeros(hold.size))


def test_the_cone_of_a_rectangle_is_carons():
    """Random wrenches near its surface, against the published rows (ICRA 2015, eq. 17 to 24)."""
    hold, rng, sides = made(), np.random.default_rng(3), []
    X, Y, mu = 0.085, 0.0375, MU / np.sqrt(2.0)
    for _ in range(4000):
        scale = np.array([mu, mu, 1.0, Y, X, mu * (X + Y)])
        fx, fy, fz, mx, my, mz = wrench = rng.uniform(-1.1, 1.1, 6) * scale * [1, 1, 0, 1, 1, 1]
        wrench[2] = fz = 1.0
        low = -mu * (X + Y) * fz + abs(Y * fx - mu * mx) + abs(X * fy - mu * my)
        high = mu * (X + Y) * fz - abs(Y * fx + mu * mx) - abs(X * fy + mu * my)
        flat = max(abs(fx) - mu * fz, abs(fy) - mu * fz, abs(mx) - Y * fz, abs(my) - X * fz)
        theirs = flat <= 0.0 and low <= mz <= high
        assert within(hold, wrench) == theirs
        sides.append(theirs)
    assert 100 < sum(sides) < 3900


def test_any_sum_of_forces_at_the_points_is_within():
    """Five corners, forces in Coulomb's pyramid."""
    points = np.array(
        [[0.1, 0.0, 0.0], [0.03, 0.05, 0], [-0.08, 0.03, 0], [-0.07, -0.04, 0], [0.05, -0.06, 0]]
    )
    hold, rng, mu = made(points), np.random.default_rng(4), MU / np.sqrt(2.0)
    for _ in range(300):
        normal = rng.uniform(0.0, 1.0, 5)
        forces = np.column_stack([rng.uniform(-mu, mu, (5, 2)) * normal[:, None], normal])
        wrench = sum(at(hold, f, p) for f, p in zip(forces, points, strict=True))
        assert within(hold, wrench)


def test_a_foot_of_one_point_has_no_moment():
    hold = made(SOLE[:1])
    assert hold.size == 3
    assert hold.rows.shape[1] == 3


def test_axes_follow_the_sole_and_the_ground():
    """A sole's normal is its own, upwards whichever way it is built in; a point's the ground's."""
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    hold = made(SOLE @ turned, rotation=turned)
    np.testing.assert_allclose(turned @ hold.axes[:, 2], UP, atol=1e-12)
    flipped = np.diag([1.0, -1.0, -1.0])
    np.testing.assert_allclose(made(rotation=flipped).axes[:, 2], -UP, atol=1e-12)
    slope = np.array([0.6, 0.0, 0.8])
    point = made(SOLE[:1], normal=slope, radius=0.02)
    np.testing.assert_allclose(point.axes[:, 2], slope)
    np.testing.assert_allclose(point.axes.T @ point.axes, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(point.arm(turned) - turned @ SOLE[0], -0.02 * slope, atol=1e-15)


@pytest.mark.parametrize(
    ("points", "margin", "words"),
    [
        (SOLE[:2], 0.0, "in a line"),
        (np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0]]), 0.0, "in a line"),
        (np.vstack([SOLE, [[0.0, 0.0, 0.01]]]), 0.0, "not lie in a plane"),
        (SOLE, 0.04, "edge_margin: 0.04 m is too large"),
        (np.zeros((0, 3)), 0.0, "no contact points"),
    ],
)
def test_feet_without_a_cone_are_refused(points, margin, words):
    with pytest.raises(SettingError, match=words):
        made(points, margin=margin)
