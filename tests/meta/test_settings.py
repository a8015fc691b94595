"""Every setting that a user can make says what it means, in which unit."""

import re
import typing

import pytest
from pydantic import BaseModel

import footfall.model.spec
import footfall.scene.schema
from footfall.registry.discover import discover

UNIT = re.compile(r"\[[^\]]+\]|dimensionless")
REGISTRY = discover()


def plugin_settings():
    for catalog in REGISTRY.roles:
        for entry in catalog:
            if not entry.missing:
                yield f"{entry.role} {entry.name}", entry.load().Config


def file_settings():
    for module in (footfall.scene.schema, footfall.model.spec):
        for model in vars(module).values():
            if isinstance(model, type) and issubclass(model, BaseModel):
                yield f"{module.__name__}.{model.__name__}", model


FIELDS = [
    pytest.param(field, id=f"{title}.{name}")
    for title, model in [*plugin_settings(), *file_settings()]
    for name, field in model.model_fields.items()
]


def holds_floats(annotation):
    if annotation is float:
        return True
    return any(holds_floats(part) for part in typing.get_args(annotation))


@pytest.mark.parametrize("field", FIELDS)
def test_a_setting_has_a_description(field):
    assert (field.description or "").strip()


@pytest.mark.parametrize("field", [f for f in FIELDS if holds_floats(f.values[0].annotation)])
def test_a_number_has_its_unit_in_brackets(field):
    assert UNIT.search(field.description), field.description


def test_there_are_settings_to_look_at():
    assert len(FIELDS) > 60
