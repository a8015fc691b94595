"""Meshes are found without any set-up; missing ones are told."""

import warnings
from pathlib import Path

import pytest
from tests.robots.sample_urdf import INERTIAL, link, write

from footfall.errors import RobotError, RobotWarning
from footfall.formats import mesh_paths as mesh
from footfall.formats.mesh_paths import find_mesh
from footfall.formats.urdf_file import read_urdf


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("solid")
    return path


@pytest.fixture
def urdf(tmp_path):
    return touch(tmp_path / "pkg" / "robots" / "one" / "model.urdf")


def test_a_relative_path_is_relative_to_the_urdf(urdf):
    assert find_mesh("../../meshes/a.stl", urdf) is None
    wanted = touch(urdf.parents[2] / "meshes" / "a.stl")
    found = find_mesh("../../meshes/a.stl", urdf)
    assert found is not None
    assert found.resolve() == wanted


def test_file_urls_and_absolute_paths(urdf, tmp_path):
    wanted = touch(tmp_path / "with space" / "a.stl")
    assert find_mesh(f"file://{tmp_path}/with%20space/a.stl", urdf) == wanted
    assert find_mesh(str(wanted), urdf) == wanted
    beside = touch(urdf.parent / "meshes" / "a.stl")
    assert find_mesh("file://meshes/a.stl", urdf) == beside


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_a_package_is_found_above_the_urdf(urdf, scheme):
    wanted = touch(urdf.parents[2] / "meshes" / "a.stl")
    assert find_mesh(f"{scheme}://pkg/meshes/a.stl", urdf) == wanted


def test_a_package_is_found_beside_a_folder_above_the_urdf(urdf):
    wanted = touch(urdf.parents[3] / "other" / "a.stl")
    assert find_mesh("package://other/a.stl", urdf) == wanted


@pytest.mark.parametrize("folder", ["share", "site/cmeel.prefix/share", "site"])
def test_a_package_is_found_in_the_environment(urdf, tmp_path, monkeypatch, folder):
    prefix = tmp_path / "elsewhere" / "prefix"
    monkeypatch.setattr(mesh.sys, "prefix", str(prefix))
    monkeypatch.setattr(mesh.sysconfig, "get_paths", lambda: {"purelib": str(prefix / "site")})
    wanted = touch(prefix / folder / "far" / "a.stl")
    assert find_mesh("package://far/a.stl", urdf) == wanted


def test_a_package_is_found_on_the_ros_path(urdf, tmp_path, monkeypatch):
    one, two = tmp_path / "x" / "ws1", tmp_path / "x" / "ws2" / "mine"
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{one}:{two}")
    assert find_mesh("package://far/a.stl", urdf) is None
    wanted = touch(one / "far" / "a.stl"), touch(two / "b.stl")
    assert find_mesh("package://far/a.stl", urdf) == wanted[0]
    assert find_mesh("package://mine/b.stl", urdf) == wanted[1]


def with_mesh(folder: Path, tag: str, uri: str) -> Path:
    shape = f'<{tag}><geometry><mesh filename="{uri}" scale="1 2 3"/></geometry></{tag}>'
    box = f'<{tag}><geometry><box size="1 1 1"/></geometry></{tag}>'
    return write(folder, link("body", INERTIAL + shape + box))


def test_a_mesh_is_kept_with_its_scale_and_path(tmp_path):
    wanted = touch(tmp_path / "a.stl")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = read_urdf(with_mesh(tmp_path, "visual", "a.stl")).links["body"]
    shape = body.visuals[0].shape
    assert (shape.kind, shape.size, shape.mesh) == ("mesh", (1, 2, 3), str(wanted))


def test_a_visual_without_its_mesh_is_left_out_with_a_warning(tmp_path):
    path = with_mesh(tmp_path, "visual", "package://lost/a.stl")
    with pytest.warns(RobotWarning) as caught:
        body = read_urdf(path).links["body"]
    assert [visual.shape.kind for visual in body.visuals] == ["box"]
    assert len(caught) == 1
    assert str(caught[0].message) == (
        f"{path}: link \"body\": visual mesh 'package://lost/a.stl' was not found; left out"
    )


def test_a_visual_of_any_format_is_kept_for_who_draws_it(tmp_path):
    """Formats come with plugins; one that nobody reads is told where it is drawn."""
    touch(tmp_path / "a.msh")
    body = read_urdf(with_mesh(tmp_path, "visual", "a.msh")).links["body"]
    assert [visual.shape.kind for visual in body.visuals] == ["mesh", "box"]


def test_a_collision_without_its_mesh_is_an_error(tmp_path):
    path = with_mesh(tmp_path, "collision", "package://lost/a.stl")
    with pytest.raises(RobotError) as caught:
        read_urdf(path)
    assert str(caught.value) == (
        f"{path}: link \"body\": collision mesh 'package://lost/a.stl' was not found"
    )


def test_a_package_is_found_by_the_name_in_its_manifest(tmp_path, monkeypatch):
    for folder, name in (("here", "its_name"), ("beside", "other"), ("far/x/y", "third")):
        (tmp_path / "src" / folder / "meshes").mkdir(parents=True)
        (tmp_path / "src" / folder / "meshes" / "a.stl").touch()
        manifest = f"<package><name> {name} </name></package>"
        (tmp_path / "src" / folder / "package.xml").write_text(manifest)
    urdf = tmp_path / "src" / "here" / "urdf" / "a.urdf"
    mesh = "meshes/a.stl"
    assert find_mesh(f"package://its_name/{mesh}", urdf) == tmp_path / "src" / "here" / mesh
    assert find_mesh(f"package://other/{mesh}", urdf) == tmp_path / "src" / "beside" / mesh
    assert find_mesh(f"package://third/{mesh}", urdf) is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "src" / "far"))
    assert find_mesh(f"package://third/{mesh}", urdf) == tmp_path / "src" / "far" / "x" / "y" / mesh
    assert find_mesh("package://its_name/../beside/meshes/a.stl", urdf) is None
    (tmp_path / "src" / "broken").mkdir()
    (tmp_path / "src" / "broken" / "package.xml").write_text("<package>")
    assert find_mesh(f"package://fourth/{mesh}", urdf) is None
