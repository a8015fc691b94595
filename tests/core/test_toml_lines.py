import tomllib

import pytest
from tests.cases import each

from footfall.config.toml import dotted, key_lines, parse_key, read_toml
from footfall.errors import SceneError

TEXT = '''\
# a comment with a [table] and a key = 1
description = """
[not.a.table]
not_a_key = "\\"""
"""   # after it
'single quoted' = '[no]'
literal = \'\'\'
x = 1\'\'\'

[world]
gravity = [
    0.0,   # ] in a comment
    0.0,
    -9.81,
]
terrain = { plugin = "plane", normal = [0, 0, 1] }
[world."quoted.table"]
a.b.c = 1
a.d = 1979-05-27 07:32:00

[[feet]]
link = "}"

  [feet.patch]
  size = [[1, 2],
          [3, 4]]

[[feet]]
link = "]"
[feet.patch]
"si\\u007ae" = 2
'''


def test_every_kind_of_key_has_its_line():
    lines = key_lines(TEXT)
    at = {
        ("description",): 2,
        ("single quoted",): 6,
        ("literal",): 7,
        ("world",): 10,
        ("world", "gravity"): 11,
        ("world", "gravity", 0): 12,
        ("world", "gravity", 2): 14,
        ("world", "terrain"): 16,
        ("world", "terrain", "plugin"): 16,
        ("world", "terrain", "normal", 2): 16,
        ("world", "quoted.table"): 17,
        ("world", "quoted.table", "a", "b", "c"): 18,
        ("world", "quoted.table", "a", "d"): 19,
        ("feet", 0): 21,
        ("feet", 0, "link"): 22,
        ("feet", 0, "patch"): 24,
        ("feet", 0, "patch", "size", 1, 0): 26,
        ("feet", 1): 28,
        ("feet", 1, "link"): 29,
        ("feet", 1, "patch", "size"): 31,
    }
    assert {path: lines.get(path) for path in at} == at


def all_paths(value, path=()):
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        return
    for key, part in parts:
        yield (*path, key)
        yield from all_paths(part, (*path, key))


def test_exactly_the_keys_that_tomllib_reads_have_lines():
    assert set(key_lines(TEXT)) == set(all_paths(tomllib.loads(TEXT)))


def test_windows_line_ends_count_once():
    assert key_lines("a = 1\r\nb = 2\r\n") == {("a",): 1, ("b",): 2}


def test_a_key_is_written_and_read_back():
    path = ("bodies", "icub", "joint_positions", "l_.*", "")
    assert dotted(path) == 'bodies.icub.joint_positions."l_.*".""'
    assert parse_key(dotted(path)) == path
    assert dotted(("feet", 0, "link")) == "feet[0].link"


@each("key", ["", " ", "a.", ".a", "a b", "a=1", "a\nb", "a#", "a[0]", '"a', "é"])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(ValueError, match="is not a dotted key"):
        parse_key(key)


def test_syntax_errors_name_file_and_line(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text("[world]\ngravity = [0, 0\nx = 1\n")
    with pytest.raises(SceneError, match=r"scene\.toml:3: is not valid TOML: ") as caught:
        read_toml(path)
    assert caught.value.line == 3
    assert "line" not in str(caught.value).split(": ", 1)[1]


def test_a_file_that_ends_too_early_is_refused_at_its_last_line(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text('[world]\nname = "x')
    with pytest.raises(SceneError, match="is not valid TOML"):
        read_toml(path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(SceneError, match=r"scene\.toml:2: is not a text file in UTF-8"):
        read_toml(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(SceneError, match="No such file"):
        read_toml(tmp_path / "none.toml")
    with pytest.raises(SceneError, match="is not a file"):
        read_toml(tmp_path)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(path).data == {"a": 1}
