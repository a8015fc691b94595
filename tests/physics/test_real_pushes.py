"""Real pushes of a cube: the data's frames, what is fitted on a part of it, and the predictions.

Collins, Howard, Leitner, Quantifying the reality gap in robotic manipulation tasks, 2018. Synthetic
runs have the same form and known answers.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from footfall_validate.combination import Names
from footfall_validate.pushes.recorded import (
    GRID,
    RATE,
    SIDE,
    errors,
    fitted_bar,
    fitted_friction,
    gaps,
    read_published,
    read_pushes,
    training,
)
from footfall_validate.pushes.scores import (
    REAL,
    SMOOTH,
    held_out,
    score_law,
    score_others,
    write_push_page,
)
from footfall_validate.results import DataError

DATA = Path(__file__).parents[2].parent / "shared" / "reference" / "pushes"
COULOMB = Names("coulomb", "none", "semi_implicit_euler")
recorded = pytest.mark.skipif(
    not (DATA / "real.npz").exists(), reason="the recorded pushes are not beside the project"
)
BAR, MU, SPEED = np.array([-0.08, -0.1, 0.05]), 0.3, 0.2
FIRST, PUSHED = 1500, 50
"""Row at which the bar touches the cube, and rows for which it pushes."""


@pytest.fixture(autouse=True)
def _read_anew():
    read_pushes.cache_clear()


def run():
    """Return a run: a bar pushes at constant speed, turns, then slows down faster than the cube."""
    t, rows = np.arange(2000) / 100.0, np.zeros((2000, 50))
    since = t - FIRST / 100.0
    pushing = np.clip(since, 0.0, PUSHED / 100.0)
    coasted = np.clip(since - PUSHED / 100.0, 0.0, SPEED / (MU * 9.81))
    cube = np.zeros((2000, 3))
    cube[:, 0] = 0.5 + SPEED * (pushing + coasted) - 0.5 * MU * 9.81 * coasted**2
    cube[:, 2] = SIDE / 2.0
    bar = np.zeros((2000, 3))
    bar[:, 0] = 0.5 - SIDE / 2.0 - BAR[2] + SPEED * np.minimum(since, PUSHED / 100.0)
    bar[:, 0] += SPEED * np.clip(since - PUSHED / 100.0, 0.0, 0.3)
    bar[:, 0] -= 0.5 * 3.0 * MU * 9.81 * np.clip(since - PUSHED / 100.0, 0.0, 0.3) ** 2
    bar[:, 2] = SIDE / 2.0
    # The gripper's x axis lies along -y; it pitches by 30 degrees while it pushes.
    pitch = -np.pi / 4.0 - np.pi / 6.0 * np.clip(since, -0.5, 1.0)
    c, s, zero = np.cos(pitch), -np.sin(pitch), np.zeros(2000)
    x_axis = np.column_stack([zero, zero - 1.0, zero])
    y_axis, z_axis = np.column_stack([c, zero, s]), np.column_stack([-s, zero, c])
    gripper = bar - BAR[0] * y_axis - BAR[1] * z_axis
    axes = np.stack([x_axis, y_axis, z_axis], axis=1)  # rows: the file's transposed matrix
    rows[:, 0], rows[:, 1] = np.arange(1, 2001), t
    for first, place, turn in ((18, gripper, axes), (34, cube, np.tile(np.eye(3), (2000, 1, 1)))):
        rows[:, first : first + 3] = 1e3 * place
        euler = Rotation.from_matrix(turn.swapaxes(1, 2)).as_euler("xyz", degrees=True)
        rows[:, first + 3 : first + 6] = euler
        rows[:, first + 7 : first + 16] = turn.reshape(-1, 9)
    return rows


def write(folder, rows, simulators=None):
    """Write three equal runs and a published one of a cube that never moves."""
    np.savez(folder / "real.npz", CubeExp1=rows, CubeExp2=rows, CubeExp3=rows)
    still = np.tile(np.r_[np.zeros(3), 1, 0, 0, 0, 0.5, 0, SIDE / 2, 1, 0, 0, 0], (400, 1))
    name = {"CubeExp_Still_0": still, "CubeExp_Still_1": still}
    np.savez(folder / "simulators.npz", **(name if simulators is None else simulators))


def test_bar_and_friction_of_a_made_run_are_found(tmp_path):
    write(tmp_path, run())
    runs = read_pushes(tmp_path)
    pushes = [runs[name] for name in training(runs)]
    assert len(pushes) == 1
    assert fitted_bar(pushes) == pytest.approx(BAR, abs=2e-4)  # touching is seen 2 mm late
    assert fitted_friction(pushes) == pytest.approx(MU, rel=0.05)


def test_a_made_push_is_predicted_and_stands_beside_the_published_run(tmp_path):
    write(tmp_path, run())
    gauss = Names("gauss", "none", "semi_implicit_euler")  # has no moving bodies
    fit, held = held_out(tmp_path)
    assert list(held) == ["CubeExp2", "CubeExp3"]
    counted = []
    law = score_law(COULOMB, fit, held, lambda: counted.append(1))
    assert len(counted) == 2
    refused = score_law(gauss, fit, held, lambda: None)
    still, real = score_others(tmp_path, held)
    assert (law.who, still.who, real.who) == ("coulomb", "Still", REAL)
    end, path, angle, _ = law.errors[0]
    way = 1e3 * (SPEED * PUSHED / 100.0 + SPEED**2 / (2.0 * MU * 9.81))
    pushing = GRID < 0.2
    assert errors(law.ways[0][pushing], held["CubeExp2"].way[pushing])[:2].max() < 0.1
    assert path < end < 1e3 * SPEED * 0.5 * SMOOTH / RATE  # the mean rounds the sudden stop
    assert angle < 0.5
    assert still.errors[:, 0] == pytest.approx([way, way], rel=1e-6)
    assert refused.cells()[:2] == ["gauss", "refused"]
    assert "moving ground" in refused.error
    text = write_push_page(tmp_path / "out", [law, refused, still, real], fit, 2).read_text()
    assert "| Still | 2 |" in text
    assert "| gauss | refused |" in text
    assert (tmp_path / "out/pushes/ways.svg").exists()


def metres(rows):
    rows[:, 34:37] *= 1e-3


def plain_matrices(rows):
    rows[:, 37] = 10.0
    turned = Rotation.from_euler("x", 10.0, degrees=True).as_matrix()
    rows[:, 41:50] = turned.ravel()  # by rows, not by columns


def slower(rows):
    rows[:, 1] *= 2.0


def backwards(rows):
    rows[:, 34] = 1000.0 - rows[:, 34]


def broken(rows):
    rows[7, 20] = np.nan


def late(rows):
    rows[:, 1] += 100.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (metres, "rests at z"),
        (plain_matrices, "matrices are not"),
        (slower, "0.01 s apart"),
        (backwards, r"not pushed along \+x"),
        (broken, "not finite"),
        (late, "begins at 100 s"),
    ],
)
def test_data_in_other_frames_and_units_are_refused(tmp_path, change, said):
    rows = run()
    change(rows)
    write(tmp_path, rows)
    with pytest.raises(DataError, match=rf"^CubeExp1: [^\n]*{said}[^\n]*$"):
        read_pushes(tmp_path)


def test_folders_without_data_and_half_files_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"has no real\.npz: give the folder"):
        read_pushes(tmp_path)
    write(tmp_path, run())
    (tmp_path / "simulators.npz").unlink()
    with pytest.raises(DataError, match=r"has no simulators\.npz"):
        read_published(tmp_path)
    write(tmp_path, run(), {"CubeExp_Still_0": np.zeros((400, 7))})
    with pytest.raises(DataError, match=r"CubeExp_Still_0 has shape \(400, 7\)"):
        read_published(tmp_path)
    for value in (0.0, np.nan):
        write(tmp_path, run(), {"CubeExp_Still_0": np.full((400, 14), value)})
        with pytest.raises(DataError, match="CubeExp_Still_0: not finite, or no quaternions"):
            read_published(tmp_path)
    whole = (tmp_path / "real.npz").read_bytes()
    (tmp_path / "real.npz").write_bytes(whole[: len(whole) // 2])
    read_pushes.cache_clear()
    with pytest.raises(DataError, match="not a whole file"):
        read_pushes(tmp_path)
    write(tmp_path, run()[:, :49])
    with pytest.raises(DataError, match="expected 50 columns"):
        read_pushes(tmp_path)
    np.savez(tmp_path / "real.npz", CubeExp1=run())
    with pytest.raises(DataError, match="needs three runs"):
        read_pushes(tmp_path)


@pytest.mark.reference
@recorded
def test_the_bar_fitted_on_a_third_touches_the_cube_of_all_runs():
    """In side view the bar's surface is within 4 mm (rms) of the cube, a twentieth of its side."""
    runs = read_pushes(DATA)
    fitted = training(runs)
    assert len(fitted) == -(-len(runs) // 3)
    bar = fitted_bar(runs[name] for name in fitted)
    for push in runs.values():
        assert (
            np.sqrt(np.mean(gaps(bar, push, slice(push.first, push.first + push.pushed)) ** 2))
            < 4e-3
        )
    assert {len(ways) for ways in read_published(DATA).values()} == {20}


@pytest.mark.long
@pytest.mark.reference
@recorded
def test_coulomb_is_nearer_to_the_robot_than_every_published_run():
    """Of all held-out runs; at the end and over the path, in position; it does not roll over."""
    fit, held = held_out(DATA)
    law = score_law(COULOMB, fit, held, lambda: None)
    *published, real = score_others(DATA, held)
    assert law.error == ""
    for other in published:
        assert (law.errors.mean(axis=0)[:2] < other.errors.mean(axis=0)[:2]).all(), other.who
    assert law.errors[:, 2:].max() < 5.0
    assert (real.errors.mean(axis=0)[:2] < law.errors.mean(axis=0)[:2]).all()
