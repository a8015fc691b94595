from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import Field
from tests.cases import each

import footfall
from footfall.config.fields import Name, NonNegative, Positive, UnitVector3, Vector3
from footfall.config.toml import read_toml
from footfall.config.validate import validate
from footfall.errors import SceneError
from footfall.interfaces.plugin import PluginConfig


class Ball(PluginConfig):
    shape: Literal["ball"]
    radius: Positive = 1.0


class Box(PluginConfig):
    shape: Literal["box"]
    size: Vector3 = (1.0, 1.0, 1.0)


class Foot(PluginConfig):
    link: str
    patch: Annotated[Ball | Box, Field(discriminator="shape")] = Ball(shape="ball")


class Table(PluginConfig):
    number: NonNegative = 0.0
    whole: int = 0
    switch: bool = False
    text: str = ""
    kind: Literal["floating", "fixed"] = "fixed"
    vector: Vector3 = (0.0, 0.0, 0.0)
    normal: UnitVector3 = (0.0, 0.0, 1.0)
    many: tuple[float, ...] = ()
    path: Path | None = None
    named: dict[Name, Positive] = Field(default_factory=dict)
    feet: tuple[Foot, ...] = ()
    gains: float | dict[str, NonNegative] = 0.0
    mode: Literal["auto"] | Positive = "auto"


def read(tmp_path, text, **options):
    path = tmp_path / "scene.toml"
    path.write_text(text)
    toml = read_toml(path)
    return validate(Table, toml.data, file=toml.file, lines=toml.lines, **options)


@pytest.mark.parametrize("key", ["friction", "frictoin"])
def test_friction_in_the_table_of_the_law_is_told_its_place(key):
    told = "unknown key: friction is a key of bodies.NAME, world.terrain and pairs"
    with pytest.raises(SceneError, match=f"contact.{key}: {told}"):
        footfall.load_scene("cube/sliding", {f"contact.{key}": 3.0})


def message(tmp_path, text, **options):
    with pytest.raises(SceneError) as caught:
        read(tmp_path, text, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(tmp_path) + "/scene.toml:")


def test_toml_values_become_the_types_of_the_model(tmp_path):
    table = read(
        tmp_path,
        'number = 1\nvector = [1, 2.5, 3]\nmany = [1]\npath = "a/b"\nnamed.x = 1\n'
        'kind = "floating"\n[[feet]]\nlink = "l"\n[feet.patch]\nshape = "box"\nsize = [1, 2, 3]\n',
    )
    assert (table.number, table.vector, table.many) == (1.0, (1.0, 2.5, 3.0), (1.0,))
    assert isinstance(table.number, float)
    assert table.path == Path("a/b")
    assert table.feet[0].patch == Box(shape="box", size=(1.0, 2.0, 3.0))


@each(
    ("text", "expected"),
    [
        ("number = -1", "1: number: must be >= 0, got -1"),
        ("\nnumber = nan", "2: number: must be a finite number, got nan"),
        ("number = -inf", "1: number: must be a finite number, got -inf"),
        ('number = "5"', '1: number: must be a number, got "5"'),
        ("number = true", "1: number: must be a number, got true"),
        ("number = [1]", "1: number: must be a number, got [1]"),
        ("number = 1979-05-27", "1: number: must be a number, text, true or false, an array or "),
        ("whole = 1.5", "1: whole: must be a whole number, got 1.5"),
        ("whole = 1.0", "1: whole: must be a whole number, got 1.0"),
        ("switch = 1", "1: switch: must be true or false, got 1"),
        ("text = 1", "1: text: must be text, got 1"),
        (
            'kind = "flaoting"',
            "1: kind: must be 'floating' or 'fixed', got \"flaoting\", did you mean 'floating'?",
        ),
        ("vector = [1, 2]", "1: vector: must have 3 elements, got 2: [1, 2]"),
        ("vector = []", "1: vector: must have 3 elements, got 0: []"),
        ("vector = [1,\n2, 3,\n4]", "1: vector: must have 3 elements, got 4: [1, 2, 3, 4]"),
        ("vector = [1,\n2,\nnan]", "3: vector[2]: must be a finite number, got nan"),
        ("vector = 3", "1: vector: must be an array, got 3"),
        ("normal = [0, 0, 0]", "1: normal: must be a direction, not zero, got [0, 0, 0]"),
        ("named = 1", "1: named: must be a table, got 1"),
        ("named.x = 0", "1: named.x: must be > 0, got 0"),
        ('gains = "a"', '1: gains: must be a number or a table, got "a"'),
        ('gains.knee = "a"', '1: gains.knee: must be a number, got "a"'),
        ("gains.knee = -1", "1: gains.knee: must be >= 0, got -1"),
        (
            'mode = "auot"',
            "1: mode: must be 'auto' or a number, got \"auot\", did you mean 'auto'?",
        ),
        ("[feet]", "1: feet: must be an array, got {}"),
        ("[[feet]]\n[[feet]]\n", "1: feet[0].link: is missing (also: feet[1].link)"),
        ('[[feet]]\nlink="a"\n[[feet]]\npatch.shape = "ball"', "3: feet[1].link: is missing"),
    ],
)
def test_a_wrong_value_is_told_with_line_key_and_what_is_allowed(tmp_path, text, expected):
    assert message(tmp_path, text).startswith(expected)


