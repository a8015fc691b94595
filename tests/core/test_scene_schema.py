import json
import tomllib

import jsonschema
import pytest
from tests.cases import each
from tests.core.scene_plugins import MINIMAL, make_registry
from tests.core.test_scene_load import FULL

from footfall.errors import SceneError
from footfall.registry.registry import Registry
from footfall.scene.load import scene_from_dict
from footfall_run.listings.json_schema import json_schema


@pytest.fixture(scope="module")
def registry():
    return make_registry()


@pytest.fixture(scope="module")
def schema(registry):
    return json_schema(registry)


def accepts(schema, data):
    return jsonschema.Draft202012Validator(schema).is_valid(data)


def test_the_schema_is_one_and_can_be_written(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


def test_every_reference_leads_somewhere(schema):
    def references(value):
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                yield from references(part)

    found = set(references(schema))
    assert found
    assert {reference.removeprefix("#/$defs/") for reference in found} <= set(schema["$defs"])


@pytest.mark.parametrize("data", [MINIMAL, tomllib.loads(FULL)])
def test_a_valid_scene_is_valid_by_the_schema(schema, data):
    assert accepts(schema, data)


BAD = [
    {**MINIMAL, "engin": {}},
    {**MINIMAL, "engine": {"plugin": "nope"}},
    {**MINIMAL, "contact": {"plugin": "gauss", "gain": 0.1}},
    {**MINIMAL, "contact": {"gain": 2.0}},
    {**MINIMAL, "contact": {"plugin": "coulomb", "solver": {"plugin": "osqp"}}},
    {**MINIMAL, "contact": {"plugin": "gauss", "solver": {"plugin": "osqp", "eps_abs": 0}}},
    {**MINIMAL, "contact": {"plugin": "gauss", "solver": {"plugin": "coulomb"}}},
    {**MINIMAL, "world": {"gravity": [0, 0]}},
    {**MINIMAL, "world": {"terrain": {"friction": -1}}},
    {**MINIMAL, "bodies": {"a b": {"robot": "x"}}},
    {**MINIMAL, "bodies": {"box": {"robot": "x", "controller": {"plugin": "postur"}}}},
    {**MINIMAL, "simulation": {"duration": "5"}},
    {"simulation": MINIMAL["simulation"]},
]


@each("data", BAD)
def test_the_schema_refuses_what_loading_refuses(schema, registry, data):
    assert not accepts(schema, data)
    with pytest.raises(SceneError):
        scene_from_dict(data, registry)


def test_units_and_bounds_are_in_the_schema(schema):
    gain = schema["$defs"]["contact.coulomb"]["properties"]["gain"]
    assert (gain["minimum"], gain["maximum"], gain["default"]) == (0.0, 1.0, 0.2)
    assert "[m/s]" in schema["$defs"]["contact.coulomb"]["properties"]["tolerance"]["description"]
    assert "[s]" in schema["$defs"]["Simulation"]["properties"]["duration"]["description"]


def test_a_plugin_that_cannot_be_loaded_is_left_out(schema):
    assert "contact.absent" not in schema["$defs"]
    assert "contact.gauss" in schema["$defs"]


def test_only_the_default_plugin_may_be_left_unnamed(schema):
    assert "plugin" not in schema["$defs"]["contact.coulomb"]["required"]
    assert "plugin" in schema["$defs"]["contact.gauss"]["required"]


def test_without_plugins_there_is_still_a_schema():
    schema = json_schema(Registry())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert accepts(schema, MINIMAL)
    assert not accepts(schema, {**MINIMAL, "engine": {}})
