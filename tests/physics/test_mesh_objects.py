"""Bodies of triangles that touch: blocks, a cube in 24 turns, boats, gears, a nut on a bolt."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import first
from tests.core.collision_worlds import cube_hull
from tests.core.test_scene_bad_shapes import channel
from tests.core.test_scene_mesh_objects import write_obj

from footfall import assemble, scene_from_dict
from footfall.errors import FootfallError
from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.shapes import TriangleMesh
from footfall.geometry.triangles import surface
from footfall_watch.deep_starts import DeepStartWarning

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*touch with triangle meshes"),
    pytest.mark.filterwarnings("ignore:Gimbal lock"),
]


def load(bodies, **more):
    world = {"terrain": {"plugin": "plane", "offset": more.pop("ground", -3.0), "friction": 0.3}}
    world["gravity"] = [0.0, 0.0, more.pop("gravity", -9.81)]
    return assemble(scene_from_dict({"world": world, "bodies": bodies, **more}))


def of_mesh(file, use="triangles", **more):
    shape = {"type": "mesh", "file": file, "use": use, **more.pop("of", {})}
    return {"shape": shape, "friction": 0.3, **more}


def block(folder):
    """Return a block of 12 triangles, 0.6 m wide, 0.15 m high."""
    corners = (cube_hull(0.5).vertices + np.array((0.0, 0.0, 0.5))) * (0.6, 0.6, 0.15)
    return write_obj(folder / "block.obj", surface(convex_hull(corners)))


TALL = {
    "box": {"type": "box", "size": [0.1, 0.1, 0.6]},
    "cylinder": {"type": "cylinder", "radius": 0.05, "length": 0.6},
    "capsule": {"type": "capsule", "radius": 0.05, "length": 0.5},
}


@pytest.mark.parametrize("kind", first(*TALL, runs=2))
def test_what_leans_against_a_block_is_as_deep_as_it_is_pressed(kind, tmp_path):
    for depth in (2e-5, 1e-3, 5e-3):
        thing = {"shape": TALL[kind], "friction": 0.3, "base_position": [depth - 0.35, 0.013, 0.31]}
        bodies = {"block": of_mesh(block(tmp_path), fixed=True), "thing": thing}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeepStartWarning)
            sim = load(bodies, gravity=0.0)
        sim.step()
        found = sim.world.collider.detector.found
        assert found.gap.min() == pytest.approx(-depth, rel=0.01)
        assert np.abs(found.normal).max(axis=0) == pytest.approx((1.0, 0.0, 0.0), abs=0.01)


@pytest.mark.parametrize(
    ("kind", "speed"), first(("box", 5.0), ("box", 2.0), ("cylinder", 5.0), runs=1, names=2)
)
def test_what_tumbles_over_a_block_moves_as_over_its_hull(kind, speed, tmp_path):
    """The same solid, as triangles and as a hull: same path, and no contact deeper than 0.05 mm."""
    paths = []
    for use in ("triangles", "hull"):
        thing = {"shape": TALL[kind], "mass": 2.0, "friction": 0.3}
        start = {"base_position": [-0.38, 0.013, 0.3], "base_linear_velocity": [speed, 0.0, 0.0]}
        bodies = {"block": of_mesh(block(tmp_path), use, fixed=True), "thing": {**thing, **start}}
        sim, path, deepest = load(bodies, ground=0.0), [], 0.0
        for _ in range(300):
            sim.step()
            path.append(sim.q[:3].copy())
            deepest = max(deepest, float(sim.signal("penetration")))
        assert deepest < 5e-5
        paths.append(path)
    assert np.array(paths[0]) == pytest.approx(np.array(paths[1]), abs=5e-3)


@pytest.mark.parametrize(
    ("below", "kind"),
    first(*((b, c) for c in ("mesh", "box", "hull") for b in ("mesh", "box", "hull")), names=2),
)
def test_a_cube_bears_the_same_on_each_corner_in_all_its_24_turns(below, kind, tmp_path):
    cube = write_obj(tmp_path / "cube.obj", surface(cube_hull(0.05)))
    flat = convex_hull(cube_hull(0.5).vertices * (1.0, 1.0, 0.1))
    table = write_obj(tmp_path / "table.obj", surface(flat))
    use = {"mesh": "triangles", "hull": "hull"}
    forces = []
    for turn in Rotation.create_group("O"):
        if kind == "box":
            thing = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "friction": 0.3}
        else:
            thing = of_mesh(cube, use[kind])
        thing |= {"mass": 1.0, "base_position": [0.0, 0.0, 0.05]}
        thing["base_orientation"] = turn.as_euler("xyz").tolist()
        if below == "box":
            ground = {"shape": {"type": "box", "size": [1.0, 1.0, 0.1]}, "friction": 0.3}
        else:
            ground = of_mesh(table, use[below])
        ground |= {"fixed": True, "base_position": [0.003, 0.002, -0.05]}
        run = load({"table": ground, "cube": thing}, simulation={"duration": 0.05}).run()
        last = slice(*run.collisions_start.values[-2:])
        assert last.stop - last.start == 4
        order = np.lexsort(np.sign(run.collisions_position.values[last][:, :2]).T)
        forces.append(run.collisions_force.values[last][order])
    assert np.ptp(forces, axis=0).max() < 1e-9 * 9.81
    assert np.array(forces)[..., 2] == pytest.approx(np.full((24, 4), 9.81 / 4.0), rel=1e-8)


def test_a_flat_mesh_is_ground_that_needs_no_mass(tmp_path, recwarn):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    box = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "friction": 0.3}
    flat = str(tmp_path / "flat.obj")
    sim = load(
        {"ground": of_mesh(flat, fixed=True), "box": {**box, "base_position": [0.5, 0.5, 0.06]}}
    )
    for _ in range(300):
        sim.step()
    assert sim.q[:3] == pytest.approx((0.5, 0.5, 0.05), abs=2e-5)
    assert not recwarn.list
    plate = of_mesh(flat, fixed=True, of={"thickness": 0.3})
    with pytest.warns(DeepStartWarning, match=r"ground/.* and box/.* by"):
        sim = load({"ground": plate, "box": {**box, "base_position": [0.5, 0.5, -0.1]}})
    for _ in range(500):
        sim.step()
    assert sim.q[2] == pytest.approx(0.05, abs=2e-3)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ({"thickness": -1.0}, r"bodies\.ground\.shape\.thickness: must be >= 0"),
        ({"thickness": 3.0}, r"bodies\.ground\.shape: .*flat\.obj: thickness 3 m is larger than"),
        ({"thickness": 0.1, "use": "hull"}, 'thickness has no effect with use = "hull"'),
    ],
)
def test_a_thickness_that_cannot_be_is_refused_with_its_key(of, said, tmp_path):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    with pytest.raises(FootfallError, match=said):
        load(
            {
                "ground": of_mesh(str(tmp_path / "flat.obj"), fixed=True, of=of),
                "box": {"shape": {"type": "sphere", "radius": 0.1}, "friction": 0.3},
            }
        )


BOATS = {
    "edge on": ([0.0, 0.0, 0.2001], 0.0, 0.2),
    "aside": ([0.1, 0.0, 0.205], 0.0, 0.2),
    "rim on rim": ([0.0, 0.0, 0.41], np.pi, 0.4),
    "wall in channel": ([0.1, 0.0, 0.41], np.pi, 0.25),
}


@pytest.mark.parametrize("name", first(*BOATS, runs=2))
def test_a_boat_whose_walls_meet_those_of_a_channel_edge_on_stays_on_it(name, tmp_path):
    file, (place, roll, height) = channel(tmp_path), BOATS[name]
    boat = of_mesh(file, base_position=place, base_orientation=[roll, 0.0, 0.0])
    sim = load({"boat": boat, "channel": of_mesh(file, fixed=True)}, ground=0.0)
    for _ in range(500):
        sim.step()
    assert sim.q[:3] == pytest.approx((place[0], place[1], height), abs=1e-4)


MODULE, TEETH = 0.002, (16, 24)


def gear(teeth, play=2e-5):
    """Return an involute spur gear at 20 degrees, 8 mm wide, about the origin."""
    pitch = 0.5 * MODULE * teeth
    base = pitch * np.cos(np.radians(20.0))
    half = (
        (0.5 * np.pi * MODULE - play) / (2.0 * pitch) + np.tan(np.radians(20.0)) - np.radians(20.0)
    )
    radius = np.linspace(base, pitch + 0.9 * MODULE, 6)
    roll = np.arccos(base / radius)
    flank = np.column_stack([radius, half - np.tan(roll) + roll])
    flank = np.concatenate([[(pitch - 1.25 * MODULE, 1.1 * half)], flank])
    tooth = np.concatenate([flank * (1, -1), flank[::-1]])
    all_teeth = [tooth + np.array((0.0, 2.0 * np.pi * k / teeth)) for k in range(teeth)]
    r, a = np.concatenate(all_teeth).T
    n, outline = len(r), np.column_stack([r * np.cos(a), r * np.sin(a), np.full(len(r), 0.004)])
    caps = np.concatenate([outline * (1, 1, -1), outline, [(0, 0, -0.004), (0, 0, 0.004)]])
    k = np.arange(n)
    m, z = (k + 1) % n, np.full(n, 2 * n)
    faces = [(k, m, n + m), (k, n + m, n + k), (z, m, k), (z + 1, n + k, n + m)]
    return TriangleMesh(caps, np.concatenate([np.stack(f, 1) for f in faces]))


@pytest.mark.long
def test_a_pair_of_gears_keeps_its_ratio(tmp_path):
    """The first turns once, held at 1 turn/s; the second is braked: 16 to 24 teeth."""
    inertia = "".join(
        f'i{c}="{1e-5 * (c[0] == c[1])}" ' for c in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    links = "".join(
        f'<link name="{n}"><inertial><mass value="0.1"/><inertia {inertia}/></inertial></link>'
        for n in ("base", "a", "b")
    )
    away = 0.5 * MODULE * sum(TEETH)
    joints = "".join(
        f'<joint name="j{n}" type="continuous"><parent link="base"/><child link="{n}"/>'
        f'<origin xyz="{x} 0 0" rpy="0 0 {turn}"/><axis xyz="0 0 1"/>'
        f'<dynamics damping="{brake}"/></joint>'
        for n, x, turn, brake in (("a", 0, 0, 0), ("b", away, np.pi + np.pi / TEETH[1], 1e-4))
    )
    (tmp_path / "gears.urdf").write_text(f'<robot name="gears">{links}{joints}</robot>')
    text = 'base = "fixed"\n[model]\nfile = "gears.urdf"\n[contact]\nfriction = 0.1\n'
    for name, teeth in zip("ab", TEETH, strict=True):
        write_obj(tmp_path / f"{name}.obj", gear(teeth))
        shape = f'{{type = "mesh", file = "{name}.obj", use = "triangles"}}'
        text += f'[[collision_shapes]]\nframe = "{name}"\nshape = {shape}\n'
    (tmp_path / "robot.toml").write_text(text)
    near = {"detect": True, "margin": 3e-4, "self_collision": ["gears"]}
    sim = load({"gears": {"robot": str(tmp_path / "robot.toml")}}, collisions=near, gravity=0.0)
    angles = []
    while not angles or angles[-1][0] < 2.2 * np.pi:
        sim.step(np.array([1e-3 * (2.0 * np.pi - sim.v[0]), 0.0]))
        angles.append(sim.q.copy())
        assert sim.signal("penetration") < 2e-5
        assert len(angles) < 2000
    angles = np.array(angles)
    driven, following = (angles[angles[:, 0] > 0.2 * np.pi][[0, -1]]).T
    assert np.ptp(driven) > 1.99 * np.pi
    assert np.diff(following) == pytest.approx(-np.diff(driven) * TEETH[0] / TEETH[1], rel=1e-3)


PITCH, PLAY, AROUND = 0.01, 4e-4, 16


def thread(height, more=0.0):
    """Return a thread's surface about z, rows of points, shape (rows, AROUND, 3)."""
    z = np.linspace(0.0, height, round(AROUND * height / PITCH) + 1)[:, None]
    angle = 2.0 * np.pi * np.arange(AROUND)[None] / AROUND
    r = 0.01 + more + 0.003 * np.abs(2.0 * ((z / PITCH - angle / (2.0 * np.pi)) % 1.0) - 1.0)
    return np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, r.shape)], 2)


