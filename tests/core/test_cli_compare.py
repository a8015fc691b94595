import re
import subprocess
import sys
import time
from datetime import datetime
from functools import partial

import pytest
from tests.browser import browser, page_of, until
from tests.command_line import run_command
from tests.programs import interrupt

from footfall.recording.reader import open_run
from footfall_compare import page as plots
from footfall_compare.outcome import PAGE, TABLE
from footfall_compare.table import PrintedColumn, abreast

TWO = ("compare", "cube/drop", "--vary", "contact.plugin=coulomb,gauss", "--duration", "0.05")


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Return a function that runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    return partial(run_command, capsys)


def test_a_comparison_prints_a_row_each_keeps_recordings_and_writes_a_page(command, tmp_path):
    code, out, err = command(*TWO, "--vary", "simulation.time_step=1e-3,5e-4")
    assert code == 0
    told = [line.split(":")[0] for line in err.splitlines() if " of " in line]
    assert told == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    rows = [line.split() for line in out.splitlines() if re.match(r"\d ", line)]
    assert [row[:3] for row in rows] == [
        ["1", "coulomb", "0.001"],
        ["2", "coulomb", "0.0005"],
        ["3", "gauss", "0.001"],
        ["4", "gauss", "0.0005"],
    ]
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("cube-drop-compared-2")
    recordings = sorted(folder.glob("*.zarr"))
    assert [open_run(path).sizes["time"] for path in recordings] == [50, 100, 50, 100]
    assert (folder / PAGE).is_file()
    assert f"page written to runs/{folder.name}/{PAGE}" in out


def test_comparisons_in_the_same_second_do_not_collide(command, tmp_path, monkeypatch):
    class Stopped(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 1, 1)

    monkeypatch.setattr("datetime.datetime", Stopped)
    one = ("compare", "cube/drop", "--vary", "contact.plugin=coulomb", "--duration", "0.001")
    assert [command(*one)[0] for _ in range(2)] == [0, 0]
    names = {path.name for path in (tmp_path / "runs").iterdir()}
    stem = "cube-drop-compared-20260101-000000"
    assert names == {stem, f"{stem}-2"}


def test_a_refused_combination_is_shown_with_its_reason(command):
    code, out, _ = command(
        *("compare", "ball/bounce", "--vary", "contact.plugin=coulomb,gauss"),
        *("--duration", "0.01", "--output", "out"),
    )
    assert code == 0
    (row,) = (line for line in out.splitlines() if line.startswith("2  gauss"))
    assert row.split()[-1] == "refused"
    assert '2 refused: impact.plugin: impact "inelastic" cannot do restitution' in out


