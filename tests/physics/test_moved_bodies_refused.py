"""Bodies that others move: settings and calls that are refused, and motions that are told."""

import math

import pytest
from tests.cases import each
from tests.physics.composed import steps
from tests.physics.test_moved_bodies import BALL, CUBE, LOW, load, plate, wrench

from footfall.errors import FootfallError, RobotWarning

WAY = [[0.0, 0, 0, 1, 0, 0, 0], [0.1, 0.2, 0, 1, 0, 0, 0]]
BELT = [1.0, 0.0, 0.0]
BAD = (
    ({"robot": "cube", "motion": {}}, "motion has no effect on a robot"),
    ({"robot": "cube", "surface_velocity": BELT}, "of a robot is by link"),
    ({"robot": "cube", "surface_velocity": {"track": BELT}}, "surface_velocity: .*track"),
    ({"robot": "pendulum", "surface_velocity": {"*": BELT}}, "has no collision shape"),
    (plate(surface_velocity={"up": BELT}), "a box has no face 'up'"),
    ({"shape": CUBE, "motion": {}}, "motion needs fixed = true"),
    (plate(motion={"waypoints": WAY[::-1]}), "time must increase, 0 s follows 0.1 s"),
    (plate(motion={"waypoints": WAY[:1]}), "waypoints needs at least two rows"),
    (plate(motion={"waypoints": WAY, "after": "repeat"}), "repeat needs a last row with the pose"),
    (plate(motion={"velocity": [math.nan, 0.0, 0.0]}), "motion.velocity.*finite"),
    (plate(motion={"waypoints": WAY, "velocity": BELT}), "takes one of: waypoints, file, function"),
    (plate(motion={"waypoints": WAY}, base_position=LOW), "motion gives the poses instead"),
    (plate(motion={"after": "repeat"}), "no effect without waypoints or a file"),
    (plate(surface_velocity={"top": [1.0, 0.0, 0.5]}), "top must lie in its face: its z must be 0"),
    ({"shape": BALL, "surface_velocity": {"top": BELT}}, "surface_velocity by face is for boxes"),
    (plate(motion={"function": "math:nothing"}), "motion.function: math:nothing"),
    (plate(motion={"function": "math:sqrt"}), "returned 0.0 at 0 s, expected six finite numbers"),
)
PUSH = {"body": "other", "link": "object", "force": BELT}
ELSEWHERE = (
    ({"simulator": {"plugin": "mujoco"}}, 'bodies.other.motion: simulator "mujoco" does not'),
    ({"contact": {"plugin": "gauss"}}, 'contact "gauss" cannot do moving ground'),
    ({"pushes": [PUSH]}, "the motion of other is prescribed"),
    ({"collisions": {"detect": False}}, "other.motion: needs detected contacts"),
)


@each("table, told", BAD)
def test_motions_that_cannot_be_are_refused_in_a_line(table, told):
    with pytest.raises(FootfallError, match=told) as caught:
        load({"other": table})
    assert "\n" not in str(caught.value)


@each("settings, told", ELSEWHERE)
def test_what_cannot_move_them_is_refused(settings, told):
    with pytest.raises(FootfallError, match=told):
        load({"other": plate(motion={})}, **settings)


def test_functions_and_hands_that_cannot_move_a_body_are_refused():
    sim = load({"tray": plate(motion={"velocity": BELT})})
    for call, told in (
        (lambda: sim.grab("tray/object"), "it cannot move"),
        (lambda: sim.push("tray/object", force=BELT), "the motion of tray is prescribed"),
        (lambda: sim.set_motion("cube", None), "'cube' has no motion .*tray"),
        (sim.step, "returned .* at 0.001 s, expected six"),
    ):
        with pytest.raises(FootfallError, match=told):
            call()
        sim.set_motion("tray", lambda t: [0.0] * 5)


def test_a_motion_that_jumps_is_told_with_name_time_and_speed():
    rows = [*WAY, [0.101, 9.2, 0, 1, 0, 0, 0]]
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.1 s: at 9e\+03 m/s"):
        load({"tray": plate(motion={"waypoints": rows})})
    sim = load({"tray": plate(motion={})})
    sim.set_motion("tray", lambda t: (9.0 * (t > 0.0105), 0.0, 0.05, 0.0, 0.0, 0.0))
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.01 s: at 9e\+03 m/s") as told:
        steps(sim, 20)
    assert len(told) == 1


def test_a_turn_that_jumps_is_told_of_rows_functions_and_hands():
    rows = [*WAY, [0.101, 0.2, 0, 1, 0, 0, 2.0]]
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.1 s: at 2e\+03 rad/s it turns"):
        load({"tray": plate(motion={"waypoints": rows})})
    sim = load({"tray": plate(motion={})})
    sim.set_motion("tray", lambda t: (0.0, 0.0, 0.05, 0.0, 0.0, 2.0 * (t > 0.0105)))
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0.01 s: at 2e\+03 rad/s") as told:
        steps(sim, 20)
    assert len(told) == 1
    sim = load({"tray": plate(motion={})})
    grip = sim.grab("tray/object", (0.5, 0.0, 0.0))
    grip.move([9.5, 0.0, 0.05])
    with pytest.warns(RobotWarning, match=r"of tray jumps at t = 0 s: at 9e\+03 m/s"):
        sim.step()


def test_bodies_that_meet_in_a_later_turn_of_a_motion_and_a_second_pair_are_told():
    """The first goes to and fro in 0.5 s; two others get in its way in later turns."""
    near, far = [-3.0, 0.0, 0.05, 0.0, 0.0, 0.0], [-2.5, 0.0, 0.05, 0.0, 0.0, 0.0]
    rows = [[0.0, *near], [0.25, *far], [0.5, *near]]
    again = {"waypoints": rows, "after": "repeat"}
    late = [
        [0.0, 0.0, 9.0, 0.05, 0, 0, 0],
        [0.6, 0, 9.0, 0.05, 0, 0, 0],
        [0.7, -1, 0, 0.05, 0, 0, 0],
    ]
    bodies = {"one": plate(motion=again), "two": plate(motion={"waypoints": late})}
    third = {"motion": {"velocity": BELT}, "base_position": [-6.0, 0.0, 0.05]}
    bodies["three"] = plate(**third)
    with pytest.warns(RobotWarning, match="meet at t =") as told:
        load(bodies)
    found = sorted(str(each.message).split(" meet")[0] for each in told)
    assert found == ["one and three", "one and two"]


def test_two_prescribed_bodies_that_meet_are_told_once():
    one = plate(motion={"velocity": BELT}, base_position=[-3.0, 0.0, 0.05])
    with pytest.warns(RobotWarning, match=r"one and other meet at t = 1.00781 s") as told:
        sim = load({"one": one, "other": plate()})
    assert len(told) == 1
    steps(sim, 1100)
    assert not wrench(sim, "one").any()
