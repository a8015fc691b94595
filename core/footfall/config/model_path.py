"""Follow the location of a validation error through the types of a model."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel


def keys_at(model: type[BaseModel], loc: Iterable[str | int]) -> list[str]:
    """Return the keys that are allowed in the table at a location, in the order of the model.

    A component of ``loc`` that is the tag of a union chooses among its members.
    """
    types: list[Any] = [model]
    for part in loc:
        types = _descend(types, part)
    models = [kind for kind in types if _is_model(kind)]
    return list(dict.fromkeys(key for kind in models for key in _fields(kind)))


def _descend(types: list[Any], part: str | int) -> list[Any]:
    below: list[Any] = []
    for kind in types:
        if _is_model(kind):
            below.extend(_flatten(_fields(kind).get(str(part))))
        else:  # a dict's values, an array's elements
            below.extend(member for arg in get_args(kind) for member in _flatten(arg))
    if below:
        return below
    tagged = [kind for kind in types if _is_model(kind) and _has_tag(kind, part)]
    return tagged or types


def _flatten(annotation: Any) -> list[Any]:
    """Return the members of a union, without ``Annotated`` and ``None``."""
    if annotation is None or annotation is type(None) or annotation is Ellipsis:
        return []
    origin = get_origin(annotation)
    if origin is Annotated:
        return _flatten(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [member for arg in get_args(annotation) for member in _flatten(arg)]
    return [] if origin is Literal else [annotation]


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _has_tag(model: type[BaseModel], tag: str | int) -> bool:
    return any(
        get_origin(field.annotation) is Literal and tag in get_args(field.annotation)
        for field in model.model_fields.values()
    )
