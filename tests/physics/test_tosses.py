"""Real cube tosses: the published scoring protocol, nothing fitted.

Acosta, Yang, Posa, Validating Robotics Simulators on Real-World Impacts, RA-L 2022. Friction is the
measured one (tilt test), mass and inertia are the cube's, e = 0, the law has its default settings.
"""

from pathlib import Path

import numpy as np
import pytest

from footfall_validate.combination import Names
from footfall_validate.tosses.page import write_toss_page
from footfall_validate.tosses.recorded import ARRAYS, FILE, DataError, read_tosses
from footfall_validate.tosses.scores import PUBLISHED, Score, score_tosses, toss_jobs

DATA = Path(__file__).parents[2].parent / "shared" / "reference" / "tosses"
COULOMB = Names("coulomb", "none", "semi_implicit_euler")
recorded = pytest.mark.skipif(
    not (DATA / FILE).exists(), reason="the recorded tosses are not beside the project"
)


@pytest.mark.long
@pytest.mark.reference
@recorded
def test_untuned_tosses_are_as_close_as_fitted_simulators_are():
    """At most 14.3 % and 17.5 degrees over all 550 (Drake, fitted on them: 13.5 % and 16.5)."""
    (score,) = score_tosses(toss_jobs(DATA, [COULOMB], [10]), workers=1)
    assert score.failed == 0
    assert score.position[0] <= 14.3
    assert score.rotation[0] <= 17.5


@pytest.mark.reference
@recorded
def test_all_550_tosses_are_played_row_by_row():
    tosses = read_tosses(DATA)
    assert len(tosses) == 550
    assert tosses.physical == 520
    lengths = [len(tosses.rows(i)) for i in range(550)]
    assert (min(lengths), np.median(lengths), max(lengths)) == (70, 93.5, 123)


def resting(folder, **changes):
    """Write a file of one toss that lies still at the height where the cube touches."""
    state = np.zeros((20, 13))
    state[:, 2], state[:, 3] = 0.0524, 1.0
    arrays = {
        "state": state,
        "offsets": np.array([0, 20]),
        "group": np.array([0]),
        "ic_row": np.array([0]),
        "ic_vel": np.zeros((1, 6)),
    } | changes
    np.savez(folder / FILE, **arrays)


def test_a_cube_at_rest_scores_zero(tmp_path):
    resting(tmp_path)
    (score,) = score_tosses(toss_jobs(tmp_path, [COULOMB], [4]), workers=1)
    assert score.position[0] < 1e-6
    assert score.rotation[0] < 1e-5


def test_a_recording_that_is_off_by_a_width_scores_a_hundred_percent(tmp_path):
    """All rows but the first lie one width aside, turned by 90 degrees: 19 of 20 rows."""
    state = np.zeros((20, 13))
    state[:, 2], state[:, 3] = 0.0524, 1.0
    state[1:, 0], state[1:, 3], state[1:, 6] = 0.1048, np.sqrt(0.5), np.sqrt(0.5)
    resting(tmp_path, state=state)
    (score,) = score_tosses(toss_jobs(tmp_path, [COULOMB], [1]), workers=1)
    assert score.position[0] == pytest.approx(95.0, abs=1e-6)
    assert score.rotation[0] == pytest.approx(90.0 * 0.95, abs=1e-5)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_file_without_an_array_is_refused(tmp_path, name):
    resting(tmp_path)
    with np.load(tmp_path / FILE) as data:
        kept = {key: data[key] for key in data if key != name}
    np.savez(tmp_path / FILE, **kept)
    read_tosses.cache_clear()
    with pytest.raises(DataError, match=f"no array '{name}'"):
        read_tosses(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": np.array([0, 19])},
        {"ic_row": np.array([20])},
        {"ic_vel": np.zeros((1, 3))},
        {"state": np.zeros((20, 7))},
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, changes):
    resting(tmp_path, **changes)
    read_tosses.cache_clear()
    with pytest.raises(DataError, match=r"offsets|has shape"):
        read_tosses(tmp_path)


def test_a_folder_without_tosses_and_a_file_of_something_else_are_refused(tmp_path):
    with pytest.raises(DataError, match="give the folder"):
        read_tosses(tmp_path)
    (tmp_path / FILE).write_text("not an archive")
    with pytest.raises(DataError, match="not a readable file"):
        read_tosses(tmp_path)


def test_the_published_scores_stand_beside_ours():
    assert {score.who.split()[0] for score in PUBLISHED} == {"Drake", "Bullet", "MuJoCo"}


def test_mujoco_plays_a_toss_that_rests_where_it_is(tmp_path):
    theirs = pytest.importorskip("footfall_validate.tosses.mujoco")
    resting(tmp_path)
    read_tosses.cache_clear()
    scores = theirs.mujoco_scores(tmp_path, [1, 4])
    assert [score.who.split(", ")[1] for score in scores] == 2 * ["elliptic"] + 2 * ["pyramidal"]
    for score in scores:
        assert 1e-3 < score.position[0] < 1.0  # it sinks into its soft contact
        assert score.rotation[0] < 1e-6
        assert score.failed == 0


@pytest.mark.long
@pytest.mark.reference
@recorded
def test_mujocos_elliptic_cone_is_closer_than_its_pyramid():
    theirs = pytest.importorskip("footfall_validate.tosses.mujoco")
    read_tosses.cache_clear()
    elliptic, pyramidal = theirs.mujoco_scores(DATA, [10])
    # A run by others of the same protocol with MuJoCo 4.0 gave 14.5 % and 17.4 degrees.
    assert elliptic.position[0] == pytest.approx(14.5, abs=0.4)
    assert elliptic.rotation[0] == pytest.approx(17.4, abs=0.9)
    assert pyramidal.position[0] > elliptic.position[0] + 10.0


def test_the_page_has_a_row_a_law_with_its_errors_by_substeps(tmp_path):
    few = Score("law", 1, (13.0, 8.0), (18.0, 20.0), (0.4, 0.9))
    many = Score("law", 20, (12.0, 8.0), (17.0, 20.0), (0.3, 0.8), failed=3)
    text = write_toss_page(tmp_path, [few, many]).read_text()
    assert "| law | 13.0 |  | 12.0 | 0.30 | 17.0 | 0.80 |" in text
    assert "| Drake (fitted) |  | 13.5 |  |  | 16.5 |  |" in text
    assert "- `law`, 20 substeps: 3 tosses failed" in text
