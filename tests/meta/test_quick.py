"""The quick checks find the tests of a change; the full ones begin with what is cheap."""

from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
from tests.meta.source_files import ROOT


@pytest.fixture(scope="module")
def quick():
    loader = SourceFileLoader("quick", str(ROOT / ".ci" / "quick"))
    module = module_from_spec(spec_from_loader("quick", loader))
    loader.exec_module(module)
    module.imported = cache(module.imported)
    return module


def found(quick, *changed):
    return [path.name for path in quick.tests_of([Path(path) for path in changed])]


def test_tests_of_a_change_are_found_by_imports_and_names_the_nearest_first(quick):
    names = found(quick, "core/footfall/jit/caching.py", "tests/core/test_pace.py")
    assert names[0] == "test_pace.py"
    assert "test_objects.py" in names[1:4]  # imports the module
    assert names[-1] == "test_docs_reference.py"


def test_a_part_of_a_package_has_the_tests_of_its_name(quick):
    assert "test_lcp.py" in found(quick, "plugins/contact/footfall_small_laws/lcp/contact.py")
    assert "test_trot.py" in found(quick, "plugins/devices/footfall_controllers/trot/gait.py")
    assert "test_coulomb_system.py" in found(
        quick, "plugins/contact/footfall_coulomb/kernels/newton/system.py"
    )


def test_a_page_and_a_file_of_the_project_have_no_tests_by_name(quick):
    assert found(quick, "docs/how-to/add-a-plugin.md", "CHANGELOG.md") == []


def test_the_quick_checks_can_be_executed():
    assert (ROOT / ".ci" / "quick").stat().st_mode & 0o111 == 0o111


def test_what_is_cheap_comes_first_and_the_tests_last():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    order = ["ruff check", "ruff format", "lint-imports", "mypy", "command run", "command test"]
    places = [script.rindex(name) for name in order]
    assert places == sorted(places)
