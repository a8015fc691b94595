"""``footfall validate engines``: the table of all engines on all robots."""

import pytest

from footfall.cli.main import main
from footfall_validate.engines import command as engines_command
from footfall_validate.engines import parity as engine_parity
from footfall_validate.engines.parity import REFERENCE, compare_on, contenders


@pytest.fixture
def one_robot(monkeypatch):
    monkeypatch.setattr(engine_parity, "robots", lambda: ["rrbot"])


def test_every_installed_engine_is_compared_with_the_reference():
    engines, left_out = contenders()
    assert engines[0] == REFERENCE
    assert {"featherstone", "pinocchio"} <= set(engines)
    assert len(engines) + len(left_out) == 5
    found = list(compare_on("quadruped", engines))
    assert [parity.engine for parity in found] == engines
    for parity in found:
        assert max(parity.M, parity.h, parity.S, parity.pose) < engines_command.ALLOWED
        assert parity.nv == 18
        assert parity.time > 0.0


def test_the_page_has_a_row_an_engine(one_robot, tmp_path, capsys):
    assert run(["validate", "engines", "--output", str(tmp_path)]) == 0
    text = (tmp_path / "engines.md").read_text()
    engines, _ = contenders()
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| `")]
    assert [row[0].strip(" `") for row in rows] == engines
    assert max(float(cell) for row in rows for cell in row[1:5]) < engines_command.ALLOWED
    assert "the 1 robots" in text
    assert "FAILS" not in capsys.readouterr().out


def test_an_engine_that_is_wrong_is_named(one_robot, monkeypatch, capsys):
    by_tree = engine_parity._by_tree

    def skewed(tree):
        exact = by_tree(tree)
        factor = 1.0 + (1e-9 if "Featherstone" in type(tree).__name__ else 0.0)

        def evaluate(q, v):
            M, h, S, pose = exact(q, v)
            return factor * M, h, S, pose

        return evaluate

    monkeypatch.setattr(engine_parity, "_by_tree", skewed)
    assert run(["validate", "engines"]) == 1
    assert "FAILS: featherstone on rrbot" in capsys.readouterr().out


def run(arguments):
    """Return the exit code of a command."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return stopped.value.code or 0
