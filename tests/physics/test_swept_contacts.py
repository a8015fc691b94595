"""Bodies that move farther in a step than they are thick meet, and do not pass through."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.mesh_bytes import obj

import footfall
from footfall.errors import RobotWarning
from footfall_stepper.simulation.simulator import StepperSimulator

CANNOT = [("contact", "plugin", "compliant"), ("simulation", "max_impact_splits", 0)]
STEPS = [1e-3, 2e-3, 4e-3, 5e-3]
ARM = """<robot name="arm"><link name="base"/>
<joint name="hinge" type="continuous"><parent link="base"/><child link="bar"/>
<axis xyz="0 0 1"/></joint>
<link name="bar"><inertial><origin xyz=".25 0 0"/><mass value=".5"/>
<inertia ixx="1e-4" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz=".25 0 0"/><geometry><box size=".5 .01 .02"/></geometry></collision></link>
</robot>"""


def body(shape, at, velocity=None, spin=(0.0, 0.0, 0.0), mass=0.1, **more):
    """Return the table of an object; without a velocity it is fixed."""
    moves = {"fixed": True}
    if velocity is not None:
        moves = {"mass": mass, "base_linear_velocity": list(velocity)}
        moves["base_angular_velocity"] = list(spin)
    return {"shape": shape, "friction": 0.3, "base_position": list(at), **moves, **more}


def sphere(radius):
    return {"type": "sphere", "radius": radius}


def box(*size):
    return {"type": "box", "size": list(size)}


def post(radius):
    return {"type": "cylinder", "radius": radius, "length": 0.5}


def scene(dt, bodies, terrain=None, **more):
    """Return a scene without gravity, far above the ground if none is given."""
    ground = {"plugin": "plane", "offset": -9.0, "friction": 0.3}
    world = {"gravity": [0.0, 0.0, 0.0], "terrain": terrain or ground}
    return {"simulation": {"time_step": dt}, "world": world, "bodies": bodies, **more}


def made(data):
    return footfall.assemble(footfall.scene_from_dict(data))


def after(data, steps) -> StepperSimulator:
    sim = made(data)
    for _ in range(steps):
        sim.step()
    return sim


def at_wall(speed, flier, wall, **more):
    """A body flies along x at a wall at x = 0, which moves towards it if it has a velocity."""

    def build(dt, phase, folder):
        return {"a": flier((-0.2 - speed * dt * phase, 3e-3, 1e-3), (speed, 0.0, 0.0)), "b": wall}

    return build, 0.4 / speed, (lambda sim: sim.q[0] > (sim.q[7] if len(sim.q) > 7 else 0.0)), more


def ball_at(speed, radius, wall):
    return at_wall(speed, lambda x, v: body(sphere(radius), x, v), wall)


def thin_plate(x, v):
    return body(box(0.1, 0.1, 1e-3), x, v, (0.0, 0.0, 20.0))


def swung(dt, phase, folder):
    """An arm of 0.5 m that turns at 100 rad/s, a tip speed of 50 m/s, at a post of 8 mm."""
    (folder / "arm.urdf").write_text(ARM)
    (folder / "robot.toml").write_text('base = "fixed"\n[model]\nfile = "arm.urdf"\n')
    arm = {"robot": str(folder / "robot.toml"), "joint_velocities": {"hinge": 100.0}}
    arm |= {"friction": 0.3, "joint_positions": {"hinge": -1.0 - 100.0 * dt * phase}}
    return {"arm": arm, "post": body(post(4e-3), (0.4, 0.0, 0.0))}


def spun(dt, phase, folder):
    """A rod of 1 m turns at 200 rad/s about its centre, at a post of 2 cm."""
    rod = {"type": "capsule", "radius": 5e-3, "length": 1.0}
    turned = [0.0, 0.5 * np.pi, 2.0 - 200.0 * dt * phase]
    rod = body(rod, (0.0, 0.0, 0.0), (0, 0, 0), (0, 0, 200.0), 0.5, base_orientation=turned)
    return {"rod": rod, "post": body(post(0.01), (0.35, 0.0, 0.0))}


def rod_has_passed(sim):
    """The rod's axis, along the body's z, has the post on the other side than at the start."""
    axis, arm = Rotation.from_quat(sim.q[3:7]).as_matrix()[:, 2], (0.35, 0.0, 0.0) - sim.q[:3]
    return np.cross(axis, arm)[2] > 0.0


def on_triangles(dt, phase, folder):
    """A ball flies at the face x = 0 of a tetrahedron."""
    (folder / "solid.obj").write_bytes(obj())
    mesh = {"type": "mesh", "file": str(folder / "solid.obj"), "use": "triangles"}
    ball = body(sphere(0.02), (-0.2 - 40.0 * dt * phase, 0.3, 0.5), (40.0, 0.0, 0.0))
    return {"a": ball, "b": body(mesh, (0.0, 0.0, 0.0))}


def on_heights(dt, phase, folder):
    grid = np.linspace(-1.0, 1.0, 21)
    np.save(folder / "h.npy", 0.05 * np.sin(5.0 * grid)[:, None] * np.cos(4.0 * grid))
    field = {"type": "heightfield", "file": str(folder / "h.npy"), "size": [2.0, 2.0]}
    ball = body(sphere(0.02), (0.2 * phase, 0.05, 0.3 + 40.0 * dt * phase), (3.0, 0.0, -40.0))
    return {"a": ball, "b": body(field, (0.0, 0.0, 0.0))}


def small_mesh(dt, phase, folder):
    """A tetrahedron of 8 mm at 50 m/s, in any orientation, at a dome of flat cells."""
    (folder / "solid.obj").write_bytes(obj())
    x, y = np.meshgrid(*2 * [np.linspace(-0.4, 0.4, 9)], indexing="ij")
    np.save(folder / "dome.npy", -0.5 * (x**2 + y**2))
    field = {"type": "heightfield", "file": str(folder / "dome.npy"), "size": [0.8, 0.8]}
    mesh = {"type": "mesh", "file": str(folder / "solid.obj"), "use": "triangles"} | {
        "scale": [8e-3, 4e-3, 4e-3]
    }
    turned = Rotation.random(random_state=int(1e6 * phase)).as_euler("xyz").tolist()
    place = (3e-4, 2e-4, 0.05 + 50.0 * dt * phase)
    tetrahedron = body(mesh, place, (0.0, 0.0, -50.0), base_orientation=turned)
    return {"a": tetrahedron, "b": body(field, (0.0, 0.0, 0.0))}


def sliding(shape):
    """A body slides at 50 m/s, touching, along a height field that has a ridge at x = 0."""

    def build(dt, phase, folder):
        heights = np.zeros((101, 3))
        heights[50] = 0.2
        np.save(folder / "ridge.npy", heights)
        field = {"type": "heightfield", "file": str(folder / "ridge.npy"), "size": [1.0, 1.0]}
        flier = body(shape, (-0.1 - 50.0 * dt * phase, 0.0, 0.01 - 2e-6), (50.0, 0.0, 0.0))
        return {"a": flier, "b": body(field, (0.0, 0.0, 0.0))}

    return build, 0.2 / 50.0, (lambda sim: sim.q[0] > 0.0), {}


RIDGE = {"plugin": "steps", "friction": 0.3}
RIDGE["boxes"] = [{"position": [0.01, 0.0, 0.0], "size": [0.02, 2.0, 0.3]}]
blade = {"mass": 0.18, "velocity": (-8.0, 0.0, 0.0)}
CASES = {
    **{
        f"ball at {speed:g} m/s, blade of {1e3 * t:g} mm": ball_at(
            speed, 0.02, body(box(t, 0.15, 0.15), (0.1, 0.0, 0.0), **blade)
        )
        for speed in (12.0, 50.0, 200.0)
        for t in (1e-3, 6e-3)
    },
    "two balls": ball_at(50.0, 0.02, body(sphere(0.02), (0.2, 0.0, 0.0), (-50.0, 0.0, 0.0))),
    "1 cm at 30 m/s": ball_at(30.0, 5e-3, body(box(0.01, 0.5, 0.5), (0.0, 0.0, 0.0))),
    "1 cm at 100 m/s": ball_at(100.0, 5e-3, body(box(0.01, 0.5, 0.5), (0.0, 0.0, 0.0))),
    "edge-on": at_wall(60.0, thin_plate, body(post(3e-3), (0.0, 0.0, 0.0))),
    "hinged arm": (swung, 0.03, lambda sim: sim.q[0] > 0.05, {}),
    "spinning rod": (spun, 0.01, rod_has_passed, {}),
    "triangles": (on_triangles, 0.015, lambda sim: sim.q[0] > 0.0, {}),
    "height field": (on_heights, 0.02, lambda sim: sim.q[2] < -0.05, {}),
    "sliding ball": sliding(sphere(0.01)),
    "sliding box": sliding(box(0.02, 0.02, 0.02)),
    "ridge": at_wall(
        200.0, lambda x, v: body(box(0.04, 0.04, 0.04), (x[0], 0.0, 0.1), v), None, terrain=RIDGE
    ),
}


def passes(case, dt, phases, folder):
    """Return the phases in which a case's body passes through, and how often it is told."""
    build, duration, has_passed, more = case
    through = told = 0
    for phase in (np.arange(phases) + 0.5) / phases:
        bodies = {k: v for k, v in build(dt, float(phase), folder).items() if v is not None}
        sim = after(scene(dt, bodies, **more), int(np.ceil(duration / dt)) + 1)
        through, told = through + bool(has_passed(sim)), told + len(sim.stepper.missed)
    return through, told


