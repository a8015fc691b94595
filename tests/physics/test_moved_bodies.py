"""Bodies that others move: paddles, trays, turntables, elevators, belts and tracks."""

import math

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import steps

import footfall
from footfall import assemble, scene_from_dict

DT, G, MU, M = 1e-3, 9.81, 0.4, 2.0
CUBE = {"type": "box", "size": [0.2, 0.2, 0.2]}
PLATE = {"type": "box", "size": [2.0, 2.0, 0.1]}
BALL = {"type": "sphere", "radius": 0.1}
LOW = [0.0, 0.0, 0.05]
SCENE = """
[bodies.cube]
shape = {type = "box", size = [0.2, 0.2, 0.2]}
base_position = [0.0, 0.0, 0.2]
friction = 0.5
[bodies.tray]
shape = {type = "box", size = [2.0, 2.0, 0.1]}
base_position = [0.0, 0.0, 0.05]
fixed = true
motion = {velocity = [0.2, 0.0, 0.0], angular_velocity = [0.0, 0.0, 1.0]}
surface_velocity = {top = [0.1, 0.0, 0.0]}
"""


def cube(*place, **more):
    """Return the table of a body of 2 kg."""
    return {"shape": CUBE, "mass": M, "friction": MU, "base_position": [*place]} | more


def plate(**more):
    """Return the table of a fixed plate, whose top is at 0.1 m."""
    rows = {"waypoints", "file", "function"} & set(more.get("motion", ()))
    place = {} if rows else {"base_position": LOW}
    return {"shape": PLATE, "fixed": True, "friction": MU} | place | more


def load(bodies, **more):
    """Return a simulator of a plate's scene, with a cube on it unless ``bodies`` has one."""
    scene = {
        "simulation": {"time_step": DT, "duration": 2.0},
        "world": {"terrain": {"plugin": "plane", "friction": MU}},
        "bodies": {"cube": cube(0.0, 0.0, 0.2)} | bodies,
    }
    return assemble(scene_from_dict(scene | more))


def lifted(path):
    """Return a simulator of a plate that moves by ``path(time)``."""
    sim = load({"plate": plate(motion={})})
    sim.set_motion("plate", lambda t: (*path(t), 0.0, 0.0, 0.0))
    return sim


def velocity(sim, body="cube"):
    return sim.signal("base_velocity")[sim.world.index(body)]


def wrench(sim, body):
    return sim.signal("collision_wrench")[sim.world.index(body)]


def unexplained(sim):
    """Return the energy at the end of the last step less work, losses and integration error."""
    sim.look()
    had = float(sim.signal("kinetic_energy") + sim.signal("potential_energy"))
    gone = float(sim.signal("dissipated_energy") - sim.signal("integration_energy_error"))
    return had + gone - float(sim.signal("work"))


@each("faces", [False, True])
def test_a_conveyor_takes_a_box_along(faces):
    """``v = mu g t`` up to the belt's speed; it slips v^2 / (2 mu g) behind the belt."""
    speed, belt = 1.0, [1.0, 0.0, 0.0]
    sim = load({"belt": plate(surface_velocity={"top": belt} if faces else belt)})
    reached, start = speed / (MU * G), unexplained(sim)
    while sim.time < reached + 0.1:
        now = sim.time
        sim.step()
        assert velocity(sim)[0] == pytest.approx(min(MU * G * now, speed), abs=1e-9)
    behind = speed * sim.time - sim.q[0]
    assert behind == pytest.approx(speed**2 / (2.0 * MU * G), abs=speed * DT)
    assert float(sim.signal("work")) == pytest.approx(M * speed**2, abs=1e-9)
    assert unexplained(sim) == pytest.approx(start, abs=1e-9)


@each("share", [0.9, 1.1])
def test_a_box_sticks_to_an_accelerated_tray_below_mu_g(share):
    a = share * MU * G
    sim = lifted(lambda t: (0.5 * a * t * t, 0.0, 0.05))
    steps(sim, 300)
    tray = 0.5 * a * sim.time**2
    assert sim.q[sim.world.q_slice(1).start] == pytest.approx(tray, abs=1e-12)
    slipped = max(0.0, 0.5 * (a - MU * G) * sim.time**2)
    assert tray - sim.q[0] == pytest.approx(slipped, abs=a * DT * sim.time)
    assert wrench(sim, "plate")[0] == pytest.approx(-M * min(a, MU * G), rel=1e-6)


