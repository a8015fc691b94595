"""Collision meshes that are not convex touch as convex parts: a mug holds a ball, a torus a peg."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.cli.main import main
from footfall.errors import RobotError
from footfall.model.robot import load_robot
from footfall_import.locate import locate
from footfall_import.meshes.decomposition import (
    cut,
    decomposed,
    distance_between,
    sampled,
    volume_of,
    winding,
)
from footfall_import.read_model import read_model

SIDES = 12
MUG = [(0.0, 0.0), (0.04, 0.0), (0.04, 0.1), (0.034, 0.1), (0.034, 0.006), (0.0, 0.006)]
RIM = 2.0 * np.pi / 8 * np.arange(8)
TORUS = np.column_stack([0.05 + 0.015 * np.cos(RIM), 0.015 + 0.015 * np.sin(RIM)]).tolist()
SHAPES = {"mug": MUG, "torus": TORUS}


def ring(profile):
    """Triangles of a polygon (r, z) that is turned about z, shape (n, 3, 3)."""
    r, z = np.array(profile).T
    turns = 2.0 * np.pi / SIDES * np.arange(SIDES + 1)
    turns[-1] = 0.0  # closed to the last bit
    x, y = np.cos(turns)[:, None] * r, np.sin(turns)[:, None] * r
    grid = np.stack([x, y, np.tile(z, (SIDES + 1, 1))], axis=2)
    a, b = grid[:-1], grid[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    both = np.concatenate([np.stack([a, b, c], 2), np.stack([a, c, d], 2)]).reshape(-1, 3, 3)
    edges = np.linalg.norm(np.cross(both[:, 1] - both[:, 0], both[:, 2] - both[:, 0]), axis=1)
    return both[edges > 1e-12]


def sectors(name):
    """The convex parts that a shape is made of: a piece of its wall for each side, and a bottom."""
    wall = MUG[1:5] if name == "mug" else TORUS
    wall = [(r, z) for r, z in wall]
    parts = []
    for k in range(SIDES):
        turns = 2.0 * np.pi / SIDES * np.array([k, k + 1])
        parts.append(np.array([(r * np.cos(t), r * np.sin(t), z) for t in turns for r, z in wall]))
    if name == "mug":
        bottom = [(0.04, 0.0), (0.04, 0.006)]
        turns = 2.0 * np.pi / SIDES * np.arange(SIDES)
        parts.append(
            np.array([(r * np.cos(t), r * np.sin(t), z) for t in turns for r, z in bottom])
        )
    return parts


def write_obj(path, triangles):
    points = triangles.reshape(-1, 3).tolist()
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points]
    lines += [f"f {k} {k + 1} {k + 2}" for k in range(1, len(points), 3)]
    path.write_text("\n".join(lines))
    return path


def write_urdf(folder, name):
    write_obj(folder / f"{name}.obj", ring(SHAPES[name]))
    urdf = folder / f"{name}.urdf"
    urdf.write_text(
        f'<robot name="{name}"><link name="{name}"><inertial><mass value="0.3"/>'
        '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><geometry><mesh filename="{name}.obj"/></geometry></collision></link></robot>'
    )
    return urdf


@pytest.fixture
def pieces(monkeypatch):
    """A stand-in for CoACD that cuts the shapes here as they are made; counts its calls."""
    calls = []

    def run(mesh, **settings):
        calls.append(settings)
        return [(points, None) for points in sectors(calls_of(mesh))]

    def calls_of(mesh):
        return "mug" if mesh.vertices[:, 2].max() > 0.05 else "torus"

    module = SimpleNamespace(
        Mesh=lambda vertices, faces: SimpleNamespace(vertices=vertices, faces=faces),
        run_coacd=run,
        set_log_level=lambda level: None,
    )
    monkeypatch.setitem(sys.modules, "coacd", module)
    return calls


def imported(urdf, folder, *options):
    with pytest.raises(SystemExit) as ended:
        main(["import", str(urdf), "--output", str(folder), "--untried", *options])
    assert not ended.value.code


def test_samples_and_winding_are_those_of_the_solid():
    triangles = ring(MUG)
    rng = np.random.default_rng(0)
    points = rng.uniform([-0.05, -0.05, -0.01], [0.05, 0.05, 0.11], (400, 3))
    flat = np.linalg.norm(points[:, :2], axis=1)
    apothem = np.cos(np.pi / SIDES)
    sure_in = (flat < 0.04 * apothem) & (flat > 0.034) & (points[:, 2] > 0) & (points[:, 2] < 0.1)
    sure_out = (flat > 0.04) | (points[:, 2] < 0) | (points[:, 2] > 0.1)
    sure_out |= (flat < 0.034 * apothem) & (points[:, 2] > 0.006)
    turns = winding(triangles, points)
    np.testing.assert_allclose(turns[sure_in], 1.0, atol=1e-9)
    np.testing.assert_allclose(turns[sure_out], 0.0, atol=1e-9)
    on, _ = sampled(triangles, 2000, rng)
    radius = np.linalg.norm(on[:, :2], axis=1)
    assert ((on[:, 2] > -1e-12) & (on[:, 2] < 0.1 + 1e-12) & (radius < 0.04 + 1e-12)).all()


def test_the_error_is_how_far_mesh_and_parts_are_from_each_other():
    exact = sectors("mug")
    assert distance_between(ring(MUG), exact) < 1e-9
    across = 0.034 * np.cos(np.pi / SIDES)  # from the middle of a bottom that is not there
    assert distance_between(ring(MUG), exact[:-1]) == pytest.approx(across, rel=0.1)
    taller = [points + np.where(points[:, 2:] > 0.05, [0.0, 0.0, 0.02], 0.0) for points in exact]
    assert distance_between(ring(MUG), taller) == pytest.approx(0.02, rel=0.1)


def test_a_convex_mesh_is_left_alone(tmp_path):
    path = write_obj(tmp_path / "a.obj", ring([(0.0, 0.0), (0.04, 0.0), (0.04, 0.1), (0.0, 0.1)]))
    assert cut(path, tmp_path, tmp_path) is None


def test_parts_are_told_and_found_again(tmp_path, pieces, capsys):
    urdf = write_urdf(tmp_path, "mug")
    imported(urdf, tmp_path / "made", "--decompose")
    said = capsys.readouterr().out
    assert "mug.obj is replaced by 13 convex parts" in said
    assert "mm from it" in said
    (first,) = load_robot(str(tmp_path / "made")).urdf.links.values()
    assert len(first.collisions) == 13
    imported(urdf, tmp_path / "made", "--decompose", "--overwrite")
    assert "13 convex parts" in capsys.readouterr().out
    assert len(pieces) == 1
    write_obj(tmp_path / "mug.obj", 1.5 * ring(MUG))  # another mesh of that name
    imported(urdf, tmp_path / "made", "--decompose", "--overwrite")
    assert len(pieces) == 2


FREE = (
    '<body name="{name}" pos="{x} 0 0.2"><freejoint/>'
    '<inertial pos="0 0 0.05" mass="0.3" diaginertia="1e-3 1e-3 1e-3"/>'
    '<geom type="mesh" mesh="mug"/></body>'
)


def test_all_bodies_of_a_file_are_cut(tmp_path, pieces):
    write_obj(tmp_path / "mug.obj", ring(MUG))
    bodies = "".join(FREE.format(name=name, x=x) for x, name in enumerate("ac"))
    file = tmp_path / "two.xml"
    file.write_text(
        '<mujoco><asset><mesh name="mug" file="mug.obj"/></asset>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )
    model = read_model(locate(str(file)))
    cut_up = decomposed(model, file, tmp_path / "none", tmp_path)
    both = [cut_up, *cut_up.others]
    assert [len(link.collisions) for one in both for link in one.urdf.links.values()] == [13, 13]


def test_a_robot_without_concave_meshes_is_told_so(tmp_path):
    file = tmp_path / "ball.xml"
    file.write_text(
        '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    model = decomposed(read_model(locate(str(file))), file, tmp_path / "none", tmp_path)
    assert "all 0 collision meshes are convex" in model.findings[-1].text


def test_without_it_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    path = write_obj(tmp_path / "mug.obj", ring(MUG))
    with pytest.raises(RobotError, match=r'pip install -e "\.\[coacd\]"'):
        cut(path, tmp_path, tmp_path)


INSIDE = {
    # A ball of 25 mm on a bottom that is 6 mm thick; a peg of 60 mm on the ground.
    "mug": ({"type": "sphere", "radius": 0.025}, 0.15, 0.031),
    "torus": ({"type": "cylinder", "radius": 0.02, "length": 0.06}, 0.07, 0.03),
}


def height_at_rest(robot, name):
    """Drop a thing into a shape that is fixed to the ground, and return where it comes to rest."""
    shape, height, _ = INSIDE[name]
    thing = {"shape": shape, "base_position": [0.002, 0.001, height], "friction": 0.5}
    scene = {
        "simulation": {"duration": 0.8},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {"thing": thing, name: {"robot": str(robot)}},
        "pairs": {f"thing/{name}": {"friction": 0.5}},
        "collisions": {"detect": True},
    }
    run = footfall.assemble(footfall.scene_from_dict(scene)).run()
    return float(run.q.values[-1, 2])


@pytest.mark.parametrize("name", first(*SHAPES))
@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")  # of the hull, as it should
def test_a_mug_holds_a_ball_and_a_torus_a_peg(tmp_path, pieces, name):
    """Parts let it in; the hull, of which the robot was made before, keeps it out."""
    urdf = write_urdf(tmp_path, name)
    imported(urdf, tmp_path / "parts", "--decompose", "--base", "fixed")
    imported(urdf, tmp_path / "hull", "--base", "fixed")
    expected = INSIDE[name][2]
    assert height_at_rest(tmp_path / "parts", name) == pytest.approx(expected, abs=1e-3)
    assert height_at_rest(tmp_path / "hull", name) > expected + 0.02


def test_coacd_itself_cuts_a_torus(tmp_path):
    try:
        import coacd  # noqa: F401
    except ImportError:
        pytest.skip("CoACD is an extra that the tests do without")
    path = write_obj(tmp_path / "torus.obj", ring(TORUS))
    parts = cut(path, tmp_path, tmp_path)
    assert len(parts.files) > 4
    assert parts.error < 0.005
    assert parts.excess < 0.2 < parts.hull_excess
    assert volume_of(ring(TORUS)) > 0.0
