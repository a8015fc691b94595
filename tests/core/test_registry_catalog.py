import sys
from types import ModuleType

import pytest

from footfall.errors import PluginError
from footfall.interfaces.controller import Controller
from footfall.registry.registry import Origin, Registry

ORIGIN = Origin("acme", "acme", "acme-laws", "2.0")


class Still(Controller):
    name = "still"

    def setup(self, model, posture):
        pass

    def command(self, observation, command):
        pass


def entry(loader=lambda: Still, name="still", origin=None, **options):
    registry = Registry()
    registry.controller.add(name, loader, summary="does nothing", **options)
    if origin:
        merged = Registry()
        merged.merge(registry, origin)
        registry = merged
    return registry.controller[name]


def refusal(loader, **options):
    with pytest.raises(PluginError) as caught:
        entry(loader, **options).load()
    return str(caught.value)


def test_a_complete_plugin_is_loaded():
    assert entry().load() is Still


def test_a_loader_may_be_the_place_of_what_is_offered():
    text = f"{Still.__module__}:Still"
    sys.modules.setdefault(Still.__module__, sys.modules[__name__])
    assert entry(text).load() is Still


def test_a_place_that_does_not_exist_is_told_with_the_plugins_name():
    assert "acme_nowhere" in refusal("acme_nowhere.contact:Law")


def test_nothing_is_loaded_until_asked():
    def loader():
        raise AssertionError("loaded too early")

    assert entry(loader).summary == "does nothing"


def test_a_missing_dependency_is_told_with_the_pip_line():
    told = refusal(lambda: Still, requires=("no_such_package",), extra="x", name="still")
    assert told == 'controller "still" needs "no_such_package": pip install -e ".[x]"'


def test_the_pip_line_names_the_plugins_own_distribution():
    told = refusal(lambda: Still, requires=("no_such_package",), extra="x", origin=ORIGIN)
    assert told.endswith('pip install "acme-laws[x]"')


def test_without_an_extra_the_pip_line_names_the_package():
    told = refusal(lambda: Still, requires=("no_such_package",))
    assert told.endswith('pip install "no_such_package"')


def test_a_dependency_below_a_missing_package_is_missing():
    assert entry(requires=("no_such_package.part",)).missing == ("no_such_package.part",)
    assert entry(requires=("numpy", "numpy.linalg", "sys")).missing == ()


def test_a_module_that_was_put_there_by_hand_counts_as_installed(monkeypatch):
    bare = ModuleType("bare_package")
    bare.__spec__ = None
    monkeypatch.setitem(sys.modules, "bare_package", bare)
    assert entry(requires=("bare_package",)).missing == ()
    monkeypatch.setitem(sys.modules, "bare_package", None)
    assert entry(requires=("bare_package",)).missing == ("bare_package",)


@pytest.mark.parametrize("error", [ImportError("a\nb"), SystemExit(2), ZeroDivisionError()])
def test_a_loader_that_raises_is_told_in_one_line(error):
    def loader():
        raise error

    told = refusal(loader)
    assert told.startswith(f'controller "still" cannot be loaded: {type(error).__name__}')
    assert "\n" not in told


@pytest.mark.parametrize("thing", [None, Still(), int, type("Law", (), {"name": "still"})])
def test_a_class_of_another_role_is_refused(thing):
    assert "is not a subclass of Controller" in refusal(lambda: thing)


def test_another_interface_version_is_refused():
    cls = type("Old", (Still,), {"interface_version": 0})
    assert refusal(lambda: cls) == (
        'controller "still" was written for interface version 0, this is version 2: install a '
        "newer version of the plugin, or adapt it (footfall's CHANGELOG says how)"
    )


def test_an_incomplete_class_is_refused_with_what_it_lacks():
    cls = type("Half", (Controller,), {"name": "still", "setup": Still.setup})
    assert refusal(lambda: cls) == 'controller "still" does not implement command'


def test_a_class_with_another_name_is_refused():
    cls = type("Other", (Still,), {"name": "moving"})
    assert "has another name in its class: 'moving'" in refusal(lambda: cls)


def test_a_config_that_is_no_plugin_config_is_refused():
    cls = type("Loose", (Still,), {"Config": dict})
    assert "has a Config that is not a PluginConfig" in refusal(lambda: cls)


def test_one_plugin_may_not_offer_a_name_twice():
    registry = Registry()
    registry.controller.add("still", lambda: Still, summary="")
    with pytest.raises(PluginError, match='controller "still" is offered twice'):
        registry.controller.add("still", lambda: Still, summary="")


def test_an_unknown_name_offers_the_nearest_and_lists_all():
    registry = Registry()
    with pytest.raises(PluginError, match=r'no controller plugin "stil" \(installed: none\)'):
        registry.find("controller", "stil")
    registry.controller.add("still", lambda: Still, summary="")
    with pytest.raises(PluginError, match=r"did you mean 'still'\? \(installed: still\)"):
        registry.find("controller", "stil")


def test_an_unknown_role_offers_the_nearest():
    with pytest.raises(PluginError, match="no role 'contacts', did you mean 'contact'"):
        Registry().find("contacts", "x")


def test_a_catalog_lists_its_entries_by_name():
    registry = Registry()
    for name in "ba":
        registry.controller.add(name, lambda: Still, summary="")
    assert [e.name for e in registry.controller] == registry.controller.names() == ["a", "b"]


def test_what_cannot_be_loaded_or_told_apart_is_not_among_the_loadable():
    registry = Registry()
    registry.controller.add("still", lambda: Still, summary="")
    registry.controller.add("absent", lambda: Still, summary="", requires=("no_such_package",))
    assert list(registry.controller.loadable()) == [("still", Still)]
    with pytest.raises(PluginError):
        registry.merge(registry, ORIGIN)
    assert list(registry.controller.loadable()) == []
