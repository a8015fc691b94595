"""Bodies that others move: paddles, trays, turntables, elevators, belts and tracks."""

import math

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall import assemble, scene_from_dict

DT, G, MU, M = 1e-3, 9.81, 0.4, 2.0
CUBE = {"type": "box", "size": [0.2, 0.2, 0.2]}
LOW = [0.0, 0.0, 0.05]
PLATE = {"type": "box", "size": [2.0, 2.0, 0.1]}
BALL = {"type": "sphere", "radius": 0.1}
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


def tables(bodies, ground=MU, **more):
    """Return the tables of a scene: a cube of 2 kg on something, or what ``bodies`` says."""
    cube = {"shape": CUBE, "mass": M, "base_position": [0.0, 0.0, 0.2], "friction": MU}
    return {
        "simulation": {"time_step": DT, "duration": 2.0},
        "world": {"terrain": {"plugin": "plane", "friction": ground}},
        "bodies": {"cube": cube} | bodies,
    } | more


def plate(**more):
    """Return the table of a plate whose top is at 0.1 m."""
    place = {} if "motion" in more else {"base_position": LOW}
    return {"shape": PLATE, "fixed": True, "friction": MU} | place | more


def load(bodies, ground=MU, **more):
    return assemble(scene_from_dict(tables(bodies, ground, **more)))


def velocity(sim, body="cube"):
    return sim.signal("base_velocity")[sim.world.index(body)]


def wrench(sim, body):
    return sim.signal("collision_wrench")[sim.world.index(body)]


def closes(sim, before=0.0):
    """Whether energy at the end of the last step is the work done less what was taken."""
    sim.look()
    had = sum(float(sim.signal(name)) for name in ("kinetic_energy", "potential_energy"))
    got = float(sim.signal("work") - sim.signal("dissipated_energy"))
    return had - got - float(sim.signal("integration_energy_error")) == pytest.approx(
        before, abs=1e-9
    )


def energy(sim):
    return float(sim.signal("kinetic_energy") + sim.signal("potential_energy"))


@each("faces", [False, True])
def test_a_conveyor_takes_a_box_along(faces):
    """``v = mu g t`` up to the belt's speed; it slips v^2 / (2 mu g) behind the belt."""
    speed, belt = 1.0, [1.0, 0.0, 0.0]
    sim = load({"belt": plate(surface_velocity={"top": belt} if faces else belt)})
    reached, start = speed / (MU * G), energy(sim)
    while sim.time < reached + 0.1:
        now = sim.time
        sim.step()
        assert velocity(sim)[0] == pytest.approx(min(MU * G * now, speed), abs=1e-9)
    behind = speed * sim.time - sim.q[0]
    assert behind == pytest.approx(speed**2 / (2.0 * MU * G), abs=speed * DT)
    assert float(sim.signal("work")) == pytest.approx(M * speed**2, abs=1e-9)
    assert closes(sim, start)


@each("scheme", ["semi_implicit_euler", "moreau_midpoint"])
@each("share", [0.9, 1.1])
def test_a_box_sticks_to_an_accelerated_tray_below_mu_g(scheme, share):
    a = share * MU * G
    sim = load({"tray": plate(motion={}, base_position=LOW)}, integrator={"plugin": scheme})
    sim.set_motion("tray", lambda t: (0.5 * a * t * t, 0.0, 0.05, 0.0, 0.0, 0.0))
    for _ in range(300):
        sim.step()
    assert sim.q[sim.world.q_slice(1).start] == pytest.approx(0.5 * a * sim.time**2, abs=1e-12)
    slipped = 0.5 * a * sim.time**2 - sim.q[0]
    # The first step starts from rest: half a step less of the tray's acceleration.
    expected = max(0.0, 0.5 * (a - MU * G) * sim.time**2)
    assert slipped == pytest.approx(expected, abs=a * DT * sim.time)
    assert wrench(sim, "tray")[0] == pytest.approx(-M * min(a, MU * G), rel=1e-6)


