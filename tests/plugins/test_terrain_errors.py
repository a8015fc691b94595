"""What is wrong with a ground is said in one line, with file and key."""

import numpy as np
import pytest
from tests.cases import each

from footfall import assemble
from footfall.errors import FootfallError
from footfall.scene.load import load_scene

SCENE = """
[simulation]
duration = 0.1
[world.terrain]
{terrain}
[bodies.{robot}]
robot = "{robot}"
{body}
"""


def refused(folder, terrain, robot="cube", body="", rest=""):
    """Return the message of the error that a scene with this ground ends in."""
    text = SCENE.format(terrain=terrain, robot=robot, body=body) + rest
    (folder / "scene.toml").write_text(text)
    with pytest.raises(FootfallError) as caught:
        assemble(load_scene(folder / "scene.toml"))
    message = str(caught.value)
    assert "\n" not in message
    assert "scene.toml" in message
    return message


@pytest.fixture
def files(tmp_path):
    heights = np.zeros((4, 5))
    np.save(tmp_path / "good.npy", heights)
    heights[2, 3] = np.nan
    np.save(tmp_path / "nan.npy", heights)
    np.save(tmp_path / "line.npy", np.zeros(7))
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    (tmp_path / "ragged.csv").write_text("1,2,3\n4,5\n")
    (tmp_path / "photo.png").write_bytes(b"not a picture")
    (tmp_path / "text.npy").write_text("1,2\n3,4\n")
    (tmp_path / "back.csv").write_text("time,z\n0,0\n1,1\n0.5,2\n")
    (tmp_path / "names.csv").write_text("time,zz\n0,0\n1,1\n")
    (tmp_path / "short.csv").write_text("time,z\n0,0\n")
    (tmp_path / "hole.csv").write_text("time,z\n0,0\n1,\n")
    (tmp_path / "open.csv").write_text("time,z\n0,0\n1,1\n")
    return tmp_path


@each(
    ("keys", "expected"),
    [
        ('file = "nan.npy"', ["world.terrain.file", "[2, 3] is nan"]),
        ('file = "line.npy"', ["world.terrain.file", "is 7, expected a grid"]),
        ('file = "words.npy"', ["world.terrain.file", "not an array of numbers"]),
        ('file = "text.npy"', ["world.terrain.file", "it holds no arrays of numbers"]),
        ('file = "ragged.csv"', ["world.terrain.file", "lines have 2 to 3 numbers"]),
        ('file = "photo.png"', ["world.terrain.file", "not a PNG picture"]),
        (
            'file = "goood.npy"',
            ["world.terrain.file", "must be a file that exists, got", "did you mean 'good.npy'?"],
        ),
        ('file = "good.npy"\ncells = [3, 3]', ["world.terrain.cells", "is 4 x 5"]),
        ('file = "good.npy"\nfunction = "a:b"', ["world.terrain", "give one of them"]),
        ('function = "math:cosine"', ["world.terrain.function", "math:cosine"]),
        ('function = "math:cos"', ["world.terrain.function", "math:cos"]),
        ('function = "no function"', ["world.terrain.function", "module:function"]),
        ("", ["world.terrain", "no heights: give a file"]),
        ("size = [0.0, 1.0]", ["world.terrain.size", "must be > 0"]),
        ("friction = -0.5", ["world.terrain.friction", "must be >= 0, got -0.5"]),
    ],
)
def test_heights_that_are_none_are_refused(files, keys, expected):
    message = refused(files, f'plugin = "heightmap"\n{keys}')
    for part in expected:
        assert part in message


