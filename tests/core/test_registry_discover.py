import os
import subprocess
import sys
import textwrap

import pytest

from footfall.errors import PluginError
from footfall.registry.discover import discover
from footfall.registry.registry import Registry

GOOD = """
    from footfall.registry import hookimpl
    from footfall.interfaces.plugin import Capability
    from footfall.interfaces.controller import Controller

    class Still(Controller):
        name = {name!r}
        def setup(self, model, posture): ...
        def command(self, observation, command): ...

    @hookimpl
    def footfall_register(registry):
        registry.controller.add({name!r}, lambda: Still, summary="does nothing")
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a distribution with one plugin module."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(distribution, source, module=None, version="1.2.3"):
        module = module or distribution.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(source))
        info = tmp_path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(f"[footfall]\n{distribution} = {module}\n")

    yield make
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def broken_reason(registry, distribution):
    (reason,) = [b.reason for b in registry.broken if b.origin.distribution == distribution]
    assert "\n" not in reason
    return reason


def test_an_installed_plugin_is_found_with_its_distribution_and_version(install):
    install("acme-still", GOOD.format(name="acme"))
    entry = discover().controller["acme"]
    assert entry.origin is not None
    assert (entry.origin.distribution, entry.origin.version) == ("acme-still", "1.2.3")
    assert entry.load().name == "acme"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise ValueError('one\\ntwo')", "ValueError: one two"),
        ("def footfall_register(registry): ...", "implements no hook footfall_register"),
        (
            """
            from footfall.registry import hookimpl
            @hookimpl
            def footfall_regster(registry): ...
            """,
            "unknown hook 'footfall_regster'",
        ),
        (
            """
            from footfall.registry import hookimpl
            @hookimpl
            def footfall_register(reg): ...
            """,
            "{'reg'}",
        ),
        (
            """
            from footfall.registry import hookimpl
            @hookimpl
            def footfall_register(registry):
                registry.contacts.add("x", int, summary="")
            """,
            "AttributeError: 'Registry' object has no attribute 'contacts'",
        ),
    ],
)
def test_a_broken_plugin_is_listed_with_its_reason_and_harms_no_other(install, source, reason):
    install("broken-one", source)
    install("acme-still", GOOD.format(name="acme"))
    registry = discover()
    assert reason in broken_reason(registry, "broken-one")
    assert "acme" in registry.controller


OFFERS = """
    from footfall.registry import hookimpl

    @hookimpl
    def footfall_register(registry):
        {statement}
"""
REMEDY = "install a newer version of the plugin, or adapt it (footfall's CHANGELOG says how)"
WRITTEN_BEFORE = [
    ("from footfall.api.errors import PluginError", "No module named 'footfall.api.errors'"),
    ("from footfall.api.contact import lone_problem", "cannot import name 'lone_problem'"),
    ("from footfall.api import config", "cannot import name 'config'"),
]


@pytest.mark.parametrize(("statement", "reason"), WRITTEN_BEFORE)
def test_a_plugin_for_the_contract_of_before_is_refused_with_a_remedy(install, statement, reason):
    install("of-before", statement)
    told = broken_reason(discover(), "of-before")
    assert reason in told
    assert told.endswith(f"it was written for another version of footfall.api: {REMEDY}")


@pytest.mark.parametrize(("statement", "reason"), WRITTEN_BEFORE)
def test_so_is_one_whose_class_is_imported_when_it_is_chosen(install, statement, reason):
    add = 'registry.contact.add("old", "old_law:Law", summary="")'
    install("of-before", OFFERS.format(statement=add))
    install("old-law", statement)
    with pytest.raises(PluginError) as raised:
        discover().find("contact", "old").load()
    told = str(raised.value)
    assert told.startswith('contact "old" cannot be loaded: ')
    assert reason in told
    assert told.endswith(REMEDY)


def test_a_plugin_with_the_name_of_a_catalog_of_before_is_refused_with_a_remedy(install):
    install("of-before", OFFERS.format(statement='registry.backend.add("x", int, summary="")'))
    told = broken_reason(discover(), "of-before")
    assert told == f"registry.backend is registry.simulator since interface version 2: {REMEDY}"


def test_a_name_that_nobody_offers_is_told_together_with_the_broken_plugins(install):
    install("broken-one", "raise ValueError('oops')")
    install("acme-still", GOOD.format(name="acme"))
    registry = discover()
    with pytest.raises(PluginError, match=r"did you mean 'acme'.*broken-one: ValueError: oops"):
        registry.find("controller", "acne")


def test_a_name_offered_twice_is_an_error_naming_both_distributions_when_chosen(install):
    both = GOOD + "        registry.controller.add('only-{dist}', lambda: Still, summary='')\n"
    install("acme-still", both.format(name="same", dist="acme"))
    install("zeta-still", both.format(name="same", dist="zeta"))
    registry = discover()
    assert 'controller "same" is offered by acme-still and zeta-still' in broken_reason(
        registry, "zeta-still"
    )
    for ask in (registry.controller.__getitem__, lambda name: registry.find("controller", name)):
        with pytest.raises(PluginError, match="offered by acme-still and zeta-still: uninstall"):
            ask("same")
    assert {"only-acme", "only-zeta"} <= set(registry.controller.names())


def test_a_plugin_that_registers_half_before_it_fails_registers_nothing(install):
    install("half-done", GOOD.format(name="half") + "        raise RuntimeError('late')\n")
    registry = discover()
    assert "half" not in registry.controller
    assert broken_reason(registry, "half-done") == "RuntimeError: late (half_done.py:14)"


def test_discovery_starts_afresh_each_time(install):
    assert "late" not in discover().controller
    install("late-comer", GOOD.format(name="late"))
    assert "late" in discover().controller


def test_ctrl_c_while_loading_is_not_swallowed(install):
    install("interrupted", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        discover()


HEAVY = [
    "pinocchio",
    "casadi",
    "meshcat",
    "zarr",
    "xarray",
    "typer",
    "rich",
    "tornado",
    "proxsuite",
]


def loaded_by(code):
    code += f"\nimport sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    env = {**os.environ, "PYTHONWARNINGS": "error"}
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    return out.stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import footfall",
        "from footfall.registry.discover import discover; assert not discover().engine.clashes",
        "import footfall.scene.load",
    ],
)
def test_importing_and_discovering_load_nothing_heavy(code):
    assert loaded_by(code) == []


def test_the_test_of_imports_would_see_a_heavy_one():
    assert "rich" in loaded_by("import rich")


def test_a_fresh_registry_shares_nothing():
    Registry().controller.add("x", lambda: None, summary="")
    assert "x" not in Registry().controller


def test_registries_share_nothing_though_plugins_are_asked_once_what_they_register():
    before = discover()
    before.controller.add("x", lambda: None, summary="")
    again = discover()
    assert "x" not in again.controller
    assert [entry.name for entry in again.engine] == [entry.name for entry in before.engine]
