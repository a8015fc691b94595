"""An exception of a plugin's is told with the place in the plugin's own code."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from tests.core.stand_in_registry import stand_in

from footfall.cli.main import main
from footfall.errors import PluginError, SolverError, error_line, plugin_place
from footfall.interfaces.contact import ForceLaw
from footfall.interfaces.plugin import NoConfig
from footfall.registry import discover as discovery
from footfall.registry.registry import Registry
from footfall.scene.choose import make
from footfall.scene.scene import Choice
from footfall.testing import check_plugin, conform
from footfall.testing.check import Check, checks_of

HERE = "tests/core/test_plugin_errors.py"


def line_of(mark):
    """Return the line of this file that ends with a comment."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))
    return number


def place(mark):
    return f"({HERE}:{line_of(mark)})"


class Law(ForceLaw):
    """Fails where it is told to."""

    name = "fails"

    def __init__(self, config):
        self.config = config
        raise KeyError("no table")  # constructor

    def force(self, problem, state, rate, out):
        np.zeros(2) @ np.zeros(3)  # force


class Made(Law):
    """Fails only in its force."""

    name = "made"

    def __init__(self, config):
        pass


def caught(function, *arguments):
    """Return what a function of a plugin's raises, caught as the core catches it."""
    try:
        Check("contact", "x", "x", lambda _: function(*arguments)).run(None)
    except Exception as error:
        return error


@pytest.fixture
def registry(monkeypatch):
    """Two laws that are made and one that cannot be loaded; found instead of what is installed."""

    def loader():
        raise OSError("no library")  # loader

    registry = Registry()
    registry.contact.add("fails", lambda: Law, summary="")
    registry.contact.add("made", lambda: Made, summary="")
    registry.contact.add("absent", loader, summary="")
    stand_in(monkeypatch, registry)
    monkeypatch.setattr(conform, "checks", lambda role: checks_of(role, calls))
    return registry


def calls(subject):
    """Call the law."""
    subject.make().force(None, None, None, None)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    out, err = capsys.readouterr()
    return exit_.value.code, out, err


def test_the_innermost_frame_of_the_plugins_own_is_named_not_numpys(registry):
    error = caught(Made(None).force, None, None, None, None)
    assert error_line(error).startswith("ValueError: matmul")
    assert error_line(error).endswith(place("force"))


def test_an_error_in_core_has_no_place():
    with pytest.raises(AttributeError) as raised:
        make(None, Registry())
    assert plugin_place(raised.value) is None
    assert error_line(raised.value).startswith("AttributeError: 'NoneType'")


def test_an_error_for_lack_of_threads_names_the_remedy():
    line = error_line(RuntimeError("can't start new thread"))
    assert line.startswith("RuntimeError: can't start new thread: allow more processes (ulimit -u")
    assert "ulimit" not in error_line(RuntimeError("a thread"))


def test_an_error_of_the_tree_is_told_as_it_is():
    def refuse():
        raise SolverError("no answer")

    assert error_line(caught(refuse)) == "SolverError: no answer"


def test_a_syntax_error_names_the_file_that_has_it(tmp_path):
    path = tmp_path / "my_law" / "contact.py"
    path.parent.mkdir()
    path.write_text("import os\ndef force(:\n")
    error = caught(runpy.run_path, str(path))
    assert error_line(error) == "SyntaxError: invalid syntax (my_law/contact.py:2)"


def test_a_plugin_that_cannot_be_loaded_says_where(registry):
    with pytest.raises(PluginError, match=re.escape("OSError: no library " + place("loader"))):
        registry.contact["absent"].load()


def test_a_constructor_that_fails_says_where(registry):
    choice = Choice("contact", "fails", NoConfig())
    with pytest.raises(
        PluginError, match=re.escape("KeyError: 'no table' " + place("constructor"))
    ):
        make(choice, registry)


def test_a_check_that_a_plugin_breaks_off_says_where(registry):
    failures = {
        r.check.name: r.finding for r in check_plugin("contact", "made", registry=registry).failures
    }
    assert failures["calls"].message.endswith(place("force"))
    assert isinstance(failures["calls"].error, ValueError)


@pytest.mark.parametrize("where", [("--traceback", "check"), ("check", "--traceback")])
def test_check_shows_all_of_it_where_it_is_asked_to(capsys, registry, where):
    code, out, err = run(capsys, *where, "contact", "made")
    assert code == 1
    assert place("force") in out
    assert "Traceback (most recent call last)" in err
    assert "np.zeros(2) @ np.zeros(3)" in err


def test_check_shows_one_line_where_it_is_not(capsys, registry):
    code, out, err = run(capsys, "check", "contact", "made")
    assert (code, err) == (1, "")
    assert "Traceback" not in out


def test_an_exception_that_nobody_expects_of_a_plugin_is_one_line(capsys, monkeypatch):
    def discover():
        caught_nowhere()

    def caught_nowhere():
        raise RuntimeError("of a\n plugin")  # anywhere

    monkeypatch.setattr(discovery, "discover", discover)
    code, out, err = run(capsys, "plugins")
    assert (code, out, err) == (1, "", f"error: RuntimeError: of a plugin {place('anywhere')}\n")


@pytest.mark.parametrize("variable", [False, True])
def test_traceback_shows_all_of_it_and_the_line(capsys, monkeypatch, variable):
    monkeypatch.setenv("FOOTFALL_TRACEBACK", "1" if variable else "0")
    code, _, err = run(capsys, "run", "cube/drpo", *([] if variable else ["--traceback"]))
    assert code == 1
    assert err.startswith("Traceback (most recent call last)")
    assert err.splitlines()[-1].startswith("error: no scene 'cube/drpo'")


def test_an_error_of_cores_own_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr(discovery, "discover", int.__add__)  # called without arguments
    with pytest.raises(TypeError):
        main(["plugins"])


def test_an_error_of_cores_own_below_a_command_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr("footfall.scene.load.read_toml", int.__add__)
    with pytest.raises(TypeError):
        main(["run", "cube/drop"])
