"""Commands of plugins: listed without being imported, and none harms another."""

import subprocess
import sys
from functools import partial
from typing import Annotated

import pytest
import typer
from tests.command_line import run_command
from tests.core.stand_in_registry import COMMANDS, UNORDERED, stand_in

import footfall as package
from footfall.cli.commands import CommandTable
from footfall.errors import PluginError, SceneError
from footfall.registry.registry import Broken, Origin, Registry

THEIRS = Origin("theirs", "theirs", "their-tools", "1.0")
OTHERS = Origin("others", "others", "other-tools", "2.0")


def hello(name: Annotated[str, typer.Argument(help="Who.")], loud: bool = False) -> None:
    """Say hello.

    Not in the listing.
    """
    print(f"hello {name}{'!' if loud else ''}")


def not_loaded():
    raise AssertionError("imported to be listed")


def offering(**loaders):
    """Return what one package offers."""
    registry = Registry()
    for name, loader in loaders.items():
        registry.command.add(name, loader, summary=f"does {name}")
    return registry


@pytest.fixture
def installed(monkeypatch):
    """A registry of the usual commands in the place of what is installed."""
    return stand_in(monkeypatch, Registry())


@pytest.fixture
def footfall(capsys):
    """Return a function that runs the command and gives exit code, output and errors."""
    return partial(run_command, capsys)


def test_a_function_with_annotations_is_a_command(footfall, installed):
    installed.merge(offering(hello=lambda: hello), THEIRS)
    assert footfall("hello", "you", "--loud") == (0, "hello you!\n", "")
    code, out, _ = footfall("hello", "--help")
    assert code == 0
    assert out.startswith("Usage: footfall hello [OPTIONS]")
    assert "Not in the listing." in out


def test_a_typer_with_commands_is_a_group(footfall, installed):
    group = typer.Typer(rich_markup_mode=None, help="Greet.", no_args_is_help=True)
    group.command()(hello)
    installed.merge(offering(greet=lambda: group), THEIRS)
    assert footfall("greet", "hello", "you") == (0, "hello you\n", "")
    assert "\n  hello  Say hello." in footfall("greet", "--help")[1]


def test_commands_are_listed_after_the_known_ones_without_being_imported(footfall, installed):
    installed.merge(offering(zeta=not_loaded, alpha=not_loaded), THEIRS)
    code, out, err = footfall("--help")
    listed = [line.split()[0] for line in out.partition("Commands:\n")[2].splitlines()]
    assert (code, err) == (0, "")
    assert listed == [*COMMANDS, *sorted([*UNORDERED, "alpha", "zeta"])]
    assert "  alpha    does alpha" in out


def test_the_bundled_commands_are_summed_up_as_their_help_begins():
    table = CommandTable()
    for name in table:
        help_ = " ".join(table[name].help.split())
        assert help_.startswith(table.summary(name))


HEAVY = (
    *("llvmlite", "pinocchio", "casadi", "proxsuite", "scipy", "numpy", "pandas", "zarr"),
    *("xarray", "IPython", "jedi", "matplotlib", "meshcat", "tornado", "rich"),
)
MISTYPED = """<robot name="r"><link name="trunk"/><link name="foot"/>
<joint name="hip" type="fixed"><parent link="trunk"/><child link="foto"/></joint></robot>"""