@pytest.mark.parametrize("case", CASES)
def test_nothing_passes_through(case, tmp_path):
    for dt in (1e-3, 5e-3):
        assert passes(CASES[case], dt, 2, tmp_path) == (0, 0)


def test_a_small_mesh_passes_no_height_field(tmp_path):
    """Coal has no normal for two meshes that overlap: that of before counts."""
    case = small_mesh, 0.003, lambda sim: sim.q[2] < -0.02, {}
    with pytest.warns(RobotWarning, match="with triangle meshes"):
        assert passes(case, 1e-3, 24, tmp_path)[0] == 0


def test_swept_impacts_do_not_depend_on_the_units():
    """A box that turns meets a post, lengths times a power of two: the same bits."""
    places = []
    for m in (1.0, 2.0**10):
        flier = body(box(*3 * [0.04 * m]), (-0.3 * m, 3e-3 * m, 0), (40.0 * m, 0, 0), (0, 0, 90.0))
        bar = body({"type": "cylinder", "radius": 5e-3 * m, "length": m}, (0.1 * m, 0.0, 0.0))
        more = {"terrain": {"plugin": "plane", "offset": -9.0 * m, "friction": 0.3}}
        more |= {"units": {"length": 1.0 / m}} if m != 1.0 else {}
        places.append(after(scene(1e-3, {"a": flier, "b": bar}, **more), 20).q / m)
    assert places[0][0] < 0.1
    assert places[0][:3].tolist() == places[1][:3].tolist()


