"""Friction by direction against closed forms: blocks, a skate, a mecanum base, a snake.

The cone is ``(f_1 / mu_1)^2 + (f_2 / mu_2)^2 <= f_n^2`` along and across an axis of the body; the
slip of maximum dissipation is along its normal: ``f_i = -f_n mu_i^2 u_i / |(mu_1 u_1, mu_2 u_2)|``.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.physics.composed import flat_on, rotation_matrix

import footfall
from footfall.errors import SceneError, SimulationError
from footfall_gradients.derivatives import derivatives

G, DT = 9.81, 1e-3
MU, SPEED = (0.2, 0.6), (1.0, 0.5, 0.0)


def by(mu, axis=(1, 0, 0), angle=0.0):
    return {"along": mu[0], "across": mu[1], "axis": list(axis), "angle": angle}


def block(friction=None, *, v=(0.0, 0.0, 0.0), pull=(0.0, 0.0), body=(), bodies=(), **tables):
    """Return a flat block of 1 kg on level ground; ``pull``: gravity along it, over g."""
    size = {"type": "box", "size": [0.2, 0.2, 0.02]}
    box = {"shape": size, "mass": 1.0, "base_position": [0.0, 0.0, 0.01], "friction": friction}
    box |= {"base_linear_velocity": list(v), **dict(body)}
    box = {key: value for key, value in box.items() if value is not None}
    world = {"gravity": [G * pull[0], G * pull[1], -G], **tables.pop("world", {})}
    scene = {"world": world, "bodies": {"block": box, **dict(bodies)}, **tables}
    return footfall.assemble(footfall.scene_from_dict(scene))


def on_table(turn=0.0, of_block=None, of_table=None, pair=None):
    """Return a block that slides over a fixed table, which is turned about the vertical."""
    table = {"shape": {"type": "box", "size": [4.0, 4.0, 0.5]}, "fixed": True}
    table |= {"base_position": [0.0, 0.0, -0.25], "base_orientation": [0.0, 0.0, turn]}
    table |= {"friction": of_table} if of_table else {}
    tables = {"pairs": {"block/table": {"friction": by(MU), "axis_of": pair}}} if pair else {}
    world = {"terrain": {"offset": -1.0, "friction": 0.5}}
    return block(of_block, v=SPEED, bodies={"table": table}, world=world, **tables)


def error_of_sliding(sim, steps, mu=MU, turn=0.0):
    """Return the largest error of changes of velocity, by the closed form, implicit in the step."""
    mu, c, s, worst = np.array(mu), np.cos(turn), np.sin(turn), 0.0
    for _ in range(steps):
        before = sim.v[:2].copy()
        sim.step()
        u = np.array([[c, s], [-s, c]]) @ sim.v[:2]
        force = -(mu**2) * u / np.linalg.norm(mu * u)
        expected = DT * G * np.array([[c, -s], [s, c]]) @ force
        worst = max(worst, abs(sim.v[:2] - before - expected).max())
    return worst


@pytest.mark.parametrize("direction", [0.0, 0.4, 1.2, 2.5])
def test_a_block_on_an_incline_sticks_if_its_weight_is_inside_the_ellipse(direction):
    along, across = np.cos(direction), np.sin(direction)
    steepest = 1.0 / np.hypot(along / MU[0], across / MU[1])
    for part, sticks in ((0.999, True), (1.001, False)):
        sim = block(by(MU), pull=part * steepest * np.array([along, across]))
        run = sim.run(0.2)
        assert (np.linalg.norm(sim.v) < 1e-12) == sticks
        assert (run.contact_status.values[-1][:4] == (1 if sticks else 2)).all()


@pytest.mark.parametrize("v", [SPEED, (0.1, -1.0, 0.0), (-1.0, 0.0, 0.0)])
def test_a_sliding_block_slows_along_the_ellipse_normal(v):
    """An axis along the contact's normal has no direction: the smaller coefficient holds."""
    assert error_of_sliding(block(by(MU, (0, 0, 1)), v=v), 100, (MU[0], MU[0])) < 1e-10
    assert error_of_sliding(block(by(MU), v=v), 100) < 1e-10
    assert error_of_sliding(block(by(MU, angle=0.7), v=v), 100, turn=0.7) < 1e-10


