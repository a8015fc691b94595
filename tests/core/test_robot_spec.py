"""robot.toml: what it may say, and the line and key of what it may not."""

from pathlib import Path

import pytest
from tests.cases import each

from footfall.errors import SceneError
from footfall.model.spec import RimFeature, RobotSpec, read_spec

MINIMAL = '[model]\nfile = "model.urdf"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "robot.toml"
    path.write_text(text)
    return path


def test_the_least_that_makes_a_robot(tmp_path):
    spec = read_spec(write(tmp_path, MINIMAL))
    assert spec.model.file == "model.urdf"
    assert (spec.base, spec.joints, spec.posture) == (None, None, {})
    assert (spec.contact.friction, spec.contact.restitution) == (None, None)


def test_every_key_is_read(tmp_path):
    text = """
description = "d"
base = "planar"
joints = ["a", "b_*"]
base_position = [1, 2.0, 3.0]
base_orientation = [0.1, 0.2, 0.3]
[model]
file = "m.xml"
package = "p"
extra = "e"
format = "mjcf"
[posture]
"b_*" = 1
[contact]
friction = 0.5
restitution = 0.25
[[contact_features]]
frame = "f"
kind = "point"
points = [[1, 2, 3]]
[[contact_features]]
frame = "g"
kind = "rim"
name = "edge"
radius = 2
axis = [0, 3, 4]
center = [1, 0, 0]
friction = 0
[joint_dynamics."b_*"]
damping = 1
armature = 2
"""
    spec = read_spec(write(tmp_path, text))
    assert spec.joints == ("a", "b_*")
    assert spec.base_position == (1.0, 2.0, 3.0)
    assert spec.posture == {"b_*": 1.0}
    rim = spec.contact_features[1]
    assert isinstance(rim, RimFeature)
    assert rim.axis == pytest.approx((0.0, 0.6, 0.8))
    assert (rim.friction, rim.restitution) == (0.0, None)
    assert spec.joint_dynamics["b_*"].armature == 2.0


FEATURE = '[[contact_features]]\nframe = "f"\n'
RING = "axis = [0, 1, 0]\nstart = [0, 1, 1]\n"


@each(
    ("text", "line", "key", "said"),
    [
        ("", None, "model", "missing"),
        ("[model]\n", 1, "model.file", "missing"),
        (MINIMAL + "[postur]\nx = 1\n", 3, "postur", "did you mean 'posture'?"),
        (MINIMAL + 'sort = "urdf"\n', 3, "model.sort", "allowed"),
        ('base = "flying"\n' + MINIMAL, 1, "base", "'floating', 'fixed' or 'planar'"),
        ('joints = "a"\n' + MINIMAL, 1, "joints", "array"),
        ("base_position = [1.0, 2.0]\n" + MINIMAL, 1, "base_position", "3"),
        ("base_position = [1.0, 2.0, nan]\n" + MINIMAL, 1, "base_position[2]", "nan"),
        ("base_orientation = [1.0, inf, 0.0]\n" + MINIMAL, 1, "base_orientation[1]", "inf"),
        (MINIMAL + "[posture]\na = true\n", 4, "posture.a", "number"),
        (MINIMAL + "[contact]\nfriction = -0.1\n", 4, "contact.friction", "0"),
        (MINIMAL + "[contact]\nfriction = nan\n", 4, "contact.friction", "nan"),
        (MINIMAL + "[contact]\nrestitution = 1.5\n", 4, "contact.restitution", "1"),
        (MINIMAL + FEATURE + 'kind = "point"\n', 3, "contact_features[0].points", "missing"),
        (
            MINIMAL + FEATURE + 'kind = "point"\npoints = []\n',
            6,
            "contact_features[0].points",
            "at least 1",
        ),
        (
            MINIMAL + FEATURE + 'kind = "sphere"\nradius = 0\n',
            6,
            "contact_features[0].radius",
            "must be >= 1e-09",
        ),
        (
            MINIMAL + FEATURE + 'kind = "rim"\nradius = 1\naxis = [0, 0, 0]\n',
            7,
            "contact_features[0].axis",
            "not zero",
        ),
        (
            MINIMAL + FEATURE + 'kind = "ring"\nnpoly = 2\nradius = 1\n' + RING,
            6,
            "contact_features[0].npoly",
            "must be >= 3",
        ),
        (
            MINIMAL + FEATURE + 'kind = "ring"\nnpoly = 8\nradius = 1\n' + RING,
            3,
            "contact_features[0]",
            "start must be at a right angle to axis",
        ),
        (
            MINIMAL + FEATURE + 'kind = "sphere"\nradius = 1\naxis = [0, 0, 1]\n',
            7,
            "contact_features[0].axis",
            "radius",
        ),
        (
            MINIMAL + '[joint_dynamics."*"]\ndamping = -1\n',
            4,
            'joint_dynamics."*".damping',
            "0",
        ),
        (
            MINIMAL + '[joint_dynamics."*"]\ndumping = 1\n',
            4,
            'joint_dynamics."*".dumping',
            "did you mean 'damping'?",
        ),
    ],
)
def test_what_is_not_allowed_is_one_line_with_file_line_and_key(tmp_path, text, line, key, said):
    path = write(tmp_path, text)
    with pytest.raises(SceneError) as caught:
        read_spec(path)
    error = caught.value
    assert (error.file, error.key) == (str(path), key)
    assert error.line == line
    assert said in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("kind", "said"), [("", "kind"), ('kind = "sfere"', "'sphere'")])
def test_a_feature_of_an_unknown_kind_says_which_there_are(tmp_path, kind, said):
    path = write(tmp_path, MINIMAL + FEATURE + kind)
    with pytest.raises(SceneError) as caught:
        read_spec(path)
    assert str(caught.value).startswith(f"{path}:")
    assert caught.value.key is not None
    assert caught.value.key.startswith("contact_features[0]")
    assert said in str(caught.value)


def test_a_robot_file_that_is_not_there(tmp_path):
    with pytest.raises(SceneError, match=r"robot\.toml: cannot be read: No such file"):
        read_spec(tmp_path / "robot.toml")


def test_every_field_says_what_it_is():
    schema = RobotSpec.model_json_schema()
    tables = [schema, *schema["$defs"].values()]
    fields = [field for table in tables for field in table.get("properties", {}).items()]
    assert [name for name, field in fields if not field.get("description")] == []
