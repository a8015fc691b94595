"""A command of somebody else's: built as a wheel, installed elsewhere, listed, run, broken."""

import json
from pathlib import Path

import pytest
from tests.meta.wheels import attempted, footfall, install

TEMPLATE = Path(__file__).parent / "template_command"
PLUGIN = TEMPLATE / "footfall_bodies" / "__init__.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder in which the template is installed from its wheel."""
    return install(TEMPLATE, tmp_path_factory.mktemp("command"))


def test_its_code_has_ten_lines():
    """Besides imports, blank lines and docstrings."""
    lines = [line.strip() for line in PLUGIN.read_text().splitlines()]
    code = [line for line in lines if line and not line.startswith(('"""', "from ", "import "))]
    assert len(code) <= 10


@pytest.mark.long
def test_the_command_is_listed_with_the_bundled_ones(installed, python):
    listed = [line.split(maxsplit=1) for line in footfall(python, installed, "--help").splitlines()]
    assert ["bodies", "Print the bodies of a scene."] in listed


def test_the_command_runs(installed, python):
    assert footfall(python, installed, "bodies", "cube/drop") == "cube: zero\n"
    assert "footfall bodies [OPTIONS]" in footfall(python, installed, "bodies", "--help")


def test_its_mistakes_are_one_line(installed, python):
    done = attempted(python, installed, "-m", "footfall.cli.main", "bodies", "cube/drpo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no scene 'cube/drpo', did you mean 'cube/drop'?")
    assert done.stderr.count("\n") == 1


def test_the_listing_of_plugins_says_where_it_comes_from(installed, python):
    listing = json.loads(footfall(python, installed, "plugins", "--json"))
    (plugin,) = [each for each in listing["plugins"] if each["name"] == "bodies"]
    assert (plugin["role"], plugin["distribution"]) == ("command", "footfall-bodies")
    assert plugin["problem"] is None


def test_broken_it_is_told_and_the_others_go_on(installed, tmp_path, python):
    package = tmp_path / "site" / "footfall_bodies"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import no_such_package\n")
    (info,) = (installed / "site").glob("*.dist-info")
    (tmp_path / "site" / info.name).symlink_to(info)
    done = attempted(python, tmp_path, "-m", "footfall.cli.main", "bodies", "cube/drop")
    assert done.returncode == 2
    assert "note: broken: footfall-bodies 0.1.0: ModuleNotFoundError" in done.stderr
    assert "No such command 'bodies'." in done.stderr
    assert "Compare contact laws" in footfall(python, tmp_path, "validate", "--help")
