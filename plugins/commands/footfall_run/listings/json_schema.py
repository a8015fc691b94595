"""The JSON Schema of a scene file with all installed plugins, for editors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from footfall import Scene
from footfall.api.plugin import Plugin, Registry

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE = "#/$defs/{model}"
_HOLDERS = {"world": "WorldTable", "bodies": "BodyTable"}
_PLUGIN = "plugin"


def json_schema(registry: Registry) -> Schema:
    """Return the JSON Schema (draft 2020-12) of a whole scene file.

    A plugin's table is one of the installed plugins of its role, selected by ``plugin``. Plugins
    that cannot be loaded are left out.
    """
    schema = Scene.File.model_json_schema(ref_template=_REFERENCE)
    # Pydantic lists the allowed names, but does not forbid others.
    for names in ("bodies", "hands"):
        schema["properties"][names]["additionalProperties"] = False
    method = schema["$defs"]["Simulation"]["properties"]["delassus"]
    method["enum"] = [method["default"], *registry.delassus.names()]
    builder = _Builder(registry, schema["$defs"])
    for slot in Scene.SLOTS:
        # Slots of solvers and devices are inside the tables of the plugins that use them.
        if slot.role == "interaction":
            schema["$defs"]["HandTable"] = builder.role(slot)
        elif slot.role not in ("solver", "input_device"):
            inside = len(slot.path) > 1
            table = schema["$defs"][_HOLDERS[str(slot.path[0])]] if inside else schema
            field = table["properties"][slot.path[-1]]
            table["properties"][slot.path[-1]] = {
                "description": field["description"],
                **builder.role(slot),
            }
    return {"$schema": DIALECT, **schema, "title": "Footfall scene"}


def plugin_schema(cls: type[Plugin], name: str, role: str, *, optional: bool) -> Schema:
    """Return the JSON Schema of one plugin's table; its definitions are inside, under ``$defs``.

    Args:
        cls: the plugin.
        name: value of ``plugin``.
        role: role of the plugin.
        optional: whether the table may omit ``plugin``, since the plugin is the default.
    """
    prefix = f"{role}.{name}."
    schema = cls.Config.model_json_schema(ref_template=_REFERENCE.format(model=prefix + "{model}"))
    properties = {_PLUGIN: {"const": name}, **schema.get("properties", {})}
    required = [*([] if optional else [_PLUGIN]), *schema.get("required", [])]
    definitions = {prefix + key: value for key, value in schema.get("$defs", {}).items()}
    return {
        **schema,
        "title": name,
        "properties": properties,
        "required": required,
        "$defs": definitions,
    }


@dataclass(frozen=True, slots=True)
class _Builder:
    """Builder of a schema's definitions of roles and plugins."""

    registry: Registry
    definitions: Schema

    def role(self, slot: Any) -> Schema:
        """Return a reference to the union of a role's plugins; define it if needed."""
        if slot.role not in self.definitions:
            self.definitions[slot.role] = {}  # keeps the order of the definitions
            catalog = self.registry.catalog(slot.role)
            plugins = [self.plugin(slot, name, cls) for name, cls in catalog.loadable()]
            self.definitions[slot.role] = {"anyOf": plugins} if plugins else {"not": {}}
        return {"$ref": _REFERENCE.format(model=slot.role)}

    def plugin(self, slot: Any, name: str, cls: type[Plugin]) -> Schema:
        """Define one plugin and return a reference to it."""
        # The default impact model depends on the law: ``plugin`` may be omitted for these.
        defaults = [slot.default] if slot.default else ["none", "inelastic", "dissipative"]
        schema = plugin_schema(cls, name, slot.role, optional=name in defaults)
        self.definitions.update(schema.pop("$defs"))
        if getattr(cls, "uses_solver", False):
            schema["properties"]["solver"] = self.inner("solver")
        if slot.beside is not None:
            beside = slot.beside.model_json_schema()
            schema["properties"] |= beside["properties"]
            schema["required"] += beside.get("required", [])
        if slot.role == "interaction":
            schema["properties"]["device"] = self.inner("input_device")
        key = f"{slot.role}.{name}"
        self.definitions[key] = schema
        return {"$ref": _REFERENCE.format(model=key)}

    def inner(self, role: str) -> Schema:
        """Return a reference to the union of a role whose tables are inside other plugins'."""
        return self.role(next(slot for slot in Scene.SLOTS if slot.role == role))