@each("scheme", ["semi_implicit_euler", "moreau_midpoint"])
def test_a_paddle_pushes_a_box_at_its_speed(scheme):
    speed, rows = 0.3, [[t, -0.3 + 0.3 * t, 0.0, 0.2, 0.0, 0.0, 0.0] for t in (0.0, 10.0)]
    paddle = {"shape": CUBE, "fixed": True, "friction": 0.0, "motion": {"waypoints": rows}}
    bodies, smooth = (
        {"cube": cube(0.0, 0.0, 0.1), "paddle": paddle},
        {"cube/paddle": {"friction": 0}},
    )
    sim = load(bodies, pairs=smooth, integrator={"plugin": scheme})
    start = unexplained(sim)
    steps(sim, 1000)
    assert velocity(sim)[0] == pytest.approx(speed, abs=1e-9)
    assert wrench(sim, "cube")[0] == pytest.approx(MU * M * G, rel=1e-6)
    assert wrench(sim, "paddle")[0] == pytest.approx(-MU * M * G, rel=1e-6)
    assert unexplained(sim) == pytest.approx(start, abs=1e-9)


@each("share", [0.95, 1.05])
def test_a_turntable_carries_a_puck_until_it_is_too_fast(share):
    """It slips where ``omega^2 r > mu g``; below, it follows to rounding."""
    r = 0.5
    omega = math.sqrt(share * MU * G / r)
    turning = {"base_linear_velocity": [0, omega * r, 0], "base_angular_velocity": [0, 0, omega]}
    puck = cube(r, 0.0, 0.12, shape={"type": "cylinder", "radius": 0.05, "length": 0.04}, **turning)
    sim = load({"cube": puck, "table": plate(motion={"angular_velocity": [0, 0, omega]})})
    steps(sim, 400)
    radius = math.hypot(sim.q[0], sim.q[1])
    if share < 1.0:
        assert radius == pytest.approx(r, abs=1e-9)
        assert math.atan2(sim.q[1], sim.q[0]) == pytest.approx(omega * sim.time, abs=1e-9)
    else:
        assert radius > r + 0.005


@each("a", [2.0, -3.0])
def test_an_elevators_normal_force_is_m_times_g_plus_a(a):
    sim = lifted(lambda t: (0.0, 0.0, 0.05 + 0.5 * a * t * t))
    start = unexplained(sim)
    steps(sim, 200)
    assert wrench(sim, "cube")[2] == pytest.approx(M * (G + a), rel=1e-9)
    assert wrench(sim, "plate")[2] == pytest.approx(-M * (G + a), rel=1e-9)
    assert unexplained(sim) == pytest.approx(start, abs=1e-9)


@each("ground", ["points", "shapes"])
def test_a_tracked_vehicle_drives_by_its_surface(ground):
    """Its track moves backwards at the bottom: it accelerates with mu g to that speed."""
    tracks = {"bottom": [-1.0, 0.0, 0.0], "top": [1.0, 0.0, 0.0]}
    vehicle = cube(0.0, 0.0, 0.1, surface_velocity=tracks)
    sim = load({"cube": vehicle}, collisions={"ground": ground})
    start = unexplained(sim)
    steps(sim, 101)
    assert velocity(sim)[0] == pytest.approx(MU * G * 0.1, rel=1e-9)
    steps(sim, 400)
    assert velocity(sim)[0] == pytest.approx(1.0, abs=1e-9)
    assert unexplained(sim) == pytest.approx(start, abs=1e-9)


TRACKS = """<robot name="tank"><link name="hull"><inertial><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>{}</robot>"""
TRACK = """<link name="{0}_track"><inertial><mass value="0.5"/>
<inertia ixx="0.001" iyy="0.005" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.05 0.1"/></geometry></collision></link>
<joint name="{0}" type="revolute"><parent link="hull"/><child link="{0}_track"/>
<origin xyz="0 {1} 0"/><axis xyz="0 1 0"/><limit lower="0" upper="0" effort="1" velocity="1"/>
</joint>"""


@each(("left", "right"), [(-0.5, -0.5), (-0.5, 0.5)])
def test_tracks_of_a_robot_drive_and_turn_it(tmp_path, left, right):
    """Both back: forwards with mu g to that speed. One back, one ahead: it turns on the spot."""
    links = TRACK.format("left", 0.2) + TRACK.format("right", -0.2)
    (tmp_path / "tank.urdf").write_text(TRACKS.format(links))
    tracks = {"left_*": [left, 0.0, 0.0], "right_track": [right, 0.0, 0.0]}
    tank = {"robot": str(tmp_path / "tank.urdf"), "friction": MU, "surface_velocity": tracks}
    tank |= {"base": "floating", "base_position": [0.0, 0.0, 0.05]}
    sim = load({"cube": tank}, collisions={"ground": "shapes"})
    steps(sim, 51)
    if left == right:
        assert velocity(sim)[0] == pytest.approx(MU * G * 0.05, rel=1e-6)
    steps(sim, 700)
    ahead, turning = velocity(sim)[0], velocity(sim)[5]
    if left == right:
        assert (ahead, turning) == pytest.approx((0.5, 0.0), abs=1e-9)
    else:
        assert ahead == pytest.approx(0.0, abs=1e-3)
        assert 0.5 < -turning < 0.5 / 0.2  # to the right; ends of tracks scrub sideways


