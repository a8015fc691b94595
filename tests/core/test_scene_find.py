import pytest

from footfall.errors import SceneError
from footfall.scene import find
from footfall.scene.find import find_scene, list_scenes


@pytest.fixture(autouse=True)
def bundled(tmp_path, monkeypatch):
    """Two bundled scenes of made-up robots."""
    folder = tmp_path / "robots"
    for name, text in {
        "icub/standing": 'description = "it stands"\nnot = "validated"',
        "cube/drop": "",
        "cube/broken": "x = [",
    }.items():
        robot, scene = name.split("/")
        (folder / robot / "scenes").mkdir(parents=True, exist_ok=True)
        (folder / robot / "scenes" / f"{scene}.toml").write_text(text)
    monkeypatch.setattr(find, "bundled_folder", lambda: folder)
    return folder


def test_a_bundled_scene_is_found_by_name(bundled):
    assert find_scene("icub/standing") == (
        "icub/standing",
        bundled / "icub" / "scenes" / "standing.toml",
    )


def test_a_file_is_found_by_its_path(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("")
    assert find_scene(path) == find_scene(str(path)) == ("my", path)


@pytest.mark.parametrize("reference", ["icub/standin", "icub-standing", "icubstanding"])
def test_an_unknown_name_offers_the_nearest(reference):
    with pytest.raises(SceneError, match=r"no scene .*, did you mean 'icub/standing'"):
        find_scene(reference)


def test_a_robot_alone_is_told_its_scenes():
    with pytest.raises(SceneError, match=r"no scene 'cube': the robot's .* cube/broken, cube/drop"):
        find_scene("cube")


def test_the_scene_of_another_robot_is_no_suggestion():
    with pytest.raises(SceneError, match=r"no scene 'wheeler/standing' \(`footfall scenes`"):
        find_scene("wheeler/standing")


def test_a_name_like_none_other_points_to_the_list():
    with pytest.raises(SceneError, match=r"no scene 'xyz' \(`footfall scenes` lists"):
        find_scene("xyz")


def test_a_missing_file_offers_its_neighbour(tmp_path):
    (tmp_path / "slope.toml").write_text("")
    with pytest.raises(SceneError, match=r"no scene file .*slop.toml', did you mean 'slope.toml'"):
        find_scene(tmp_path / "slop.toml")
    with pytest.raises(SceneError, match="no scene file"):
        find_scene(tmp_path / "nowhere" / "slop.toml")


def test_something_that_is_no_toml_file_is_refused(tmp_path):
    with pytest.raises(SceneError, match=r"is not a scene file: its name must end in \.toml"):
        find_scene(tmp_path)


def test_scenes_are_listed_with_descriptions_though_one_is_broken():
    listed = {listing.name: listing.description for listing in list_scenes()}
    assert list(listed) == ["cube/broken", "cube/drop", "icub/standing"]
    assert listed["icub/standing"] == "it stands"
    assert listed["cube/drop"] == ""
    assert listed["cube/broken"].startswith("(cannot be read: ")