def test_if_nothing_can_run_the_exit_code_says_so(command):
    code, out, _ = command(
        *("compare", "cube/drop", "--vary", "contact.plugin=coulomb,lcp", "--duration", "0.01"),
        *("--set", "integrator.plugin=rk4", "--output", "out"),
    )
    assert code == 1
    assert out.count("refused: ") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--vary", "contact.plugin"], "must be KEY=VALUE,VALUE"),
        (["--vary", "contact.plugin="], "a value is empty"),
        (["--vary", "contact.plugin=coulomb,,gauss"], "a value is empty"),
        (["--vary", "contact.plugin=gaus"], "did you mean 'gauss'"),
        (["--vary", "contact.margin=[1,2"], "not valid TOML"),
        (["--vary", "contact.plugin=gauss", "--set", "contact.plugin=coulomb"], "set and varied"),
        (["--vary", "contact.margin=1e-3", "--vary", "contact.margin=1e-2"], "varied twice"),
        (["--vary", "contact.plugin=gauss", "--output", "there"], "there exists"),
        (["--vary", "contact.plugin=gauss", "--output", "there", "--overwrite"], "'mine'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(command, arguments, words, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("kept")
    code, out, err = command("compare", "cube/drop", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert words in err
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there" / "mine").read_text() == "kept"


@pytest.mark.long
def test_overwriting_leaves_nothing_of_the_earlier_comparison(command, tmp_path):
    assert command(*TWO, "--output", "out")[0] == 0
    command("compare", "cube/drop", "--vary", "contact.plugin=lcp", "--output", "out")
    assert len(list((tmp_path / "out").glob("*.zarr"))) == 2
    one = ("compare", "cube/drop", "--vary", "contact.plugin=lcp", "--duration", "0.01")
    assert command(*one, "--output", "out", "--overwrite")[0] == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"1-lcp.zarr", PAGE, TABLE}


def test_without_plotly_table_and_recordings_are_there_and_what_is_missing_is_said(
    command, tmp_path, monkeypatch
):
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    code, out, err = command(*TWO, "--output", "out")
    assert code == 0
    assert "coulomb" in out
    assert err.endswith('note: no page: the page needs "plotly": pip install -e ".[plots]"\n')
    assert len(list((tmp_path / "out").iterdir())) == 3


def test_ctrl_c_keeps_what_is_done(tmp_path):
    command = [sys.executable, "-m", "footfall.cli.main", "compare", "pendulum/swing"]
    options = ["--vary", "simulation.duration=0.01,1e4,0.02", "--output", "out"]
    process = subprocess.Popen(
        command + options, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 300
    while not any((tmp_path / "out").glob("2-*.zarr/q/c.*")):
        assert time.monotonic() < end, "the second run did not begin"
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    out, err = interrupt(process, 300.0)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert re.search(r"^2 interrupted: interrupted at [\d.]+ s$", out, re.MULTILINE)
    assert "interrupted: 2 of 3 started" in err
    (first, second) = sorted((tmp_path / "out").glob("*.zarr"))
    assert open_run(first).attrs["complete"] == 1
    assert open_run(second).attrs["complete"] == 0
    assert open_run(second).attrs["recording_closed"] == 1
    assert (tmp_path / "out" / PAGE).is_file()


def test_a_narrow_terminal_gets_several_tables_that_fit():
    names = [PrintedColumn("", ("1",)), PrintedColumn("contact.\nplugin", ("coulomb",), True)]
    figures = [PrintedColumn(f"figure\n{n}", ("1.0e-10",)) for n in range(7)]
    for width in (30, 50, 80, 200):
        parts = list(abreast(names, figures, width))
        assert all(sum(column.width for column in part) <= width for part in parts)
        assert [c for part in parts for c in part[2:]] == figures
        assert all(part[:2] == names for part in parts)
    assert len(list(abreast(names, figures, 200))) == 1


@pytest.mark.long
@pytest.mark.browser
def test_the_page_overlays_the_runs_and_asks_the_network_for_nothing(command, tmp_path):
    pytest.importorskip("plotly", reason='could not import plotly: pip install -e ".[plots]"')
    assert command(*TWO, "--vary", "bodies.cube.friction=0.3,0.6", "--output", "out")[0] == 0
    path = tmp_path / "out" / PAGE
    with browser() as chromium, page_of(chromium, path.as_uri()) as page:
        names = until(page, "[...document.querySelectorAll('.legendtext')].map(e => e.innerHTML)")
        assert names == [
            *("coulomb, friction 0.3", "coulomb, friction 0.6"),
            *("gauss, friction 0.3", "gauss, friction 0.6"),
        ]
        drawn = page.evaluate("document.querySelectorAll('.subplot').length")
        lines = page.evaluate("[...document.querySelectorAll('.scatterlayer .trace')].length")
        titles = page.evaluate(
            "[...document.querySelectorAll('.annotation-text')].map(e => e.textContent)"
        )
        assert drawn == len(titles)
        assert {"height of cube", "energy dissipated", "residual (natural map)"} <= set(titles)
        assert 3 * (drawn - 2) + 3 <= lines <= 4 * drawn
        assert page.asked == [path.as_uri()]
        assert page.evaluate("document.querySelectorAll('tr.complete').length") == 4
