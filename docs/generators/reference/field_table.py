"""Tables of the fields of pydantic models, in Markdown."""

import re

from docs.generators.reference.docstring_markdown import inline

HEADER = "| key | value | default | meaning |\n|---|---|---|---|\n"
NULL = {"type": "null"}


def field_table(model, first_rows=(), *, names=None):
    """Return a table of a model's fields: key, allowed values, default, meaning with unit.

    Args:
        model: the model.
        first_rows: rows before those of its fields.
        names: of plugins that a field takes, by field.
    """
    schema = model.model_json_schema()
    definitions, required = schema.get("$defs", {}), schema.get("required", ())
    rows = list(first_rows)
    for key, field in schema.get("properties", {}).items():
        default = "required" if key in required else _default(field)
        words = meaning(model.model_fields[key].description)
        if model.model_fields[key].annotation is str:  # names of what is installed here
            field = {k: v for k, v in field.items() if k != "enum"}
        field = {**field, "enum": names[key]} if key in (names or {}) else field
        rows.append((f"`{key}`", allowed(field, definitions), default, words))
    if not rows:
        return "No keys.\n"
    return HEADER + "".join("| " + " | ".join(_cell(c) for c in row) + " |\n" for row in rows)


def meaning(description):
    """Return what a field means, in one line."""
    return inline(" ".join((description or "").split()))


def allowed(field, definitions):
    """Say in words what values a field takes."""
    if "$ref" in field:
        return allowed(definitions[field["$ref"].rsplit("/", 1)[-1]], definitions)
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    options = field.get("anyOf") or field.get("oneOf")
    if options:
        words = dict.fromkeys(allowed(o, definitions) for o in options if o != NULL)
        return ", or ".join(words)
    return _BY_TYPE.get(field.get("type"), _anything)(field, definitions)


def _number(field, definitions):
    word = "whole number" if field["type"] == "integer" else "number"
    limits = [
        f"{sign} {field[key]:g}"
        for key, sign in (
            ("exclusiveMinimum", ">"),
            ("minimum", "≥"),
            ("exclusiveMaximum", "<"),
            ("maximum", "≤"),
        )
        if key in field
    ]
    return " ".join([word, ", ".join(limits)]).strip()


def _array(field, definitions):
    if "prefixItems" in field:
        items = [allowed(item, definitions) for item in field["prefixItems"]]
        kind, _, limits = items[0].partition(" ")
        alike = len(set(items)) == 1
        return f"array of {len(items)} {kind}s {limits}".strip() if alike else "array"
    item = allowed(field.get("items", {}), definitions)
    return f"array of {_PLURALS.get(item, item.replace('array', 'arrays', 1))}"


def _table(field, definitions):
    values = field.get("additionalProperties") or field.get("patternProperties")
    if not isinstance(values, dict) or not values:
        return "table"
    values = next(iter(values.values())) if "patternProperties" in field else values
    return f"table: name to {allowed(values, definitions)}"


_PLURALS = {"text": "text", "table": "tables", "number": "numbers"}


def _anything(field, definitions):
    return "any value"


_BY_TYPE = {
    "number": _number,
    "integer": _number,
    "array": _array,
    "object": _table,
    "string": lambda field, definitions: "text",
    "boolean": lambda field, definitions: "`true` or `false`",
}


def _default(field):
    value = field.get("default")
    if value is None:
        return "-"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict):
        return "`{}`" if not value else "see below"
    return f"`{value!r}`" if not isinstance(value, str) else f'`"{value}"`'


def _cell(text):
    return re.sub(r"(?<!\\)\|", r"\\|", text)