def test_an_unknown_key_offers_the_nearest_or_lists_all(tmp_path):
    told = message(tmp_path, "\nnumbr = 1")
    assert told == "2: numbr: unknown key, did you mean 'number'?"
    assert message(tmp_path, "xyz = 1").startswith("1: xyz: unknown key (allowed: number, whole,")
    told = message(tmp_path, '[[feet]]\nlink = "l"\nlonk = 2')
    assert told == "3: feet[0].lonk: unknown key, did you mean 'link'?"


def test_an_unknown_key_below_a_tagged_union_lists_that_members_keys(tmp_path):
    told = message(tmp_path, '[[feet]]\nlink = "l"\n[feet.patch]\nshape = "ball"\nsize = 1')
    assert told == "5: feet[0].patch.size: unknown key (allowed: shape, radius)"
    told = message(tmp_path, '[[feet]]\nlink = "l"\n[feet.patch]\nshape = "ball"\nradius = -2')
    assert told == "5: feet[0].patch.radius: must be > 0, got -2"


def test_the_tag_of_a_union_is_named_with_what_is_allowed(tmp_path):
    told = message(tmp_path, '[[feet]]\nlink = "l"\n[feet.patch]\nshape = "bal"')
    assert told == (
        "4: feet[0].patch.shape: must be 'ball', 'box', got \"bal\", did you mean 'ball'?"
    )
    told = message(tmp_path, '[[feet]]\nlink = "l"\n[feet.patch]\n')
    assert told.startswith("3: feet[0].patch: needs the key 'shape'")


def test_a_name_that_is_not_simple_is_refused(tmp_path):
    assert message(tmp_path, '["named"]\n"my body" = 1').startswith('2: named."my body": must be')


def test_a_mistyped_key_comes_before_the_missing_one_that_it_causes(tmp_path):
    told = message(tmp_path, '[[feet]]\nlnk = "l"')
    assert told == "2: feet[0].lnk: unknown key, did you mean 'link'? (also: feet[0].link)"


def test_of_many_other_mistakes_the_first_keys_are_named(tmp_path):
    told = message(tmp_path, "[[feet]]\n" * 20)
    assert "(also: feet[1].link, feet[2].link, " in told
    assert told.endswith("feet[8].link and 11 more)")


def test_a_short_vector_is_one_error(tmp_path):
    assert "also" not in message(tmp_path, "vector = [1]")


def test_a_table_inside_a_file_is_found_by_its_prefix(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text("[contact]\nplugin = 'x'\n[contact.solver]\nnumber = -1\n")
    toml = read_toml(path)
    with pytest.raises(SceneError, match=r"scene\.toml:4: contact\.solver\.number: must be") as e:
        validate(
            Table,
            toml.data["contact"]["solver"],
            file=toml.file,
            lines=toml.lines,
            prefix="contact.solver",
        )
    assert (e.value.file, e.value.line, e.value.key) == (str(path), 4, "contact.solver.number")


def test_keys_that_are_read_elsewhere_are_listed_as_allowed(tmp_path):
    assert "mode, plugin)" in message(tmp_path, "zzz = 1", also_allowed=["plugin"])


def test_a_key_that_an_override_set_does_not_point_into_the_file():
    with pytest.raises(SceneError) as caught:
        validate(Table, {"number": -1}, file="scene.toml", lines={("number",): None})
    assert str(caught.value) == "number: must be >= 0, got -1 (set by an override)"


def test_numpy_values_and_paths_are_taken_as_their_plain_equals():
    table = validate(
        Table,
        {"number": np.float64(2), "vector": np.arange(3), "path": Path("a"), "whole": np.int64(3)},
        file=None,
        lines={},
    )
    assert (table.number, table.vector, table.whole) == (2.0, (0.0, 1.0, 2.0), 3)


@pytest.mark.parametrize("value", [None, object(), 1j])
def test_values_that_no_file_could_hold_are_refused(value):
    with pytest.raises(SceneError, match="number: must be a number, text"):
        validate(Table, {"number": value}, file=None, lines={})


def test_a_direction_is_brought_to_unit_length_once():
    once = validate(Table, {"normal": [1, 2, -3]}, file=None, lines={}).normal
    assert np.linalg.norm(once) == pytest.approx(1.0, abs=1e-15)
    assert validate(Table, {"normal": once}, file=None, lines={}).normal == once


def test_huge_numbers_are_not_silently_infinite():
    with pytest.raises(SceneError, match="must be a finite number"):
        validate(Table, {"number": 10**400}, file=None, lines={})
