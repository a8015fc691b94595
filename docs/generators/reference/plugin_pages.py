"""The pages of all plugins: an index, then a page for each role or for several small ones."""

from collections import Counter

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.field_table import (
    field_rows,
    inner_tables,
    table_of,
)
from docs.generators.reference.plugin_classes import OTHERS, TITLES, loaded_plugins
from footfall import discover
from footfall.model import devices
from footfall.scene import schema
from footfall.scene.scene import ANY, Scene

PAGES = {
    "simulator": ("simulator", "engine"),
    "contact": ("contact",),
    "impact": ("impact",),
    "solver": ("solver",),
    "integrator": ("integrator",),
    "terrain": ("terrain",),
    "controller": ("controller",),
    "actuator": ("actuator",),
    "sensor": ("sensor",),
    "viewer": ("visualizer", "input_device", "interaction"),
}
"""Roles by the page that describes their plugins."""
PARTS = {"actuator": "actuators", "sensor": "sensors"}
"""Roles that are chosen part by part, and the tables of the parts."""
BESIDE = {
    "controller": schema.Pace,
    "actuator": devices.ActuatorSpec,
    "sensor": devices.SensorSpec,
}
"""Models of the keys that stand beside every plugin's own, by role."""
UNCHOSEN = "compiler", "scene_check", "start_check", "watch", "certificate"
"""Catalogs of plugins that work by themselves."""


def page_of(role):
    """Return the page that describes a role's plugins, in ``docs/reference``."""
    return next(f"plugins/{name}.md" for name, roles in PAGES.items() if role in roles)


def index_page():
    """Return the bundled plugins by role, and all else that plugins offer."""
    parts = ["| role | chosen in | plugins |\n|---|---|---|\n"]
    for role, plugins in loaded_plugins().items():
        at = page_of(role)
        names = ", ".join(f"[`{entry.name}`]({at}#{role}-{entry.name})" for entry, _ in plugins)
        parts.append(f"| [{TITLES[role]}]({at}) | {places(role)} | {names} |\n")
    names = [entry.name for name in UNCHOSEN for entry in discover().catalog(name)]
    last = f"\nThese work by themselves: {', '.join(f'`{name}`' for name in names)}.\n"
    return "".join([*parts, *map(_others, OTHERS), last])


def plugin_page(name):
    """Return a page's plugins: their settings and what they say of themselves."""
    by_role = loaded_plugins()
    return "\n".join(_role(role, by_role[role], PAGES[name]) for role in PAGES[name])


def shared_rows(plugins):
    """Return the rows that are the same in several of a role's plugins: in all, and in some."""
    rows = [row for _, cls in plugins for row in field_rows(cls.Config).values()]
    times = Counter(rows)
    every = [row for row, n in times.items() if n == len(plugins) > 1]
    return every, [row for row, n in times.items() if 1 < n < len(plugins)]


def places(role):
    """Name the tables in which a role is chosen."""
    if role in PARTS:
        return f"`[[bodies.NAME.{PARTS[role]}]]`"
    paths = [slot.path for slot in Scene.SLOTS if slot.role == role]
    names = [".".join("NAME" if key == ANY else str(key) for key in path) for path in paths]
    return ", ".join(f"`[{name}]`" for name in names)


def _others(name):
    """Return what plugins offer under a catalog that is not a role."""
    rows = "".join(f"- `{entry.name}`: {entry.summary}\n" for entry in discover().catalog(name))
    return f"\n## {OTHERS[name]}\n\n{rows}"


def _role(role, plugins, roles):
    level = "#" * min(2, len(roles))
    parts = [f"## {TITLES[role]}: {places(role)}\n"] if len(roles) > 1 else []
    every, some = shared_rows(plugins)
    inner = {title: rows for _, cls in plugins for title, rows in inner_tables(cls.Config)}
    own = list(field_rows(BESIDE[role]).values()) if role in BESIDE else []
    words = to_markdown(BESIDE[role].__doc__).split("\n\n")[1:] if role in BESIDE else []
    if [*own, *every]:
        parts.append(f"{level}# Keys of every {role}\n")
        parts += [f"{paragraph}\n" for paragraph in words]
        parts.append(table_of([*own, *every]) + _inner_of(every, inner))
    if some:
        parts.append(f"{level}# Shared keys\n\n{table_of(some)}{_inner_of(some, inner)}")
    common = _common([_abilities(entry, cls) for entry, cls in plugins])
    verb = "can be" if role == "terrain" else "support"
    parts += [f"All {verb} {', '.join(_named(role, common))}.\n"] if common else []
    listed = _abilities_table(role, plugins, common)
    parts += [listed] if listed else []
    common = set().union(*(_abilities(*one) for one in plugins)) if listed else common
    parts += [f"{level}{_plugin(entry, cls, every, some, common)}" for entry, cls in plugins]
    return "\n".join(parts)


def _abilities_table(role, plugins, common):
    """Return a table of abilities by plugin if there are many, else nothing."""
    able = {entry.name: _abilities(entry, cls) for entry, cls in plugins if cls.capabilities}
    names = dict.fromkeys(each for some in able.values() for each in some if each not in common)
    if len(names) < 2:
        return ""
    rows = [(f"`{plugin}`", *("✓" if n in able[plugin] else "" for n in names)) for plugin in able]
    head = "can be" if role == "terrain" else "supports"
    lines = [(head, *_named(role, names)), ("---",) * (len(names) + 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _named(role, abilities):
    """Return abilities as a page names them: a terrain is not a law that supports terrains."""
    return [one.split()[0] if role == "terrain" else one for one in abilities]


def _common(abilities):
    """Return the abilities that all of several plugins have."""
    first, *others = abilities
    return [each for each in first if others and all(each in other for other in others)]


def _plugin(entry, cls, every, some, common):
    """Return a plugin's description, abilities and settings."""
    rows = field_rows(cls.Config)
    own = [row for row in rows.values() if row not in every and row not in some]
    also = ", ".join(f"`{key}`" for key, row in rows.items() if row in some)
    first, *more = to_markdown(cls.__doc__).split("\n\n")
    parts = [f"# {entry.role} `{entry.name}`", first, " ".join(_facts(entry, cls, common)), *more]
    parts.append(f"[Shared keys](#shared-keys): {also}." if also else "")
    parts.append(table_of(own).strip() if own else "")
    parts.append(_inner_of(own, dict(inner_tables(cls.Config))).strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def _inner_of(rows, inner):
    """Return the tables that the fields of rows hold."""
    keys = {row[0] for row in rows}
    found = [(title, held) for title, held in inner.items() if title.split()[0] in keys]
    return "".join(f"\nKeys of {title}:\n\n{table_of(held)}" for title, held in found)


def _facts(entry, cls, common):
    """Yield a plugin's abilities and needs, each as a sentence."""
    if entry.name in _defaults(entry.role):
        yield "The default."
    abilities = [ability for ability in _abilities(entry, cls) if ability not in common]
    if abilities:
        yield f"Supports: {', '.join(abilities)}."
    if entry.extra:
        yield f"Needs the extra `{entry.extra}`."
    if getattr(cls, "uses_solver", False):
        yield "Uses a [QP solver](solver.md): table `solver`."


def _abilities(entry, cls):
    """Return a plugin's abilities in words."""
    return discover().catalog(entry.role).abilities(entry.name) if cls.capabilities else []


def _defaults(role):
    """Return the names of a role's default plugins."""
    if role == "actuator":
        return {devices.ActuatorSpec.model_fields["plugin"].default}
    return {slot.default for slot in Scene.SLOTS if slot.role == role}
