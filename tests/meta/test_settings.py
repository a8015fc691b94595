"""Every setting that a user can make says what it means, in which unit."""

import re
import typing

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


FIELDS = {
    f"{title}.{name}": field
    for title, model in [*plugin_settings(), *file_settings()]
    for name, field in model.model_fields.items()
}


def holds_floats(annotation):
    if annotation is float:
        return True
    return any(holds_floats(part) for part in typing.get_args(annotation))


def test_every_setting_has_a_description():
    assert [name for name, field in FIELDS.items() if not (field.description or "").strip()] == []


def test_every_number_has_its_unit_in_brackets():
    numbers = {name: field for name, field in FIELDS.items() if holds_floats(field.annotation)}
    assert len(numbers) > 60
    told = {name: field.description or "" for name, field in numbers.items()}
    assert {name: text for name, text in told.items() if not UNIT.search(text)} == {}
