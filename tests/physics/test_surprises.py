"""The twelve surprises: which of them Footfall has, and that MuJoCo's figures are measured."""

import pytest
from tests.cases import first

from footfall.cli.main import main
from footfall_validate.surprises.surprises import SURPRISES

BY_NAME = {surprise.name: surprise for surprise in SURPRISES}
OF_THE_SCHEME = {
    # Late by v dt / 2: 2 m/s, between 1 and 10 ms, of 0.408 m.
    "slip that depends on the step": 100.0 * 2.0 * (10e-3 - 1e-3) / 2.0 / 0.4077,
    # First order; looked at beside `rk4` in the tests of energy.
    "energy from nothing": 2.0,
    # What another setting overrules, and what touches nothing.
    "silent parameters": 2.0,
}
SMALL = 1e-3
"""In the units of the table: um, or a hundred-thousandth."""


def test_there_are_twelve():
    assert len(BY_NAME) == len(SURPRISES) == 12


@pytest.mark.parametrize("name", first(*BY_NAME, runs=2))
def test_what_surprises_elsewhere_is_small_here_or_of_the_schemes_order(name):
    bound = OF_THE_SCHEME.get(name, SMALL)
    assert abs(BY_NAME[name].ours()) <= 1.02 * bound


@pytest.mark.long
def test_mujocos_are_measured_beside_them():
    theirs = pytest.importorskip("footfall_validate.surprises.mujoco")
    found = {surprise.name: theirs.MEASURES[surprise.theirs]() for surprise in SURPRISES}
    # A pyramid |fx| + |fy| <= mu fn has cos 45 of friction along the diagonal.
    beyond = next(value for name, value in found.items() if name.startswith("friction"))
    assert beyond == pytest.approx(100.0 * (0.5**0.5 - 1.0), abs=1.0)
    # The same scheme, the same pendulum: the same error.
    energy = BY_NAME["energy from nothing"].ours()
    assert found["energy from nothing"] == pytest.approx(energy, rel=1e-6)
    assert found["buffers that change forces"] == pytest.approx(20.0, rel=1e-3)


@pytest.mark.long
def test_the_command_writes_a_table(tmp_path, capsys):
    pytest.importorskip("mujoco")
    with pytest.raises(SystemExit) as ended:
        main(["validate", "surprises", "--output", str(tmp_path)])
    assert not ended.value.code
    shown, page = capsys.readouterr().out, (tmp_path / "surprises.md").read_text()
    for name in BY_NAME:
        assert name in page
        assert name in shown
