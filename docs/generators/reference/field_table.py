"""Tables of the fields of pydantic models, in Markdown."""

import re

from docs.generators.reference.docstring_markdown import inline

HEADER = "| key | value (default) | meaning |\n|---|---|---|\n"
NULL = {"type": "null"}
UNBOUNDED = 1e6
"""Size from which a bound is not shown: it only rejects numbers that cannot be computed with."""
SMALLEST = 1e-9
"""Lower bound up to which ``> 0`` is shown."""


def field_table(model, *, names=None, left_out=()):
    """Return a table of a model's fields: key, allowed values and default, meaning with unit.

    Args:
        model: the model.
        names: of plugins that a field takes, by field.
        left_out: keys without a row.
    """
    rows = [row for key, row in field_rows(model, names).items() if key not in left_out]
    return table_of(rows) if rows else ""


def table_of(rows):
    """Return rows of cells as a table with its header."""
    return HEADER + "".join("| " + " | ".join(_cell(c) for c in row) + " |\n" for row in rows)


def field_rows(model, names=None):
    """Return the cells of each field's row, by field."""
    schema = model.model_json_schema()
    definitions, required = schema.get("$defs", {}), schema.get("required", ())
    rows = {}
    for key, field in schema.get("properties", {}).items():
        default = ", required" if key in required else _default(field)
        words = meaning(model.model_fields[key].description)
        if model.model_fields[key].annotation is str:  # names of what is installed here
            field = {k: v for k, v in field.items() if k != "enum"}
        field = {**field, "enum": names[key]} if key in (names or {}) else field
        rows[key] = (f"`{key}`", f"{allowed(field, definitions)}{default}", words)
    return rows


def inner_tables(model):
    """Return the tables that a model's fields hold: pairs of title and rows."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    found = {}
    for key, field in schema.get("properties", {}).items():
        for name in re.findall(r"'#/\$defs/(\w+)'", str(field)):
            found[name] = f"`{key}`"
    return [
        (title + _kind(definitions[name]), _inner_rows(definitions[name], definitions))
        for name, title in found.items()
        if "properties" in definitions[name]
    ]


def _kind(definition):
    """Return what tells one of several tables of a key from the others."""
    kind = definition["properties"].get("kind", {}).get("const")
    return f' with `kind = "{kind}"`' if kind else ""


def _inner_rows(definition, definitions):
    required = definition.get("required", ())
    return [
        (
            f"`{key}`",
            allowed(field, definitions) + (", required" if key in required else _default(field)),
            meaning(field.get("description")),
        )
        for key, field in definition["properties"].items()
        if key != "kind"
    ]


def meaning(description):
    """Return what a field means, in one line, without the mark of numbers that have no unit."""
    words = " ".join((description or "").split())
    return inline(re.sub(r",? (\[-\]|\[name\]|dimensionless)(?=[,;:.) ]|$)", "", words))


def allowed(field, definitions):
    """Say in words what values a field takes."""
    if "$ref" in field:
        return allowed(definitions[field["$ref"].rsplit("/", 1)[-1]], definitions)
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    options = field.get("anyOf") or field.get("oneOf")
    if options:
        words = dict.fromkeys(allowed(o, definitions) for o in options if o != NULL)
        return " or ".join(words)
    return _BY_TYPE.get(field.get("type"), _anything)(field, definitions)


def _number(field, definitions):
    word = "integer" if field["type"] == "integer" else "number"
    limits = ", ".join(_limits(field))
    return limits if limits and word == "number" else f"{word} {limits}".strip()


def _limits(field):
    """Yield a number's bounds, but those that are only of what can be computed with."""
    low = field.get("exclusiveMinimum", field.get("minimum"))
    high = field.get("exclusiveMaximum", field.get("maximum"))
    if low is not None and 0 < low <= SMALLEST and field["type"] != "integer":
        yield ">0"
    elif low is not None and low > -UNBOUNDED:
        yield f"{'>' if 'exclusiveMinimum' in field else '≥'}{low:g}"
    if high is not None and high < UNBOUNDED:
        yield f"{'<' if 'exclusiveMaximum' in field else '≤'}{high:g}"


def _array(field, definitions):
    if "prefixItems" in field:
        items = [allowed(item, definitions) for item in field["prefixItems"]]
        return f"{len(items)} {_plural(items[0])}" if len(set(items)) == 1 else "array"
    item = allowed(field.get("items", {}), definitions)
    many = item[0].isdigit() or item.split()[0].endswith("s")
    return f"arrays of {item}" if many else _plural(item)


def _plural(words):
    """Return words in the plural: ``table`` becomes ``tables``, ``>0`` becomes ``numbers >0``."""
    words = words if words[0].isalnum() else f"number {words}"
    return re.sub(r"^(number|integer|table|array|string)\b", r"\1s", words)


def _table(field, definitions):
    values = field.get("additionalProperties") or field.get("patternProperties")
    if not isinstance(values, dict) or not values:
        return "table"
    values = next(iter(values.values())) if "patternProperties" in field else values
    item = allowed(values, definitions)
    return f"{item}, by name" if " or " in item else f"{_plural(item)} by name"


def _anything(field, definitions):
    return "any value"


_BY_TYPE = {
    "number": _number,
    "integer": _number,
    "array": _array,
    "object": _table,
    "string": lambda field, definitions: "string",
    "boolean": lambda field, definitions: "boolean",
}


def _default(field):
    """Return a field's default in parentheses, nothing if it has none or holds tables."""
    value = field.get("default")
    if value is None or value in ({}, []) or (isinstance(value, dict) and value):
        return ""
    if isinstance(value, bool):
        return f" (`{str(value).lower()}`)"
    if isinstance(value, list) and not any(value):
        return " (zeros)"
    if isinstance(value, list):
        return f" (`{value!r}`)".replace("'", '"')
    if isinstance(value, str):
        return f' (`"{value}"`)' if value else ""
    return f" (`{value:g}`)" if value >= UNBOUNDED else f" (`{value!r}`)"


def _cell(text):
    return re.sub(r"(?<!\\)\|", r"\\|", text)