def test_a_bat_returns_a_ball_with_restitution():
    """``v+ = V + e (V - v)`` for a bat of speed V that turns about the line of impact."""
    ball = cube(0.5, 0.0, 1.0, shape=BALL, friction=0.0, restitution=0.5)
    motion = {"velocity": [1.5, 0.0, 0.0], "angular_velocity": [0.7, 0.0, 0.0]}
    bat = plate(shape=CUBE, friction=0.0, base_position=[-0.3, 0.0, 1.0], motion=motion)
    bodies = {"cube": ball | {"base_linear_velocity": [-2.0, 0.0, 0.0]}, "bat": bat}
    sim = load(bodies, world={"gravity": [0, 0, 0]}, impact={"plugin": "restitution"})
    start = unexplained(sim)
    steps(sim, 300)
    assert velocity(sim)[0] == pytest.approx(1.5 + 0.5 * 3.5, abs=1e-9)
    assert unexplained(sim) == pytest.approx(start, abs=1e-9)


def test_rows_are_followed_between_two_rests(tmp_path):
    """Linear from row to row, also in the angle; a spline that repeats has no jump of velocity."""
    rows = np.array([[0.1, 1.0, 0.0], [0.3, 3.0, 2.0], [0.5, 2.0, 4.0]])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="time,x,yaw", comments="")
    way = [[0.0, 0, 0, 1, 0, 0, 0], [0.1, 0.2, 0, 1, 0, 0, 0.3], [0.2, 0, 0, 1, 0, 0, 0]]
    motions = {"file": str(tmp_path / "rows.csv")}, {"waypoints": way, "interpolation": "cubic"}
    one, two = plate(motion=motions[0]), plate(motion=motions[1] | {"after": "repeat"})
    sim, seen = load({"one": one, "two": two}, collisions={"ignore": [["one", "two"]]}), []
    for _ in range(600):
        sim.step()
        seen.append(np.copy(sim.q[7:]))
    (x, yaw, w, place), time = np.array(seen)[:, [0, 5, 6, 7]].T, DT * np.arange(1, 601)
    np.testing.assert_allclose(x, np.interp(time, *rows.T[:2]), atol=1e-12)
    turn = np.exp(0.5j * np.interp(time, *rows.T[::2]))
    np.testing.assert_allclose((w + 1j * yaw) ** 2, turn**2, atol=1e-11)
    np.testing.assert_allclose([place[99], place[199]], [0.2, 0.0], atol=1e-9)
    np.testing.assert_allclose(place[:400], place[200:], atol=1e-9)
    # Cubics at rest at both ends: the greatest acceleration is 6 d / T^2.
    assert abs(np.diff(place, 2)).max() / DT**2 == pytest.approx(6.0 * 0.2 / 0.1**2, rel=0.03)


def test_a_saved_state_and_a_batch_go_on_alike(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE)
    sim, again, run = footfall.load(scene), footfall.load(scene), footfall.Batch(scene, 2)
    steps(sim, 50)
    sim.save(tmp_path / "state")
    again.resume(tmp_path / "state")
    steps(sim, 50)
    steps(again, 50)
    run.step(substeps=100)
    np.testing.assert_array_equal(sim.q, again.q)
    np.testing.assert_array_equal(run.q[1], sim.q)


def test_a_hand_carries_a_body_that_only_hands_move():
    """It follows the hand to rounding, turns about the held point, and stays where it is left."""
    sim = load({"tray": plate(motion={})})
    grip = sim.grab("tray/object", (0.5, 0.0, 0.0), footfall.Springs(rotational_stiffness=1.0))
    start, at = grip.target.copy(), sim.world.q_slice(1)
    for k in range(1, 301):
        c, s = math.cos(1e-3 * k), math.sin(1e-3 * k)
        grip.move(start + np.array([0, 0, 2e-4 * k]), rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])
        sim.step()
    np.testing.assert_allclose(sim.q[at][:3] - start, [-0.5 * c, -0.5 * s, 0.06], atol=1e-9)
    assert wrench(sim, "tray")[2] == pytest.approx(-M * G, rel=1e-6)
    grip.release()
    left = sim.q[at].copy()
    steps(sim, 100)
    np.testing.assert_allclose(sim.q[at], left, atol=1e-12)