def test_a_paddle_pushes_a_box_at_its_speed():
    speed = 0.3
    rows = [
        [0.0, -0.3, 0.0, 0.2, 0.0, 0.0, 0.0],
        [10.0, -0.3 + 10 * speed, 0.0, 0.2, 0.0, 0.0, 0.0],
    ]
    paddle = {"shape": CUBE, "fixed": True, "friction": 0.0, "motion": {"waypoints": rows}}
    cube = tables({})["bodies"]["cube"] | {"base_position": [0.0, 0.0, 0.1]}
    sim = load({"cube": cube, "paddle": paddle}, pairs={"cube/paddle": {"friction": 0.0}})
    start = energy(sim)
    for _ in range(1000):
        sim.step()
    assert velocity(sim)[0] == pytest.approx(speed, abs=1e-9)
    assert velocity(sim, "paddle")[0] == pytest.approx(speed, abs=1e-12)
    assert wrench(sim, "paddle")[0] == pytest.approx(-MU * M * G, rel=1e-6)
    assert wrench(sim, "cube")[0] == pytest.approx(MU * M * G, rel=1e-6)
    assert closes(sim, start)


@each("share", [0.95, 1.05])
def test_a_turntable_carries_a_puck_until_it_is_too_fast(share):
    """It slips where ``omega^2 r > mu g``; below, it follows to rounding."""
    r = 0.5
    omega = math.sqrt(share * MU * G / r)
    puck = {
        "shape": {"type": "cylinder", "radius": 0.05, "length": 0.04},
        "mass": M,
        "friction": MU,
        "base_position": [r, 0.0, 0.12],
        "base_linear_velocity": [0.0, omega * r, 0.0],
        "base_angular_velocity": [0.0, 0.0, omega],
    }
    sim = load(
        {
            "cube": puck,
            "table": plate(motion={"angular_velocity": [0.0, 0.0, omega]}, base_position=LOW),
        }
    )
    for _ in range(400):
        sim.step()
    radius = math.hypot(sim.q[0], sim.q[1])
    if share < 1.0:
        assert radius == pytest.approx(r, abs=1e-9)
        assert math.atan2(sim.q[1], sim.q[0]) == pytest.approx(omega * sim.time, abs=1e-9)
    else:
        assert radius > r + 0.005


@each("a", [2.0, -3.0])
def test_an_elevators_normal_force_is_m_times_g_plus_a(a):
    sim = load({"lift": plate(motion={}, base_position=LOW)})
    sim.set_motion("lift", lambda t: (0.0, 0.0, 0.05 + 0.5 * a * t * t, 0.0, 0.0, 0.0))
    start = energy(sim)
    for _ in range(200):
        sim.step()
    assert wrench(sim, "cube")[2] == pytest.approx(M * (G + a), rel=1e-9)
    assert wrench(sim, "lift")[2] == pytest.approx(-M * (G + a), rel=1e-9)
    assert closes(sim, start)


@each("ground", ["points", "shapes"])
def test_a_tracked_vehicle_drives_by_its_surface(ground):
    """Its track moves backwards at the bottom: it accelerates with mu g to that speed."""
    cube = tables({})["bodies"]["cube"] | {
        "base_position": [0.0, 0.0, 0.1],
        "surface_velocity": {"bottom": [-1.0, 0.0, 0.0], "top": [1.0, 0.0, 0.0]},
    }
    sim = load({"cube": cube}, collisions={"ground": ground})
    for _ in range(100):
        sim.step()
    sim.look()
    assert velocity(sim)[0] == pytest.approx(MU * G * 0.1, rel=1e-2)
    for _ in range(400):
        sim.step()
    assert velocity(sim)[0] == pytest.approx(1.0, abs=1e-6)
    assert closes(sim, M * G * 0.1)


def test_a_bat_returns_a_ball_with_restitution():
    """``v+ = V + e (V - v)`` for a bat of speed V; the work of the bat closes the ledger."""
    ball = {
        "shape": BALL,
        "mass": M,
        "friction": 0.0,
        "restitution": 0.5,
        "base_position": [0.5, 0.0, 1.0],
        "base_linear_velocity": [-2.0, 0.0, 0.0],
    }
    bat = {"shape": CUBE, "fixed": True, "friction": 0.0, "base_position": [-0.3, 0.0, 1.0]}
    bat |= {"motion": {"velocity": [1.5, 0.0, 0.0], "angular_velocity": [0.7, 0.0, 0.0]}}
    world = {"gravity": [0.0, 0.0, 0.0], "terrain": {"plugin": "plane", "friction": 0.0}}
    sim = load({"cube": ball, "bat": bat}, world=world, impact={"plugin": "restitution"})
    start = energy(sim)
    for _ in range(300):
        sim.step()
    assert velocity(sim)[0] == pytest.approx(1.5 + 0.5 * 3.5, abs=1e-9)
    assert closes(sim, start)


