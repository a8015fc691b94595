"""The page of all plugins: an overview, then what each says of itself."""

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.plugin_classes import OTHERS, TITLES, loaded_plugins
from footfall import discover
from footfall.scene.scene import Scene


def plugin_page():
    """Return the bundled plugins by role, with what they can do and what they say of themselves."""
    by_role = loaded_plugins()
    parts = ["| role | plugins |\n|---|---|\n"]
    for role, plugins in by_role.items():
        names = ", ".join(f"[`{entry.name}`](#{role}-{entry.name})" for entry, _ in plugins)
        parts.append(f"| {TITLES[role]} | {names} |\n")
    for role, plugins in by_role.items():
        parts.append(f"\n## {TITLES[role]}\n")
        parts += [_plugin(entry, cls) for entry, cls in plugins]
    return "".join([*parts, *map(_others, OTHERS)])


def _others(name):
    """Return what plugins offer under a catalog that is not a role."""
    rows = "".join(f"- `{entry.name}`: {entry.summary}\n" for entry in discover().catalog(name))
    return f"\n## {OTHERS[name]}\n\n{rows}"


def _plugin(entry, cls):
    facts = [f"*{entry.summary}*"]
    if entry.name in {slot.default for slot in Scene.SLOTS if slot.role == entry.role}:
        facts.append("The default.")
    if cls.capabilities:
        abilities = discover().catalog(entry.role).abilities(entry.name)
        facts.append(f"Can: {', '.join(abilities)}.")
    if entry.requires:
        facts.append("Needs the package " + " and ".join(f"`{n}`" for n in entry.requires) + ".")
    if entry.extra:
        facts.append(f"Extra: `{entry.extra}`.")
    lines = "\\\n".join(facts)
    return f"\n### {entry.role} `{entry.name}`\n\n{lines}\n\n{to_markdown(cls.__doc__)}\n"
