"""Torsional and rolling friction between bodies, at contacts that collision detection finds.

The cone is ``|(f_t / mu, m_n / b, m_r / c)| <= f_n``. Limits and times are closed forms.
"""

import numpy as np
import pytest
from tests.physics.composed import two_ends

import footfall
from footfall.errors import SceneError

G, R, MU, DT = 9.81, 0.1, 0.5, 1e-3
BALL = f'shape = {{ type = "sphere", radius = {R} }}\nmass = 1.0\nfriction = {MU}\n'
SLAB = f"""
[bodies.slab]
shape = {{ type = "box", size = [4.0, 1.0, 0.1] }}
fixed = true
friction = {MU}
base_position = [0.0, 0.0, -0.05]
"""


def world(tmp_path, bodies, gravity=G, **changes):
    """Load a scene of bodies that touch with their shapes alone; ``__`` in keys is a dot."""
    path = tmp_path / "scene.toml"
    path.write_text(
        f"[simulation]\nduration = 3.0\ntime_step = {DT}\n"
        f"[world]\ngravity = [0.0, 0.0, {-gravity}]\n"
        f'[world.terrain]\nfriction = {MU}\n[collisions]\nground = "shapes"\n{bodies}'
    )
    return footfall.load(path, {key.replace("__", "."): value for key, value in changes.items()})


def velocities(run, body=0):
    shape = len(run.time), -1, 6
    return run.base_velocity.values.reshape(shape)[:, body]


def on_slab(tmp_path, height=R, spin=0.0, speed=0.0, **changes):
    ball = (
        f"{SLAB}[bodies.ball]\n{BALL}base_position = [0.0, 0.0, {height}]\n"
        f"base_linear_velocity = [{speed}, 0.0, 0.0]\n"
        f"base_angular_velocity = [0.0, {speed / R}, {spin}]\n"
    )
    return world(tmp_path, ball, **changes)


@pytest.mark.parametrize("side", ["bodies.ball", "bodies.slab", 'pairs."ball/slab"'])
def test_a_ball_spinning_on_a_box_stops_after_2_r2_omega_over_5_g_b(tmp_path, side):
    b = 0.002
    sim = on_slab(tmp_path, spin=10.0, **{f"{side}.torsional_friction": b})
    run = sim.run(2.3)
    spin, stops = velocities(run)[:, 5], 2.0 * R**2 * 10.0 / (5.0 * G * b)
    assert run.time.values[np.argmax(spin < 1e-9)] == pytest.approx(stops, abs=DT)
    assert np.allclose(np.diff(spin)[:100] / DT, -5.0 * G * b / (2.0 * R**2), rtol=1e-9)
    assert float(run.residual_natural_map.max()) < 1e-9
    assert float(run.dissipated_energy[-1]) == pytest.approx(0.5 * 0.4 * R**2 * 100.0, rel=1e-9)


def test_as_many_balls_as_one_slow_as_one(tmp_path):
    """Eight balls on a box and the ground: more rows than are written as a whole matrix."""
    b, names = 0.002, [f"ball{k}" for k in range(8)]
    balls = (
        f"[bodies.{name}]\n{BALL}torsional_friction = {b}\n"
        f"base_position = [{0.4 * k - 1.4}, 0.0, {R}]\nbase_angular_velocity = [0.0, 0.0, 10.0]\n"
        for k, name in enumerate(names)
    )
    sim = world(tmp_path, SLAB + "".join(balls))
    run = sim.run(0.1)
    assert sim.stepper.problem.n_rows == 96
    for k in range(len(names)):
        spin = velocities(run, k)[:, 5]
        assert np.allclose(np.diff(spin) / DT, -5.0 * G * b / (2.0 * R**2), rtol=1e-9)


def test_a_ball_on_the_ground_by_its_shape_stops_as_one_with_a_point_does(tmp_path):
    ball = f"[bodies.ball]\n{BALL}base_position = [0.0, 0.0, {R}]\n"
    keys = {"bodies.ball.base_angular_velocity": [0.0, 0.0, 10.0]}
    run = world(tmp_path, ball, world__terrain__torsional_friction=0.002, **keys).run(0.2)
    slowed = np.diff(velocities(run)[:, 5]) / DT
    assert np.allclose(slowed, -5.0 * G * 0.002 / (2.0 * R**2), rtol=1e-9)


def test_a_ball_rolling_on_a_box_is_slowed_by_5_g_c_over_7_r(tmp_path):
    c = 0.001
    run = on_slab(tmp_path, speed=1.0, bodies__ball__rolling_friction=c).run(0.61)
    v = velocities(run)[:, 0]
    second = 2.0 * (c / (MU * R)) ** 2 + c / R
    assert (v[200] - v[600]) / 0.4 == pytest.approx(5.0 * G * c / (7.0 * R), rel=second)


def test_what_one_body_loses_the_other_gains(tmp_path):
    """Of two balls one above the other the upper one spins: b m g acts until they spin alike."""
    b = 0.002
    bodies = (
        f"[bodies.below]\n{BALL}base_position = [0.0, 0.0, {R}]\n"
        f"[bodies.on_top]\n{BALL}base_position = [0.0, 0.0, {3.0 * R}]\n"
        "base_angular_velocity = [0.0, 0.0, 5.0]\n"
    )
    pair = {'pairs__"below/on_top"__torsional_friction': b}
    run = world(tmp_path, bodies, **pair).run(1.0)
    below, above = (velocities(run, k)[:, 5] for k in (0, 1))
    assert np.allclose(below + above, 5.0, atol=1e-9)
    alike = 0.5 * 5.0 * 0.4 * R**2 / (b * G)
    assert run.time.values[np.argmax(above - below < 1e-9)] == pytest.approx(alike, abs=DT)
    assert above[-1] == pytest.approx(2.5, rel=1e-9)


