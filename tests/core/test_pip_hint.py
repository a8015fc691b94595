"""The pip command for an extra: it works with what is installed, and names no package index."""

import json

import pytest

from footfall.errors import FootfallError

NEEDS = "Requires-Dist: numpy>=2\n" + "".join(
    f"Requires-Dist: {need}\n"
    for need in (
        "icub-models>=2.5; extra == 'icub'",
        "a[b]<2,>=1; extra == 'two'",
        "c; (python_version < '9' and os_name == 'posix') and extra == 'two'",
    )
)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a distribution's metadata before all others."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name, origin):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n{NEEDS}")
        if origin is not None:
            (folder / "direct_url.json").write_text(origin)

    return install


def origin_of(path, **more):
    return json.dumps({"url": path.as_uri(), **more})


def test_a_clone_is_the_current_folder():
    assert FootfallError.pip("icub") == 'pip install -e ".[icub]"'


@pytest.mark.parametrize("name", ["footfall", "acme"])
def test_a_wheel_or_folder_that_is_there_is_named(name, installed, tmp_path):
    wheel = tmp_path / "my wheels" / f"{name}-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    installed(name, origin_of(wheel, archive_info={}))
    assert FootfallError.pip("icub", name) == f'pip install "{wheel}[icub]"'


def test_a_folder_that_is_no_clone_is_named(installed, tmp_path):
    installed("footfall", origin_of(tmp_path, dir_info={}))
    assert FootfallError.pip("icub") == f'pip install "{tmp_path}[icub]"'


def test_the_clone_of_another_distribution_is_named(installed, tmp_path):
    installed("acme", origin_of(tmp_path, dir_info={"editable": True}))
    assert FootfallError.pip("x", "acme") == f'pip install -e "{tmp_path}[x]"'


@pytest.mark.parametrize(
    "origin", [None, '{"url": "https://host.example/footfall.whl"}', '{"url": "file:///gone.whl"}']
)
def test_without_a_place_the_packages_of_the_extra_are_named(origin, installed):
    installed("footfall", origin)
    installed("acme", origin)
    assert FootfallError.pip("icub") == 'pip install "icub-models>=2.5"'
    assert FootfallError.pip("two") == 'pip install "a[b]<2,>=1" "c"'
    assert FootfallError.pip("two", "acme") == 'pip install "acme[two]"'


def test_a_source_that_is_not_installed_counts_as_a_clone(monkeypatch):
    monkeypatch.setattr("sys.path", [])
    assert FootfallError.pip("icub") == 'pip install -e ".[icub]"'
    assert FootfallError.pip("x", "acme") == 'pip install "acme[x]"'