def lines(rows, first=0):
    """Return the triangles between rows of points around the axis, outwards."""
    k = np.arange(AROUND)
    q = (k + 1) % AROUND
    return np.concatenate(
        [
            first + AROUND * row + np.stack(f, 1)
            for row in range(rows - 1)
            for f in ((k, q, q + AROUND), (k, q + AROUND, k + AROUND))
        ]
    )


def bolt(height):
    rows = thread(height)
    k, last = np.arange(AROUND), (len(rows) - 1) * AROUND
    q, end = (k + 1) % AROUND, np.full(AROUND, len(rows) * AROUND)
    caps = [np.stack(f, 1) for f in ((end, q, k), (end + 1, last + k, last + q))]
    points = np.concatenate([rows.reshape(-1, 3), [(0.0, 0.0, 0.0), (0.0, 0.0, height)]])
    return TriangleMesh(points, np.concatenate([lines(len(rows)), *caps]))


def nut(height):
    rows = thread(height, PLAY)
    outer = rows[[0, -1]] * (1.0, 1.0, 1.0)
    outer[..., :2] *= 0.022 / np.linalg.norm(outer[..., :2], axis=2)[..., None]
    k, n = np.arange(AROUND), rows.size // 3
    q, top = (k + 1) % AROUND, n - AROUND
    ends = [(k, q, n + q), (k, n + q, n + k)]
    ends += [(top + k, n + AROUND + k, n + AROUND + q), (top + k, n + AROUND + q, top + q)]
    faces = [lines(len(rows))[:, ::-1], lines(2, n), *(np.stack(f, 1) for f in ends)]
    points = np.concatenate([rows.reshape(-1, 3), outer.reshape(-1, 3)])
    return TriangleMesh(points, np.concatenate(faces))


@pytest.mark.long
def test_a_nut_turns_down_a_bolt_by_its_pitch(tmp_path):
    """Its weight turns it; it is where its turn says, up to its play of 0.4 mm across."""
    write_obj(tmp_path / "bolt.obj", bolt(0.025))
    write_obj(tmp_path / "nut.obj", nut(0.005))
    moving = {"base_position": [0.0, 0.0, 0.0195], "base_angular_velocity": [0.0, 0.0, -8.0]}
    sim = load(
        {
            "nut": of_mesh(str(tmp_path / "nut.obj"), density=7800.0, **moving)
            | {"friction": 0.01},
            "bolt": of_mesh(str(tmp_path / "bolt.obj"), fixed=True) | {"friction": 0.01},
        },
        collisions={"margin": 3e-4, "max_points": 16},
    )
    turned = last = 0.0
    for _ in range(700):
        sim.step()
        x, y, z, w = sim.q[3:7]
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        turned, last = turned + (yaw - last + np.pi) % (2.0 * np.pi) - np.pi, yaw
        assert sim.signal("penetration") < 1e-4
        assert sim.q[2] == pytest.approx(0.0195 + turned * PITCH / (2.0 * np.pi), abs=6e-4)
    assert turned < -2.0 * np.pi