@pytest.mark.long
@each(
    ("keys", "expected"),
    [
        ('kind = "table"\nfile = "back.csv"', ["motion.file", "line 4: time must increase"]),
        ('kind = "table"\nfile = "names.csv"', ["motion.file", "'zz'", "allowed: time, x"]),
        ('kind = "table"\nfile = "short.csv"', ["motion.file", "at least two rows"]),
        ('kind = "table"\nfile = "hole.csv"', ["motion.file", "line 3"]),
        (
            'kind = "table"\nfile = "open.csv"\nafter = "repeat"',
            ["motion.after", "must have equal first and last rows"],
        ),
        ('kind = "table"\nfile = "none.csv"', ["motion.file", "must be a file that exists"]),
        ('kind = "function"\nfunction = "none:at_all"', ["motion.function", "none"]),
        ('kind = "function"\nfunction = "math:sqrt"', ["motion.function", "failed at", "domain"]),
        ('kind = "function"\nfunction = "math:cos"', ["motion.function", "expected six finite"]),
        ('kind = "sine"\nfrequency = -1.0', ["motion.frequency", "must be > 0"]),
        ('kind = "waltz"', ["motion.kind", "must be 'constant'", '"waltz"']),
    ],
)
def test_motions_that_are_none_are_refused(files, keys, expected):
    message = refused(files, f'plugin = "moving"\n[world.terrain.motion]\n{keys}')
    for part in expected:
        assert part in message


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('plugin = "moving"\nnormal = [0, 0, 0]', ["world.terrain.normal", "zero vector"]),
        ('plugin = "plane"\npatches = [{x = [1, 0], friction = 1}]', ["patches", "smaller"]),
        ('plugin = "plane"\npatches = [{x = [0, 1]}]', ["patches", "needs friction"]),
        ('plugin = "plane"\npatches = [{friction = -1}]', ["friction", "must be >= 0"]),
        ('plugin = "steps"\nboxes = [{position = [0, 0, 0]}]', ["boxes", "size", "missing"]),
        (
            'plugin = "steps"\nstairs = [{count = 0, rise = 1, run = 1, width = 1}]',
            ["stairs", "count", "must be >= 1"],
        ),
    ],
)
def test_other_grounds_that_make_no_sense_are_refused(files, keys, expected):
    message = refused(files, keys)
    for part in expected:
        assert part in message


def test_a_file_is_looked_for_beside_the_scene_and_then_in_the_current_folder(files, monkeypatch):
    """So that ``--set world.terrain.file=here.npy`` finds what is here."""
    text = SCENE.format(terrain='plugin = "heightmap"\nfile = "FILE"', robot="cube", body="")
    here = files / "elsewhere"
    here.mkdir()
    np.save(here / "here.npy", np.zeros((3, 3)))
    monkeypatch.chdir(here)
    for name, folder in (("good.npy", files), ("here.npy", here)):
        (files / "scene.toml").write_text(text.replace("FILE", name))
        assert load_scene(files / "scene.toml").world.terrain.config.file == str(folder / name)


def test_a_rim_is_refused_where_the_ground_is_no_plane(tmp_path):
    message = refused(tmp_path, 'plugin = "steps"\nfriction = 0.5', "coin")
    assert "world.terrain.plugin" in message
    assert "point and sphere" in message
    assert "coin" in message


def test_laws_that_cannot_meet_the_ground_are_refused(tmp_path):
    gauss = '[contact]\nplugin = "gauss"\n'
    moving = refused(tmp_path, 'plugin = "moving"', rest=gauss)
    assert "cannot do moving ground" in moving
    assert "coulomb" in moving
    np.save(tmp_path / "flat.npy", np.zeros((3, 3)))
    curved = refused(tmp_path, 'plugin = "heightmap"\nfile = "flat.npy"', rest=gauss)
    assert 'needs flat surfaces, but the ground "heightmap" can be curved: take' in curved
    assert "coulomb" in curved


def test_restitution_of_a_patch_needs_somebody_who_honours_it(tmp_path):
    terrain = 'plugin = "plane"\npatches = [{x = [0.0, 1.0], restitution = 0.5}]'
    law = '[contact]\nplugin = "gauss_discrete"\n[impact]\nplugin = "inelastic"\n'
    message = refused(tmp_path, terrain, rest=law)
    assert "the ground's restitution is 0.5" in message