@pytest.mark.parametrize(
    ("table", "mu", "turn"),
    [
        ({"of_block": by(MU)}, MU, 0.0),
        ({"of_table": by(MU), "turn": 0.3}, MU, 0.3),
        ({"of_block": by((0.9, 0.1)), "turn": 0.3, "pair": "block"}, MU, 0.0),
        ({"of_table": by((0.9, 0.1)), "turn": 0.3, "pair": "table"}, MU, 0.3),
        ({"of_table": by(MU, angle=0.3)}, MU, -0.3),
        ({"of_block": by(MU), "of_table": 0.4}, [2 * m * 0.4 / (m + 0.4) for m in MU], 0.0),
    ],
)
def test_detected_contacts_have_the_axis_of_the_body_that_carries_it(table, mu, turn):
    """The angle is about the normal into that body: downwards for the table."""
    assert error_of_sliding(on_table(**table), 50, mu, turn) < 1e-10


@pytest.mark.parametrize("law", ["coulomb", "bisection", "lcp", "ccp"])
def test_an_ideal_skate_glides_down_its_blade_alone(law):
    """No friction along the blade: it falls along it, and not at all to the side."""
    sim = block(by((0.0, 0.8)), v=(1.0, 0.0, 0.0), pull=(0.2, 0.3), contact={"plugin": law})
    sim.run(0.3)
    assert sim.v[0] == pytest.approx(1.0 + G * 0.2 * 0.3, rel=1e-9)
    np.testing.assert_allclose([sim.v[1], sim.q[1]], 0.0, atol=1e-9)


def test_a_skate_with_friction_drifts_as_the_flow_of_the_ellipse_says():
    """``u_2 / u_1 = (mu_1 / mu_2)^2 f_2 / f_1`` with the side force of the slope."""
    mu, side = (0.02, 0.8), 0.3
    sim = block(by(mu), v=(2.0, 0.0, 0.0), pull=(0.0, -side))
    sim.run(0.1)
    start = sim.v[0]
    sim.run(0.1)
    f1, f2 = mu[0] * np.sqrt(1.0 - (side / mu[1]) ** 2), side
    assert -sim.v[1] / sim.v[0] == pytest.approx((mu[0] / mu[1]) ** 2 * f2 / f1, rel=1e-3)
    assert sim.v[0] == pytest.approx(start - G * f1 * 0.1, rel=1e-5)


def test_equal_coefficients_are_isotropic_and_a_turned_axis_swaps_them():
    same = 0.5, by((0.5, 0.5), (0.3, 1.0, 0.2), 0.3)
    swapped = by(MU), by(MU[::-1], (0, 1, 0)), by(MU[::-1], angle=np.pi / 2)
    for group in (same, swapped):
        first, *others = [block(friction, v=SPEED) for friction in group]
        first.run(0.2)
        for other in others:
            other.run(0.2)
            np.testing.assert_allclose(other.q, first.q, atol=1e-12)
            np.testing.assert_allclose(other.v, first.v, atol=1e-12)


def test_a_turned_world_gives_the_same_motion():
    n = np.array([0.3, -0.5, 0.8])
    n /= np.linalg.norm(n)
    q = flat_on(n, yaw=0.9)
    R = rotation_matrix(q)
    pull, v, spin = np.array([0.1, 0.05, -1.0]), np.array([0.8, -0.5, 0.0]), [0.0, 0.0, 2.0]
    level = block(by(MU), v=v, pull=pull, body={"base_angular_velocity": spin})
    place = {
        "base_position": list(R @ level.q[:3]),
        "base_orientation": Rotation.from_quat(q).as_euler("xyz").tolist(),
        "base_angular_velocity": list(R @ spin),
    }
    world = {"gravity": list(G * R @ pull), "terrain": {"normal": n.tolist()}}
    tilted = block(by(MU), v=R @ v, body=place, world=world)
    for sim in (level, tilted):
        sim.run(0.2)
    assert np.abs(level.v).max() > 0.1
    np.testing.assert_allclose(tilted.v, level.v, atol=1e-9)
    np.testing.assert_allclose(R.T @ tilted.q[:3], level.q[:3], atol=1e-9)