@pytest.mark.parametrize("command", ["--help", "run --help", "scenes", "import mistyped.urdf"])
def test_what_needs_no_simulation_loads_nothing_heavy(command, tmp_path):
    """Of modules that commands need when they run: NumPy alone takes half as long as --help."""
    (tmp_path / "mistyped.urdf").write_text(MISTYPED)
    heavy = (*HEAVY, "pydantic") if command == "--help" else HEAVY  # Typer takes it for options
    code = (
        "import sys\nfrom footfall.cli.main import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        f"print('LOADED', [name for name in {heavy} if name in sys.modules])\n"
        "print('CODE', [name for name in sys.modules if name.startswith('footfall_')"
        " and '.' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    *_, loaded, plugins = done.stdout.splitlines()
    assert loaded == "LOADED []"
    assert command != "--help" or plugins == "CODE []"
    assert ('no link "foto", did you mean' in done.stderr) == command.startswith("import")


@pytest.mark.parametrize(
    ("loader", "told"),
    [
        (
            lambda: exec("import no_such_package"),
            'command "hello" cannot be loaded: ModuleNotFoundError: No module named',
        ),
        (lambda: sys.exit("no"), 'command "hello" cannot be loaded: SystemExit: no'),
        (lambda: 3, 'command "hello" is not a function: its loader gave 3'),
        (lambda: strange, 'command "hello" cannot be made: AssertionError: Typer'),
    ],
)
def test_a_command_that_cannot_be_loaded_is_one_line_and_harms_no_other(
    footfall, installed, loader, told
):
    installed.merge(offering(hello=loader, good=lambda: hello), THEIRS)
    code, out, err = footfall("hello")
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {told}")
    assert err.count("\n") == 1
    assert footfall("good", "you")[1] == "hello you\n"
    assert "  hello    does hello" in footfall("--help")[1]


def strange(what: int | str) -> None:
    """Take what no command line gives."""


def test_a_command_that_lacks_a_package_says_what_to_install(footfall, installed):
    registry = Registry()
    registry.command.add("draw", not_loaded, summary="draws", requires=("no_such",), extra="all")
    installed.merge(registry, THEIRS)
    line = 'error: command "draw" needs "no_such": pip install "their-tools[all]"\n'
    assert footfall("draw") == (1, "", line)


def test_a_command_offered_twice_is_refused_by_name_and_the_others_go_on(footfall, installed):
    installed.merge(offering(hello=lambda: hello, good=lambda: hello), THEIRS)
    with pytest.raises(PluginError):
        installed.merge(offering(hello=not_loaded, fine=lambda: hello), OTHERS)
    said = 'command "hello" is offered by their-tools and other-tools'
    assert footfall("hello", "you") == (1, "", f"error: {said}: uninstall one of them\n")
    for other in ("good", "fine"):
        assert footfall(other, "you")[0] == 0
    assert f"  hello    {said[:40]}" in footfall("--help")[1]


def test_a_broken_plugin_is_told_where_its_command_is_missed(footfall, installed):
    installed.broken.append(Broken(THEIRS, "ImportError: oops"))
    note = "note: broken: their-tools 1.0: ImportError: oops\n"
    code, _, err = footfall("hello")
    assert code == 2
    assert err.startswith(note)
    assert "No such command 'hello'." in err
    code, out, err = footfall("--help")
    assert (code, err) == (0, note)
    assert "Simulate a scene" in out


def test_an_error_of_the_toolkit_in_a_command_is_one_line(footfall, installed):
    def fails() -> None:
        raise SceneError("no\n such thing", key="a.b")

    installed.merge(offering(fails=lambda: fails), THEIRS)
    assert footfall("fails") == (1, "", "error: a.b: no such thing\n")


def test_a_command_is_not_put_through_the_kit(footfall, installed):
    installed.merge(offering(hello=lambda: hello), THEIRS)
    code, _, err = footfall("check", "command", "hello", "--set", "a=1")
    assert code == 1
    assert err.startswith("error: no role 'command'")


def test_the_listing_of_plugins_has_commands_with_what_is_wrong_with_them(footfall, installed):
    installed.merge(offering(hello=lambda: 3), THEIRS)
    _, out, _ = footfall("plugins")
    assert "command" in out.split()
    assert 'command "hello" is not a function: its loader gave 3' in out


def test_a_function_of_a_plugin_is_reached_by_its_name(installed, monkeypatch):
    installed.function.add("twice", lambda: hello, summary="calls twice")
    try:
        assert package.twice is hello
        assert {"twice", "load"} <= set(dir(package))
    finally:
        vars(package).pop("twice", None)


def test_what_no_plugin_offers_is_no_attribute(installed):
    installed.broken.append(Broken(THEIRS, "ImportError: oops"))
    with pytest.raises(AttributeError, match=r"has no attribute 'twice'.*their-tools: ImportError"):
        package.twice  # noqa: B018
    assert not hasattr(package, "_private")


def test_compare_is_a_plugins_function():
    assert package.compare.__module__ == "footfall_compare.compare"


@pytest.fixture
def formats(installed, tmp_path):
    """An exporter that notes what it is asked for, and a recording that it does not look at."""
    calls = []

    def export(recording, output, *, overwrite):
        calls.append((recording, output, overwrite))

    registry = Registry()
    registry.exporter.add("txt", lambda: export, summary="plain text")
    installed.merge(registry, THEIRS)
    return calls


@pytest.fixture
def recording(tmp_path):
    """What is told from other folders by its root document; no rows."""
    from footfall.recording.root_document import root_document, write_document

    folder = tmp_path / "run.zarr"
    folder.mkdir()
    write_document(str(folder), root_document({"recording_closed": 1}, {}))
    return folder


def test_a_recording_is_exported_by_the_format_of_a_name(footfall, formats, recording, tmp_path):
    out = tmp_path / "a.txt"
    assert footfall("export", str(recording), "-o", str(out))[0] == 0
    other = ("--format", "txt", "--overwrite")
    assert footfall("export", str(recording), "-o", str(tmp_path / "b"), *other)[0] == 0
    assert formats == [(recording, out, False), (recording, tmp_path / "b", True)]
    out.touch()
    code, _, err = footfall("export", str(recording), "-o", str(out))
    assert (code, len(formats), "a.txt exists" in err) == (1, 2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "a.tyt"], "error: no exporter \"tyt\", did you mean 'txt'? (installed: txt)"),
        (["-o", "a"], "error: a: its ending is not a format: change it, or give --format"),
        (["-o", "."], "error: .: its ending is not a format"),
    ],
)
def test_what_cannot_be_exported_is_one_line(footfall, formats, recording, arguments, told):
    code, out, err = footfall("export", str(recording), *arguments)
    assert (code, out) == (1, "")
    assert told in err
    assert err.count("\n") == 1
    assert not formats