@pytest.mark.long
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("case", CASES)
def test_nothing_passes_through_in_any_phase(case, dt, tmp_path):
    assert passes(CASES[case], dt, 100, tmp_path) == (0, 0)


def wall_scene(dt=1e-3, e=0.0, **more):
    """A ball flies at 40 m/s at a wall of 5 mm; they touch after 9.4375 ms at x = 77.5 mm."""
    ball = body(sphere(0.02), (-0.3, 3e-3, 1.0), (40.0, 0.0, 0.0), restitution=e)
    wall = body(box(5e-3, 1.0, 1.0), (0.1, 0.0, 1.0), restitution=e)
    return scene(dt, {"ball": ball, "wall": wall}, **more)


@each("dt", STEPS)
@each("e", [0.0, 0.5, 1.0])
def test_a_swept_impact_is_exact(dt, e):
    """Up to the wall, then back with ``e v``: positions to the tolerance of a touch."""
    sim = after(wall_scene(dt, e), round(0.02 / dt))
    assert sim.v[0] == pytest.approx(-40.0 * e, abs=1e-12)
    assert sim.q[0] == pytest.approx(0.0775 - 40.0 * e * (sim.time - 9.4375e-3), abs=2e-7)


@each("law", ["ccp", "pinocchio_constraints"])
@each("integrator", ["semi_implicit_euler", "moreau_midpoint"])
def test_other_laws_of_impulses_stop_what_is_swept(law, integrator):
    sim = after(wall_scene(contact={"plugin": law}, integrator={"plugin": integrator}), 20)
    assert sim.q[0] == pytest.approx(0.0775, abs=1e-6)


def test_bodies_that_just_miss_are_left_alone():
    """A ball passes another one by 1 um: the same velocity, bit for bit."""
    ball = body(sphere(0.02), (-0.3, 0.040001, 0.0), (150.0, 0.0, 0.0))
    sim = after(scene(1e-3, {"a": ball, "b": body(sphere(0.02), (0.0, 0.0, 0.0))}), 10)
    assert sim.v[:3].tolist() == [150.0, 0.0, 0.0]
    assert sim.q[0] == pytest.approx(1.2, abs=1e-12)


def test_what_slides_fast_is_not_stopped():
    """A ball slides along a thin smooth plate at 150 m/s: time and ball go on."""
    ball = body(sphere(0.02), (-0.5, 0.0, 0.021), (150.0, 0.0, 0.0)) | {"friction": 0.0}
    plate = body(box(3.0, 0.5, 2e-3), (0.0, 0.0, 0.0)) | {"friction": 0.0}
    sim = after(scene(1e-3, {"a": ball, "plate": plate}), 10)
    assert sim.q[0] == pytest.approx(1.0, abs=1e-9)


@each(("table", "key", "value"), CANNOT)
def test_what_cannot_be_resolved_is_told(table, key, value):
    data = wall_scene()
    data.setdefault(table, {})[key] = value
    (alarm,) = made(data).record(0.02).alarms
    told = r"t = 0\.0094375 s: bodies may pass through each other at 40 m/s, at "
    told += r"ball/object/sphere\d and wall/object/box\d"
    assert re.match(told, alarm)


@each("name", ["cube/stack", "quadruped/scanning"])
def test_a_step_of_any_speed_ends(name):
    """At 1e9 m/s and rad/s every pair could meet millions of times: it is given up, and told."""
    sim = footfall.load(name)
    sim.v[:] = 1e9
    sim.step()
    assert sim.stepper.missed[0].cause == "they move or turn too far in a step to be followed"
    assert len(sim.stepper.missed) < 10


def test_slow_bodies_are_not_searched(monkeypatch):
    """A ball at 2 m/s in steps of 1 ms moves by a tenth of its diameter: nothing but the test."""
    monkeypatch.setattr("footfall_stepper.collision.swept.Pair.hit", None)
    data = wall_scene()
    data["bodies"]["ball"]["base_linear_velocity"] = [2.0, 0.0, 0.0]
    sim = after(data, 200)
    assert sim.q[0] == pytest.approx(0.0775, abs=1e-5)
