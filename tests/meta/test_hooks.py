"""Every hook is documented with its exact signature, and used by a plugin."""

import inspect
import re

import pytest
from tests.meta.source_files import ROOT, plugin_packages

from footfall import registry as hook
from footfall.registry.discover import discover

HOOKS = {
    name: function
    for name, function in vars(hook).items()
    if inspect.isfunction(function) and hasattr(function, f"{hook.PROJECT}_spec")
}
INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)$", re.MULTILINE)


def documentation():
    """Return the text of the README and of the pages that are written, with the files shown."""
    texts = []
    written = [p for p in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in p.parts]
    for page in [ROOT / "README.md", *written]:
        text = page.read_text()
        texts += [text, *((page.parent / name).read_text() for name in INCLUDED.findall(text))]
    return "\n".join(texts)


def test_there_is_one_hook():
    assert set(HOOKS) == {"footfall_register"}


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_documented_with_its_exact_signature(name):
    signature = str(inspect.signature(HOOKS[name])).replace("'", "")
    assert f"def {name}{signature}:" in documentation()


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_says_what_it_is_for(name):
    assert len(inspect.getdoc(HOOKS[name]) or "") > 40


def test_every_bundled_package_registers_something_by_the_hook():
    modules = {entry.origin.module for catalog in discover().catalogs for entry in catalog}
    assert {package.name for package in plugin_packages(with_hook=True)} <= modules


def test_every_bundled_plugin_is_named_in_the_documentation():
    text = documentation()
    missing = [
        f"{entry.role} {entry.name}"
        for catalog in discover().catalogs
        for entry in catalog
        if entry.origin.distribution == "footfall" and f"`{entry.name}`" not in text
    ]
    assert not missing