def test_contacts_and_the_pair_with_the_ground_replace_the_body():
    contacts = {"*": {"friction": by(MU)}}
    assert error_of_sliding(block(0.9, v=SPEED, body={"contacts": contacts}), 20) < 1e-10
    for friction, mu in ((by(MU), MU), (0.3, (0.3, 0.3))):
        pair, ground = {"block/terrain": {"friction": friction}}, {"terrain": {"friction": 0.9}}
        sim = block(by((0.9, 0.1)), v=SPEED, world=ground, pairs=pair)
        assert error_of_sliding(sim, 20, mu) < 1e-10


@pytest.mark.parametrize("impact", ["dissipative", "restitution", "frictional"])
def test_tumbling_makes_no_energy(impact):
    body = {"base_position": [0.0, 0.0, 0.5], "base_angular_velocity": [3.0, 4.0, 5.0]}
    body["restitution"] = 0.0 if impact == "frictional" else 0.5
    run = block(by((0.05, 0.9)), v=(2.0, 1.0, 0.0), body=body, impact={"plugin": impact}).run(1.0)
    energy = (run.kinetic_energy + run.potential_energy).values
    assert energy[-1] < 0.5 * energy[0]
    assert np.diff(energy).max() < 1e-6
    assert int(run.impacts.sum()) > 3


def test_friction_moments_share_the_ellipsoid():
    """``(f_1/mu_1)^2 + (f_2/mu_2)^2 + (m_n/b)^2 = f_n^2`` while a ball slides and spins."""
    b, body = 0.02, {"shape": {"type": "sphere", "radius": 0.1}, "torsional_friction": 0.02}
    body |= {"base_position": [0.0, 0.0, 0.1], "base_angular_velocity": [0.0, 0.0, 9.0]}
    run = block(by(MU), v=(1.0, 0.8, 0.0), body=body).run(0.02)
    turned = rotation_matrix(run.base_quaternion.values[-1, 0])
    f, moment = run.contact_force.values[-1, 0], run.contact_moment.values[-1, 0, 2]
    axis = turned[:2, 0] / np.linalg.norm(turned[:2, 0])
    along, across = f[:2] @ axis, axis[0] * f[1] - axis[1] * f[0]
    total = (along / MU[0]) ** 2 + (across / MU[1]) ** 2 + (moment / b) ** 2
    assert total == pytest.approx(f[2] ** 2, rel=1e-6)
    assert run.residual_natural_map.max() < 1e-8


@each(
    ("tables", "told"),
    [
        ({"contact": {"plugin": "compliant"}}, 'contact "compliant" cannot do friction by direct'),
        ({"contact": {"plugin": "gauss"}}, 'contact "gauss" cannot do friction by direction'),
        ({"impact": {"plugin": "inelastic"}}, 'impact "inelastic" cannot do friction by direction'),
        ({"simulator": {"plugin": "mujoco"}}, "does not support friction by direction"),
        ({"pairs": {"block/terrain": {"friction": 0.5, "axis_of": "block"}}}, "has no effect"),
        ({"pairs": {"block/terrain": {"friction": by(MU), "axis_of": "x"}}}, "must be block: the"),
    ],
)
def test_what_cannot_be_done_is_refused(tables, told):
    with pytest.raises(SceneError, match=told) as refusal:
        block(by(MU), **tables)
    assert "\n" not in str(refusal.value)


def test_two_axes_at_one_contact_and_derivatives_are_refused():
    with pytest.raises(SceneError, match=r"both have friction by direction.*block/table"):
        on_table(of_block=by(MU), of_table=by(MU))
    sim = block(by(MU), v=SPEED, collisions={"detect": False})
    sim.step()
    assert not sim.tunables()
    with pytest.raises(SimulationError, match="friction by direction has none"):
        derivatives(sim)
    key = "bodies.box.friction"
    with pytest.raises(SimulationError, match="it changes the structure of the world"):
        footfall.Batch("box/slope", 2, overrides={key: by(MU)}).set(key, [0.1, 0.2])


