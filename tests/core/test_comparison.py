import itertools

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.errors import RecordingError, SceneError
from footfall_compare.curves import MOST, Curve, _thinned
from footfall_compare.trajectory import Trajectory
from footfall_compare.variation import (
    check_variations,
    combinations,
    parse_variations,
    split_list,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("coulomb,gauss", ["coulomb", "gauss"]),
        ("1e-3, 5e-4", [1e-3, 5e-4]),
        ("[0,0,1],[0, 0.1, 1]", [[0, 0, 1], [0, 0.1, 1]]),
        ('"a,b",\'c,"d\'', ["a,b", 'c,"d']),
        ('{plugin="gauss", sides=8},{plugin="coulomb"}', None),
    ],
)
def test_a_list_is_split_at_commas_that_are_not_inside_a_value(text, values):
    (found,) = parse_variations([f"k={text}"])
    assert len(found.values) == 2
    if values is not None:
        assert list(found.values) == values


def test_joining_what_was_split_gives_it_back():
    for parts in itertools.product(["a", "[1, [2, 3]]", '"x,\\",y"', "{k=[1,2]}", ""], repeat=3):
        assert list(split_list(",".join(parts))) == list(parts)


def test_every_combination_comes_once_and_the_last_key_changes_fastest():
    found = list(combinations(check_variations([("a", [1, 2]), ("b.c", ["x", "y", "z"])])))
    assert [tuple(c.values.values()) for c in found] == [
        *((1, "x"), (1, "y"), (1, "z")),
        *((2, "x"), (2, "y"), (2, "z")),
    ]
    assert [c.number for c in found] == [1, 2, 3, 4, 5, 6]
    assert len({c.label for c in found}) == 6


@each(
    ("given", "words"),
    [
        ([], "nothing is varied"),
        ([("a", [])], "at least one value"),
        ([("a", "text")], "list of values"),
        ([("a", 3)], "list of values"),
        ([("a", [1, 1])], "twice"),
        ([("a", [1]), ("a", [2])], "twice"),
        ([("a.b", [1]), ('"a".b', [2])], "twice"),
        ([("a", [{"b": 1}]), ("a.b", [2])], "twice, with a"),
        ([("a b", [1])], "dotted key"),
    ],
)
def test_what_cannot_be_varied_is_refused(given, words):
    with pytest.raises(SceneError, match=words):
        check_variations(given)


def spin(rate, dt, end=1.0, axis=(0.0, 0.6, 0.8)):
    """A body that moves along x at 2 m/s and turns at a rate about an axis."""
    time = np.arange(0.0, end + 0.5 * dt, dt)
    q = np.zeros((len(time), 8))
    q[:, 0] = 2.0 * time
    q[:, 3:6] = np.sin(0.5 * rate * time)[:, None] * np.array(axis)
    q[:, 6] = np.cos(0.5 * rate * time)
    q[:, 7] = time**2
    return Trajectory(time, q, tuple("xyzabcdj"), np.array([0]))


def test_motions_recorded_at_other_times_are_compared_at_common_ones():
    """Between rows: exact along a line, ``(w dt)^3`` for rotations, ``dt^2 / 8 a`` for joints."""
    coarse, fine = spin(3.0, 0.01), spin(3.0, 0.0037)
    times = np.linspace(0.05, 0.95, 77)
    position, angle, joints = coarse.differences(fine, times).max(axis=0)
    assert position < 1e-14
    assert angle < (3.0 * 0.01) ** 3
    assert 0.0 < joints <= 2.0 * 0.01**2 / 8.0
    assert np.allclose(coarse.at(times)[:, 0], 2.0 * times, rtol=0, atol=1e-14)


def test_the_angle_between_motions_is_exact_however_small():
    for apart in (1e-12, 1e-6, 0.1, 3.0):
        one, two = spin(0.0, 0.5), spin(0.0, 0.5)
        two.q[:, 3:6] = np.sin(0.5 * apart) * np.array([0.6, 0.0, 0.8])
        two.q[:, 6] = np.cos(0.5 * apart)
        assert one.difference(two).angle == pytest.approx(apart, rel=1e-9)


def test_a_quaternion_and_its_negative_are_one_orientation():
    one, two = spin(5.0, 0.01), spin(5.0, 0.01)
    two.q[::2, 3:7] *= -1.0
    assert one.differences(two, np.linspace(0.0, 1.0, 333)).max() < 1e-12


