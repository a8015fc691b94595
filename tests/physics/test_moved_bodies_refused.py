"""Bodies that others move: settings and calls that are refused, and motions that are told."""

import math

import pytest
from tests.cases import each
from tests.physics.composed import steps
from tests.physics.test_moved_bodies import BALL, CUBE, LOW, load, plate, wrench

from footfall.errors import FootfallError, RobotWarning

WAY = [[0.0, 0, 0, 1, 0, 0, 0], [0.1, 0.2, 0, 1, 0, 0, 0]]
BELT = [1.0, 0.0, 0.0]
BAD = {
    "a motion on a robot": ({"robot": "cube", "motion": {}}, "motion has no effect on a robot"),
    "a surface of a robot": (
        {"robot": "cube", "surface_velocity": BELT},
        "surface_velocity has no effect on a robot",
    ),
    "a body that is not fixed": ({"shape": CUBE, "motion": {}}, "motion needs fixed = true"),
    "unsorted times": (
        plate(motion={"waypoints": WAY[::-1]}),
        "waypoints, row 2: time must increase, 0 s follows 0.1 s",
    ),
    "one row": (plate(motion={"waypoints": WAY[:1]}), "waypoints needs at least two rows"),
    "numbers that are not finite": (
        plate(motion={"velocity": [math.nan, 0.0, 0.0]}),
        r"motion.velocity.*finite",
    ),
    "two ways": (
        plate(motion={"waypoints": WAY, "velocity": BELT}),
        "takes one of: waypoints, file, function, velocity",
    ),
    "two places": (
        plate(motion={"waypoints": WAY}, base_position=LOW),
        "base_position has no effect: motion gives the poses",
    ),
    "no rows to repeat": (
        plate(motion={"velocity": BELT, "after": "repeat"}),
        "after has no effect without waypoints or a file",
    ),
    "a face that is left": (
        plate(surface_velocity={"top": [1.0, 0.0, 0.5]}),
        "top must lie in its face: its z must be 0, got 0.5",
    ),
    "faces of a ball": (
        {"shape": BALL, "surface_velocity": {"top": BELT}},
        "surface_velocity by face is for boxes",
    ),
    "no such function": (plate(motion={"function": "math:nothing"}), "motion.function: math:no"),
    "a function of something else": (
        plate(motion={"function": "math:sqrt"}),
        "motion.function: the motion of other returned 0.0 at 0 s, expected six finite numbers",
    ),
}


@each("what", BAD)
def test_motions_that_cannot_be_are_refused_in_a_line(what):
    table, told = BAD[what]
    with pytest.raises(FootfallError, match=told) as caught:
        load({"other": table})
    assert "\n" not in str(caught.value)


@each(
    "settings, told",
    (
        ({"simulator": {"plugin": "mujoco"}}, 'bodies.tray.motion: simulator "mujoco" does not'),
        ({"contact": {"plugin": "gauss"}}, 'contact "gauss" cannot do moving ground'),
        (
            {"pushes": [{"body": "tray", "link": "object", "force": BELT}]},
            "the motion of tray is prescribed",
        ),
        (
            {"contact": {"plugin": "compliant"}, "integrator": {"plugin": "rk4"}},
            'bodies.tray.motion: integrator "rk4" does not',
        ),
    ),
)
def test_what_cannot_move_them_is_refused(settings, told):
    with pytest.raises(FootfallError, match=told):
        load({"tray": plate(motion={}, base_position=LOW)}, **settings)


def test_functions_and_hands_that_cannot_move_a_body_are_refused():
    sim = load({"tray": plate(motion={"velocity": BELT}, base_position=LOW)})
    with pytest.raises(FootfallError, match="it cannot move"):
        sim.grab("tray/object")
    with pytest.raises(FootfallError, match="the motion of tray is prescribed"):
        sim.push("tray/object", force=(1.0, 0.0, 0.0))
    with pytest.raises(FootfallError, match=r"'cube' has no motion .*tray"):
        sim.set_motion("cube", None)
    sim.set_motion("tray", lambda t: [0.0] * 5)
    with pytest.raises(FootfallError, match=r"returned .* at 0.001 s, expected six"):
        sim.step()


def test_a_motion_that_jumps_is_told_with_name_time_and_speed():
    rows = [[0.0, 0, 0, 1, 0, 0, 0], [0.1, 0, 0, 1, 0, 0, 0], [0.1001, 9.0, 0, 1, 0, 0, 0]]
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.1 s: at 9e\+03 m/s"):
        load({"tray": plate(motion={"waypoints": rows})})
    sim = load({"tray": plate(motion={}, base_position=LOW)})
    sim.set_motion("tray", lambda t: (9.0 * (t > 0.0105), 0.0, 0.05, 0.0, 0.0, 0.0))
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.01 s") as told:
        steps(sim, 20)
    assert len(told) == 1


def test_two_prescribed_bodies_that_meet_are_told_once():
    one = plate(motion={"velocity": [1.0, 0.0, 0.0]}, base_position=[-3.0, 0.0, 0.05])
    with pytest.warns(RobotWarning, match="one and other meet at t = 1.00781 s") as told:
        sim = load({"one": one, "other": plate()})
    assert len(told) == 1
    steps(sim, 1100)
    assert not wrench(sim, "one").any()