def robot(folder, links, joints, features, height):
    """Return a robot on level ground: masses of links; parent, child, origin, axis of joints."""
    urdf = [
        f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{0.004 * mass}" '
        f'iyy="{0.004 * mass}" izz="{0.004 * mass}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, mass in links.items()
    ] + [
        f'<joint name="{child}" type="{"continuous" if axis else "fixed"}"><child link="{child}"/>'
        f'<parent link="{parent}"/><origin {place}/><axis xyz="{axis or "1 0 0"}"/></joint>'
        for parent, child, place, axis in joints
    ]
    (folder / "model.urdf").write_text(f'<robot name="r">{"".join(urdf)}</robot>')
    (folder / "robot.toml").write_text(f'[model]\nfile = "model.urdf"\n{features}')
    body = {"robot": str(folder / "robot.toml"), "base_position": [0.0, 0.0, height]}
    return footfall.assemble(footfall.scene_from_dict({"bodies": {"r": body}}))


def test_a_mecanum_base_drives_sideways(tmp_path):
    """Rollers hold along their axes, at 45 degrees to the axles: four-wheel kinematics.

    Each axle is the first axis of a frame that a fixed joint turns by 90 degrees.
    """
    radius, places = 0.1, np.array([(x, y) for x in (0.3, -0.3) for y in (0.2, -0.2)])
    angles = np.pi / 4.0 * np.sign(places.prod(axis=1))
    links = {"base": 10.0, **{f"w{k}": 1.0 for k in range(4)}, **{f"f{k}": 0.1 for k in range(4)}}
    joints = [("base", f"w{k}", f'xyz="{x} {y} 0"', "0 1 0") for k, (x, y) in enumerate(places)]
    joints += [(f"w{k}", f"f{k}", f'rpy="0 0 {np.pi / 2}"', "") for k in range(4)]
    features = "".join(
        f'[[contact_features]]\nframe = "f{k}"\nkind = "sphere"\nradius = {radius}\n'
        f"friction = {{along = 0.9, across = 0.0, axis = [1, 0, 0], angle = {angle}}}\n"
        for k, angle in enumerate(angles)
    )
    sim = robot(tmp_path, links, joints, features, radius)
    for _ in range(1000):
        sim.step(2.0 * (5.0 * np.sign(angles) - sim.v[6:]))
    roller = np.column_stack([-np.sin(angles), np.cos(angles)])
    arm = roller[:, 1] * places[:, 0] - roller[:, 0] * places[:, 1]
    expected = np.linalg.pinv(np.c_[roller, arm]) @ (roller[:, 0] * radius * sim.v[6:])
    np.testing.assert_allclose(expected, [0.0, -0.5, 0.0], atol=1e-3)
    np.testing.assert_allclose(sim.v[[0, 1, 5]], expected, atol=1e-9)


def test_a_snake_moves_by_its_anisotropy(tmp_path):
    """A wave from head to tail pushes it forward over scales that hold to the side, else not."""
    feet = [[x, y, -0.03] for x in (-0.02, -0.18) for y in (-0.03, 0.03)]
    links = {f"l{k}": 1.0 for k in range(6)}
    joints = [(f"l{k}", f"l{k + 1}", 'xyz="-0.2 0 0"', "0 0 1") for k in range(5)]
    points = "".join(
        f'[[contact_features]]\nframe = "l{k}"\nkind = "point"\npoints = {feet}\n' for k in range(6)
    )
    moved = []
    for along, across in ((0.05, 0.6), (0.3, 0.3), (0.6, 0.05)):
        scales = f"[contact]\nfriction = {{along = {along}, across = {across}, axis = [1, 0, 0]}}\n"
        sim = robot(tmp_path, links, joints, points + scales, 0.03)
        for _ in range(3000):
            phase = 2.0 * np.pi * (sim.time - 0.2 * np.arange(5))
            sim.step(20.0 * (0.5 * np.sin(phase) - sim.q[7:]) - sim.v[6:])
        moved.append(sim.q[0])
    assert moved[2] < -0.1 < moved[1] < 0.1 < 0.5 < moved[0]
