"""``footfall validate simulators``: tasks whose answer is known, in several simulators."""

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import PluginError
from footfall.registry.discover import discover
from footfall.simulator.role import SimulatorPlugin
from footfall_validate.combination import Names, names_of_simulator
from footfall_validate.laws.study import do, plan
from footfall_validate.results import DataError
from footfall_validate.simulators.command import cells, write_simulators_page
from footfall_validate.simulators.tasks import DT, Outcome, play, play_tosses, tasks
from footfall_validate.tosses import scores as toss_scores
from footfall_validate.tosses.scores import toss_jobs

KNOWN = {task.name: task for task in tasks()}
ALLOWED = {"drop": 1e-6, "sliding cube": 1e3 * 2.0 * DT, "push": 1e3 * 2.5 * DT}
"""Errors of Footfall's own step: none in free flight, half a step's way where something slides."""


class NoGuest(SimulatorPlugin):
    """A simulator that does not step Footfall's worlds."""

    name = "apart"

    def assemble(self, scene, registry, *, tell_deep=True):
        raise NotImplementedError


def test_a_simulator_that_is_no_guest_is_refused():
    registry = discover()
    registry.simulator.add("apart", lambda: NoGuest, summary="")
    with pytest.raises(PluginError, match='"apart" cannot step worlds: it is no guest of Footfall'):
        names_of_simulator(registry, "apart")


@pytest.mark.parametrize("name", ALLOWED)
def test_footfall_finds_what_is_known(name):
    found = play(KNOWN[name], "footfall", "fair")
    assert found.failure == ""
    assert found.error < ALLOWED[name]
    assert found.natural_map[1] < 1e-8
    assert found.microseconds[0] > 0.0


@pytest.mark.parametrize(("simulator", "module"), [("mujoco", "mujoco"), ("drake", "pydrake")])
def test_another_simulator_stops_the_cube_where_it_shall(simulator, module):
    pytest.importorskip(module, reason=f'needs the extra "{simulator}"')
    found = play(KNOWN["sliding cube"], simulator, "fair")
    assert found.failure == ""
    assert found.error < 5.0
    assert 0.0 < found.microseconds[1] < found.microseconds[0]


@pytest.mark.parametrize(("simulator", "module"), [("mujoco", "mujoco"), ("drake", "pydrake")])
def test_checks_of_laws_measure_another_simulator(simulator, module):
    """Both move positions by the new velocity: they fall by g dt t / 2 too far."""
    pytest.importorskip(module, reason=f'needs the extra "{simulator}"')
    flight, sliding = (
        do(job)
        for job in plan(discover(), (), (), ["free_flight", "slope_slide"], None, [simulator])
    )
    assert flight.laws.contact == f"simulator {simulator}"
    assert flight.measures[0].measured == pytest.approx(0.5 * 9.81 * 1e-3 * 0.5, rel=1e-6)
    assert flight.measures[1].measured < 1e-7
    assert flight.outcome == "misses as declared"
    assert "not judged" in flight.reason
    assert sliding.error is None
    assert sliding.steps > 0


def test_the_page_names_error_and_simulator(tmp_path):
    found = [
        Outcome("drop", "footfall", "fair", 1e-9, (1e-12, 1e-9), 1e-9, (30.0, 30.0)),
        Outcome("drop", "drake", "default", failure="no answer"),
    ]
    text = write_simulators_page(tmp_path, found, 5).read_text()
    assert "| task | Footfall, default | Drake, default |" in text
    assert "| drop | 1e-09 | no answer |" in text
    assert "| drop | 30 |  |" in text
    assert "height minus exact height, mean over 0.6 s [mm]" in text
    assert cells(found[1])[-1] == ""


def test_the_command_writes_the_page(tmp_path, capsys):
    given = ["--task", "drop", "--simulator", "footfall", "--output", str(tmp_path)]
    with pytest.raises(SystemExit) as stopped:
        main(["validate", "simulators", *given])
    assert not stopped.value.code
    assert "Footfall" in capsys.readouterr().out
    assert "- *drop*: a cube of 0.1 m" in (tmp_path / "simulators.md").read_text()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--task", "drip"], "drop"),
        (["--task", "tosses"], "--data"),
        (["--simulator", "bullet"], "bullet"),
        (["--data", "nowhere"], "tosses_acosta550.npz"),
        (["laws", "--simulator", "mujocco"], "did you mean 'mujoco'"),
        (["laws", "--simulator", "footfall"], "steps with contact laws"),
    ],
)
def test_what_is_none_is_refused(given, words, capsys):
    of = [] if given[0] == "laws" else ["simulators"]
    with pytest.raises(SystemExit) as stopped:
        main(["validate", *of, *given])
    assert stopped.value.code
    assert words in capsys.readouterr().err.replace("\n", " ")


def test_tosses_are_played_from_their_file(tmp_path):
    """One that lies still: a cube at rest on the table stays within the width's percents."""
    rows = np.zeros((20, 13))
    rows[:, 2], rows[:, 3] = 0.0524, 1.0
    np.savez(
        tmp_path / "tosses_acosta550.npz",
        state=rows,
        offsets=np.array([0, 20]),
        group=np.array([0]),
        ic_row=np.array([0]),
        ic_vel=np.zeros((1, 6)),
    )
    found = play_tosses(tmp_path, 1, "footfall", "fair")
    assert found.failure == ""
    assert found.error < 1e-6
    (job,) = toss_jobs(tmp_path, [Names("simulator mujoco", "none", "semi_implicit_euler")], [4])
    played = toss_scores.play(job)
    assert played.error == ""
    assert np.abs(played.values).max() < 0.5  # MuJoCo's contacts give way
    with pytest.raises(DataError, match="folder that holds"):
        play_tosses(tmp_path / "none", 1, "footfall", "fair")
