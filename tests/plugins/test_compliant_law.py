"""The compliant ground as a function: Featherstone's recorded calls, closed forms, bad input."""

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.compliant_reference import reference, rows

from footfall_compliant.law import ground_contact, recovery_time, stiffness

K, D, MU = 1e6, 2e3, 0.4


def one(z, zd=0.0, v=(0.0, 0.0), u=(0.0, 0.0), mu=MU):
    """Return force, rate and demand of a single point."""
    f, ud, fcone = ground_contact(K, D, mu, [[0.0], [0.0], [z]], [[v[0]], [v[1]], [zd]],
                                  [[u[0]], [u[1]]])  # fmt: skip
    return f[:, 0], ud[:, 0], fcone[0]


@pytest.mark.reference
@pytest.mark.parametrize("kind", ["cases_3d", "cases_2d", "cases_frictionless"])
def test_every_recorded_call_agrees_to_1e_12(kind):
    cases = reference("gcontact_cases.json")[kind]
    assert len(cases) >= 25
    for case in cases:
        answer = ground_contact(*(case[name] for name in ("K", "D", "mu", "p", "pd")),
                                case.get("u"))  # fmt: skip
        for name in ("f", "ud", "fcone"):
            if name in case:
                np.testing.assert_allclose(getattr(answer, name), rows(case[name]), 1e-12, 0.0)


def test_a_point_at_rest_carries_its_stiffness_times_depth_to_the_1_5():
    f, _, _ = one(-1e-3)
    np.testing.assert_allclose(f, [0.0, 0.0, K * 1e-3**1.5], rtol=1e-14)


def test_force_at_compression_gives_the_stiffness():
    assert stiffness(40.0, 1e-3) == pytest.approx(40.0 / 1e-3**1.5, rel=1e-15)
    f = ground_contact(stiffness(40.0, 1e-3), 1.0, 0.0, [[-1e-3]], [[0.0]]).f
    assert f[0, 0] == pytest.approx(40.0, rel=1e-14)
    assert recovery_time(1e6, 2e3) == 2e-3


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.1])
def test_there_is_no_force_at_or_above_the_surface(z):
    f, ud, fcone = one(z, zd=-1.0, v=(1.0, 2.0), u=(1e-3, -2e-3))
    np.testing.assert_array_equal(f, 0.0)
    np.testing.assert_allclose(ud, [-0.5, 1.0], rtol=1e-15)
    assert fcone == 2.0


def test_a_point_that_rises_faster_than_the_ground_recovers_has_left():
    d = 1e-3
    assert one(-d, zd=1.001 * K / D * d)[0][2] == 0.0
    assert one(-d, zd=0.999 * K / D * d)[0][2] > 0.0


def test_friction_is_an_exact_circle():
    for angle in np.linspace(0.0, 2.0 * np.pi, 13):
        direction = np.array([np.cos(angle), np.sin(angle)])
        f, ud, fcone = one(-1e-3, v=tuple(3.0 * direction))
        np.testing.assert_allclose(f[:2], -MU * f[2] * direction, atol=1e-12)
        assert fcone > 1.0
        # The ground is dragged along until spring and damper make the friction.
        np.testing.assert_allclose(ud, MU * f[2] / (D * np.sqrt(1e-3)) * direction, atol=1e-12)


def test_the_plane_is_the_space_without_its_second_tangent():
    rng = np.random.default_rng(3)
    p, pd = rng.uniform(-2e-3, 1e-3, (2, 200)), rng.normal(0.0, 0.2, (2, 200))
    u = rng.normal(0.0, 1e-4, (1, 200))

    def padded(a):
        return np.insert(a, 1, 0.0, axis=0)

    flat = ground_contact(K, D, MU, p, pd, u)
    deep = ground_contact(K, D, MU, padded(p), padded(pd), np.vstack([u, np.zeros((1, 200))]))
    np.testing.assert_array_equal(padded(flat.f), deep.f)
    np.testing.assert_array_equal(flat.ud[0], deep.ud[0])
    np.testing.assert_array_equal(flat.fcone, deep.fcone)
    assert {0.0} == set(deep.ud[1])
    assert (flat.fcone < 1.0).any()
    assert ((flat.fcone > 1.0) & (flat.f[1] > 0.0)).any()


def test_no_points_are_no_forces():
    f, ud, fcone = ground_contact(K, D, MU, np.zeros((3, 0)), np.zeros((3, 0)), np.zeros((2, 0)))
    assert (f.shape, ud.shape, fcone.shape) == ((3, 0), (2, 0), (0,))


P, V, U = np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((2, 2))


@each(
    ("arguments", "message"),
    [
        ((0.0, D, MU, P, V, U), "K is 0.0, must be a positive number"),
        ((K, -1.0, MU, P, V, U), "D is -1.0, must be a positive number"),
        ((K, D, 0.0, P, V, U), "mu is 0.0, must be a positive number"),
        ((np.nan, D, MU, P, V, U), "K is nan, must be"),
        ((K, D, MU, P[:, :1], V, U), r"pd has shape \(3, 2\), p has \(3, 1\)"),
        ((K, D, MU, P, V, U[:1]), r"u has shape \(1, 2\), expected \(2, 2\)"),
        ((K, D, MU, P, V), "u is missing"),
        ((K, D, MU, P[0], V, U), r"p has shape \(2,\), expected \(3, np\)"),
        ((K, D, MU, P + np.inf, V, U), "p holds NaN or infinity"),
        ((K, D, MU, P, V + np.nan, U), "pd holds NaN or infinity"),
        ((K, D, MU, P, "x", U), "pd is no array of numbers"),
        ((K, D, MU, P[:1], V[:1]), "mu must be 0"),
    ],
)
def test_input_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ground_contact(*arguments)


@pytest.mark.parametrize(("force", "compression"), [(0.0, 1e-3), (1.0, -1e-3), (np.nan, 1e-3)])
def test_stiffness_of_no_force_or_no_compression_is_refused(force, compression):
    with pytest.raises(ValueError, match="must be a positive number"):
        stiffness(force, compression)
