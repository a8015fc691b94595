"""Objects given by mesh files: mass properties, on the ground, on each other, on triangles."""

import numpy as np
import pytest
from tests.core.collision_worlds import cube_hull

import footfall
from footfall import assemble, scene_from_dict
from footfall.errors import FootfallError, RobotWarning
from footfall.geometry.shapes import Shape
from footfall.geometry.triangles import surface
from footfall.model.objects import make_object


def write_obj(path, mesh):
    lines = ["v " + " ".join(map(repr, map(float, vertex))) for vertex in mesh.vertices]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in mesh.triangles]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def cube(tmp_path):
    return write_obj(tmp_path / "cube.obj", surface(cube_hull(50.0)))


def load(bodies):
    return assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 0.5},
                "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
                "bodies": bodies,
            }
        )
    )


def mesh(file, z, **more):
    shape = {"type": "mesh", "file": file, "scale": [0.001, 0.001, 0.001], **more.pop("of", {})}
    return {"shape": shape, "friction": 0.5, "base_position": [0.0, 0.0, z], **more}


def heights(run):
    return run.base_position.sel(axis="z").values


def test_a_cube_of_triangles_weighs_what_a_box_does(cube):
    ours = make_object(Shape("mesh", (0.001, 0.002, 0.003), cube), density=500.0).rigid_body()
    box = make_object(Shape("box", (0.1, 0.2, 0.3)), density=500.0).rigid_body()
    assert ours.link_mass == pytest.approx(box.link_mass)
    assert ours.link_inertia == pytest.approx(box.link_inertia, abs=1e-9)
    assert ours.link_com == pytest.approx(box.link_com, abs=1e-9)


@pytest.mark.parametrize("use", ["hull", "triangles"])
def test_mesh_objects_rest_on_the_ground_and_on_each_other(cube, use):
    table = mesh(cube, 0.05, of={"use": use}, fixed=True)
    run = load(
        {
            "table": table,
            "cube": mesh(cube, 0.15),
            "low": mesh(cube, 0.05) | {"base_position": [1.0, 0.0, 0.05]},
        }
    ).run()
    assert np.abs(heights(run)[-1] - heights(run)[0]).max() < 1e-4
    assert np.abs(run.base_velocity.values[-1]).max() < 1e-6


def test_an_open_mesh_says_whose_mass_it_has(tmp_path):
    closed = surface(cube_hull(0.1))
    closed = type(closed)(closed.vertices, closed.triangles[1:])
    path = write_obj(tmp_path / "open.obj", closed)
    with pytest.warns(RobotWarning, match=r"open.obj: mesh is not closed: mass and inertia"):
        body = make_object(Shape("mesh", (1.0, 1.0, 1.0), path), density=1000.0).rigid_body()
    assert body.mass == pytest.approx(8.0)


def test_a_flat_mesh_is_refused_with_one_line_and_no_warning(tmp_path, recwarn):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    with pytest.raises(footfall.FootfallError, match=r"flat\.obj: 4 points span no volume"):
        load({"sheet": mesh(str(tmp_path / "flat.obj"), 0.1)})
    assert not recwarn.list


def test_a_mesh_that_is_not_there_is_refused_with_its_key(tmp_path):
    with pytest.raises(FootfallError, match=r"bodies\.cube\.shape.*file: must be a file"):
        load({"cube": mesh(str(tmp_path / "none.stl"), 0.1)})
    (tmp_path / "bad.stl").write_text("solid nothing\nendsolid\n")
    with pytest.raises(footfall.FootfallError, match=r"bad\.stl: mesh"):
        load({"cube": mesh(str(tmp_path / "bad.stl"), 0.1)})


def test_a_mesh_that_cannot_be_read_is_told_with_the_key_of_its_body(tmp_path):
    (tmp_path / "broken.stl").write_bytes(b"no mesh")
    with pytest.raises(
        FootfallError, match=r"bodies\.b\.shape: .*broken\.stl: mesh cannot be read"
    ):
        load({"b": mesh(str(tmp_path / "broken.stl"), 1.0)})