def test_a_motion_of_rows_follows_them(tmp_path):
    """Linear between rows, at rest outside of them; a turn of more than half is one by the rows."""
    file = tmp_path / "rows.csv"
    file.write_text("time,x,yaw\n0.1,1.0,0.0\n0.3,3.0,2.0\n0.5,2.0,4.0\n")
    sim = load({"tray": plate(motion={"file": str(file)})})
    at, x, yaw = sim.world.q_slice(1).start, [], []
    for _ in range(600):
        sim.step()
        x.append(sim.q[at])
        yaw.append(2.0 * math.atan2(sim.q[at + 5], sim.q[at + 6]))
    time = DT * np.arange(1, 601)
    np.testing.assert_allclose(x, np.interp(time, [0.1, 0.3, 0.5], [1.0, 3.0, 2.0]), atol=1e-12)
    wanted = np.interp(time, [0.1, 0.3, 0.5], [0.0, 2.0, 4.0])
    np.testing.assert_allclose(np.exp(1j * np.array(yaw)), np.exp(1j * wanted), atol=1e-11)


def test_a_cubic_motion_repeats():
    rows = [[0.0, 0, 0, 1, 0, 0, 0], [0.1, 0.2, 0, 1, 0, 0, 0.3], [0.2, 0, 0, 1, 0, 0, 0]]
    motion = {"waypoints": rows, "interpolation": "cubic", "after": "repeat"}
    sim = load({"tray": plate(motion=motion)})
    at, seen = sim.world.q_slice(1), []
    for _ in range(400):
        sim.step()
        seen.append(sim.q[at].copy())
    np.testing.assert_allclose(seen[99][[0, 5]], [0.2, math.sin(0.15)], atol=1e-9)
    np.testing.assert_allclose(seen[:200], seen[200:], atol=1e-9)
    # Cubics at rest at both ends: the greatest acceleration is 6 d / T^2, and no velocity jumps.
    bend = abs(np.diff([pose[0] for pose in seen], 2)).max() / DT**2
    assert bend == pytest.approx(6.0 * 0.2 / 0.1**2, rel=0.03)


def test_a_saved_state_and_a_batch_go_on_alike(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE)
    sim = footfall.load(scene)
    for _ in range(50):
        sim.step()
    sim.save(tmp_path / "state")
    again = footfall.load(scene)
    again.resume(tmp_path / "state")
    for each_one in (sim, again):
        for _ in range(50):
            each_one.step()
    np.testing.assert_array_equal(sim.q, again.q)
    run = footfall.Batch(scene, 2)
    run.step(substeps=100)
    np.testing.assert_array_equal(run.q[1], sim.q)


def test_a_hand_carries_a_body_that_only_hands_move():
    """It follows the hand to rounding, turns about the held point, and stays where it is left."""
    sim = load({"tray": plate(motion={}, base_position=LOW)})
    grip = sim.grab("tray/object", (0.5, 0.0, 0.0), footfall.Springs(rotational_stiffness=1.0))
    start, at = grip.target.copy(), sim.world.q_slice(1).start
    for k in range(300):
        a = 1e-3 * (k + 1)
        turn = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
        grip.move(start + np.array([0.0, 0.0, 2e-4 * (k + 1)]), rotation=turn)
        sim.step()
    np.testing.assert_allclose(
        sim.q[at : at + 3] - start, [-0.5 * math.cos(a), -0.5 * math.sin(a), 0.06], atol=1e-9
    )
    assert wrench(sim, "tray")[2] == pytest.approx(-M * G, rel=1e-6)
    grip.release()
    left = sim.q[at : at + 7].copy()
    for _ in range(100):
        sim.step()
    np.testing.assert_allclose(sim.q[at : at + 7], left, atol=1e-12)
