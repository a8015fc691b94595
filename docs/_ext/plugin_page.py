"""The page of all plugins."""

from plugin_text import TITLES, docstring, loaded_plugins

from footfall.registry.catalog import abilities


def plugin_page():
    """Return the bundled plugins by role, with what they can do and what they say of themselves."""
    parts = []
    for role, plugins in loaded_plugins().items():
        parts.append(f"## {TITLES[role]}\n\n")
        parts += [_plugin(entry, cls) for entry, cls in plugins]
    return "".join(parts)


def _plugin(entry, cls):
    facts = [f"*{entry.summary}*"]
    if cls.capabilities:
        facts.append("Can: " + ", ".join(abilities(cls)) + ".")
    if entry.requires:
        facts.append("Needs the package " + " and ".join(f"`{n}`" for n in entry.requires) + ".")
    if entry.extra:
        facts.append(f"Extra: `{entry.extra}`.")
    lines = "  \n".join(facts)
    return f"### {entry.role} `{entry.name}`\n\n{lines}\n\n{docstring(cls)}\n\n"