def gripper(tmp_path, moment):
    """Write a robot whose two round fingertips press on a box along x, which a moment turns."""
    arms = "".join(
        f"""
        <link name="{side}">
          <inertial><mass value="0.2"/><origin xyz="0 0 0"/>
            <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><sphere radius="0.02"/></geometry></collision>
        </link>
        <joint name="{side}_slide" type="prismatic">
          <parent link="palm"/><child link="{side}"/><axis xyz="1 0 0"/>
          <origin xyz="{at} 0 0"/><limit lower="-1" upper="1" effort="100" velocity="10"/>
        </joint>"""
        for side, at in (("left", -0.07), ("right", 0.07))
    )
    palm = (
        '<link name="palm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
    )
    (tmp_path / "gripper.urdf").write_text(f'<robot name="gripper">{palm}{arms}</robot>')
    return f"""
[bodies.gripper]
robot = "gripper.urdf"
base = "fixed"
friction = 0.5
base_position = [0.0, 0.0, 1.0]
[bodies.box]
shape = {{ type = "box", size = [0.1, 0.06, 0.06] }}
mass = 0.4
friction = 0.5
base_position = [0.0, 0.0, 1.0]
[[pushes]]
body = "gripper"
joint = "left_slide"
effort = 20.0
[[pushes]]
body = "gripper"
joint = "right_slide"
effort = -20.0
[[pushes]]
body = "box"
link = "object"
moment = [{moment}, 0.0, 0.0]
"""


@pytest.mark.parametrize("radius", [0.006, 0.012])
def test_a_grasped_box_turns_where_the_moment_exceeds_that_of_two_round_fingers(tmp_path, radius):
    """Flat round fingers of radius R under uniform pressure: ``b = 2/3 mu R``, 2 b F for two."""
    b, pressed, inertia = 2.0 / 3.0 * MU * radius, 20.0, 0.4 / 12.0 * 2.0 * 0.06**2
    limit, turned = 2.0 * b * pressed, []
    for part in (0.99, 1.01):
        length = {'pairs__"box/gripper"__torsional_friction': b}
        bodies = gripper(tmp_path, part * limit)
        run = world(tmp_path, bodies, 0.0, **length).run(0.5)
        turned.append(velocities(run, 1)[:, 3])
        assert float(run.residual_natural_map.max()) < 1e-9
    assert np.abs(turned[0]).max() < 1e-9
    rate = 0.01 * limit / inertia
    assert turned[1][-1] == pytest.approx(rate * run.time.values[-1], rel=1e-6)


def test_a_restored_run_goes_on_bit_for_bit(tmp_path):
    sim = on_slab(tmp_path, spin=10.0, speed=0.3, bodies__ball__rolling_friction=0.001)
    first, again = two_ends(sim)
    assert (first == again).all()


def test_moments_are_in_the_wrench_that_contacts_have_on_a_body(tmp_path):
    b = 0.002
    run = on_slab(tmp_path, spin=10.0, bodies__ball__torsional_friction=b).run(0.05)
    wrench = run.collision_wrench.values.reshape(len(run.time), -1, 6)[:, 0]
    assert np.allclose(wrench[1:], [0.0, 0.0, G, 0.0, 0.0, -b * G], atol=1e-9)


def test_a_length_of_what_touches_nothing_is_refused():
    lonely = {"bodies.rrbot.torsional_friction": 0.001}
    with pytest.raises(SceneError, match=r"torsional_friction: has no effect: rrbot declares no"):
        footfall.load("rrbot/swing", lonely)


def test_bodies_on_a_moving_ground_have_moments_with_each_other_alone(tmp_path):
    moving = {"world__terrain__plugin": "moving", "collisions__ground": "points"}
    keys = {'pairs__"below/on_top"__torsional_friction': 0.002}
    bodies = "".join(
        f"[bodies.{name}]\n{BALL}base_position = [0.0, 0.0, {z}]\n"
        for name, z in (("below", R), ("on_top", 3.0 * R))
    )
    world(tmp_path, bodies, **moving, **keys)
    ground = {"world__terrain__torsional_friction": 0.002}
    with pytest.raises(SceneError, match="moves, and its rotation is not known"):
        world(tmp_path, bodies, **moving, **ground)


@pytest.mark.long
def test_stacked_boxes_with_more_contacts_than_the_forces_need_are_solved(tmp_path):
    """Four points with moments each: 24 rows on 6 velocities of a box, one box set down turning."""
    bodies = "".join(
        f"""
[bodies.box{k}]
shape = {{ type = "box", size = [0.2, 0.2, 0.1] }}
mass = 1.0
friction = {MU}
torsional_friction = 0.01
rolling_friction = 0.005
base_position = [{0.01 * k}, 0.0, {0.05 + 0.1 * k}]
base_angular_velocity = [0.0, 0.0, {3.0 * k}]
"""
        for k in range(3)
    )
    run = world(tmp_path, bodies).run(0.4)
    assert float(run.residual_natural_map.max()) < 1e-9
    assert not run.solver_failures.values.any()
    assert np.abs(run.base_velocity.values[-1]).max() < 1e-6