def test_motions_of_other_bodies_are_not_compared():
    one, two = spin(1.0, 0.1), spin(1.0, 0.1)
    two = Trajectory(two.time, two.q, tuple("xyzabcdk"), two.bases)
    assert one.difference(two) is None


def test_a_comparison_records_what_a_run_records_bit_for_bit():
    vary = {"contact.plugin": ["coulomb", "compliant"]}
    found = footfall.compare("cube/drop", vary, duration=0.4)
    for outcome in found.outcomes:
        run = footfall.load("cube/drop", outcome.combination.values).run(0.4)
        for name in ("q", "v", "impulse", "residual_natural_map", "dissipated_energy"):
            np.testing.assert_array_equal(outcome.open()[name].values, run[name].values)


def test_halving_the_step_moves_the_place_where_a_cube_stops_by_a_quarter_step_of_its_speed():
    """A body that slides off at v stops ``v dt / 2`` short of the exact place."""
    steps = [1e-3, 5e-4, 2.5e-4]
    found = footfall.compare("cube/sliding", {"simulation.time_step": steps})
    offs = [outcome.difference.position for outcome in found.outcomes]
    assert offs[0] == 0.0
    for dt, off in zip(steps[1:], offs[1:], strict=True):
        assert off == pytest.approx(6.0 * (steps[0] - dt) / 2.0, rel=0.01)


def test_a_combination_that_does_not_fit_is_refused_with_its_reason_and_the_others_run():
    found = footfall.compare(
        "cube/drop",
        {"contact.plugin": ["coulomb", "compliant"], "integrator.plugin": ["rk4"]},
        duration=0.01,
    )
    refused, complete = found.outcomes
    assert refused.ending == "refused"
    assert "integrates forces" in refused.reason
    assert "\n" not in refused.reason
    assert complete.ending == "complete"
    assert found.reference is complete
    with pytest.raises(RecordingError, match="integrates forces"):
        refused.open()


def test_a_run_that_breaks_off_says_why_and_does_not_stop_the_others(tmp_path):
    found = footfall.compare(
        "cube/drop",
        {"contact.stiffness": [1e15, 1e6]},
        {"contact.plugin": "compliant", "integrator.plugin": "rk4"},
        duration=0.33,
        output=tmp_path / "out",
    )
    broken, complete = found.outcomes
    assert broken.ending == "failed"
    assert "is not finite" in broken.reason
    assert broken.difference is None
    assert complete.ending == "complete"
    assert complete.difference.position == 0.0


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({"contact.plugni": ["coulomb"]}, r"contact.plugni: unknown key, did you mean 'plugin'"),
        ({"contact.plugin": ["coulomb", "gaus"]}, r"did you mean 'gauss'"),
        ({"simulation.time_step": [1e-3, "abc"]}, r"simulation.time_step: must be a number"),
        ({"simulation.time_step": [1e-3, -1.0]}, r"simulation.time_step: must be > 0"),
        ({"bodies.cub.friction": [0.5, 0.6]}, r"did you mean 'cube'"),
        ({"simulation.duration": [0.1, 0.2]}, r"simulation.duration: is both set and varied"),
    ],
)
def test_a_value_that_is_wrong_in_every_combination_is_an_error(vary, words, tmp_path):
    with pytest.raises(SceneError, match=words):
        footfall.compare("cube/drop", vary, duration=0.01, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_setting_that_only_some_laws_have_refuses_the_others():
    found = footfall.compare(
        "cube/drop",
        {"contact.plugin": ["gauss", "coulomb"], "contact.sides": [4, 8]},
        duration=0.005,
    )
    endings = [outcome.ending for outcome in found.outcomes]
    assert endings == ["complete", "complete", "refused", "refused"]
    assert "contact.sides" in found.outcomes[2].reason


def test_thinning_a_curve_keeps_its_ends_its_lows_and_its_peaks():
    n = 100_000
    y = np.sin(np.linspace(0.0, 50.0, n))
    y[12_345], y[67_890] = 40.0, -30.0
    thin = _thinned(Curve("force", "N", "linear", np.arange(n, dtype=float), y))
    assert len(thin.x) <= MOST + 2
    assert (thin.x[0], thin.x[-1]) == (0.0, n - 1.0)
    assert {40.0, -30.0} <= set(thin.y)
    assert (np.diff(thin.x) > 0).all()
    np.testing.assert_array_equal(thin.y, y[thin.x.astype(int)])
