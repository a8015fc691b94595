"""Real servos: models fitted to a part of an arm's motions predict the others.

Made motions of a made arm have the same form and known answers.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

from footfall.cli.main import main
from footfall.errors import PluginError
from footfall_validate.results import DataError
from footfall_validate.servos import models, scores
from footfall_validate.servos.models import DELAY, DRIVE, GAIN
from footfall_validate.servos.recorded import (
    JOINTS,
    ROW,
    ZEROS,
    Motion,
    bare_urdf,
    read_motions,
)

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "servos"
STILL = ("static_holding", "center_workspace", "hold_under_gravity", "boundary_exploration",
         "reach_and_return", "slow_precision", "friction_gravity", "single_joint_elbow",
         "single_joint_wrist_pitch")  # fmt: skip
"""Motions that show the torque of the arm's weight; none is held out."""
recorded = pytest.mark.skipif(
    not FOLDER.exists(), reason="the arm's motions are not beside the project"
)


def made_arm():
    """Return the URDF of six links of 0.1 m and 0.2 kg, one behind the other."""
    inertia = '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/>'
    mass = f'<inertial><origin xyz="0.1 0 0"/><mass value="0.2"/>{inertia}</inertial>'
    text = f'<robot name="arm"><link name="l0">{mass}</link>'
    for k, name in enumerate(JOINTS):
        text += (
            f'<link name="l{k + 1}">{mass}<visual><geometry><mesh filename="no.stl"/></geometry>'
            f'</visual></link><joint name="{name}" type="revolute"><origin xyz="0.1 0 0"/>'
            f'<parent link="l{k}"/><child link="l{k + 1}"/><axis xyz="0 1 0"/>'
            '<limit lower="-3" upper="3" effort="99" velocity="99"/></joint>'
        )
    return text + "</robot>"


def write(folder, motions, **changes):
    """Write motions, as servos say them, and the made arm."""
    arrays = {}
    for name, (target, q) in motions.items():
        time = ROW * np.arange(len(q))
        arrays[f"{name}/command"] = np.column_stack([time, target - ZEROS])
        arrays[f"{name}/state"] = np.column_stack([time, q - ZEROS, np.zeros((len(q), 12))])
    np.savez(folder / "so101.npz", **arrays | changes)
    (folder / "so101.urdf").write_text(made_arm())


def swings(rows=151):
    """Return commands of three motions, at rest at first."""
    time = ROW * np.arange(rows)[:, None]
    for k, name in enumerate("abc"):
        pace = np.arange(1.0, 7.0) + k
        yield name, 0.2 * (1.0 - np.cos(pace * time)) * (1.0 - 0.3 * k)


def test_the_error_of_the_commands_is_the_distance_between_them_and_the_motion(tmp_path):
    write(tmp_path, {n: Motion(target, target + np.radians(2.0)) for n, target in swings()})
    (score,) = scores.score(tmp_path, [], lambda: None)
    assert score.errors == pytest.approx(np.full((1, 6), 2.0), abs=1e-9)


def test_friction_of_a_made_arm_is_found_and_predicts_a_motion_that_was_held_out(tmp_path):
    overrides, _ = models.settings("plain")
    known = {"coulomb_friction": 0.2, "rotor_inertia": 0.01, "viscous_friction": 0.3}
    drive = overrides[DRIVE][0] | known
    values = {DRIVE: [drive], DELAY: 0.03, GAIN: 20.0}
    named = [(name, Motion(target, target)) for name, target in swings()]
    write(tmp_path, dict(named))
    errors = models.errors_of(bare_urdf(tmp_path), values, [motion for _, motion in named])
    moved = {
        name: Motion(motion.target, motion.q + np.vstack([np.zeros(6), off]))
        for (name, motion), off in zip(named, errors, strict=True)
    }
    write(tmp_path, moved)
    none, plain = scores.score(tmp_path, ["plain"], lambda: None)
    assert plain.errors.mean() < 0.02 * none.errors.mean()
    found = dict(part.rsplit(" ", 1) for part in plain.found.split(", "))
    del known["rotor_inertia"]  # small beside the links': the motions hardly show it
    for key, value in {"gain": 20.0, "delay": 0.03, **known}.items():
        assert float(found[key]) == pytest.approx(value, rel=0.1), key
    page = scores.write_servo_page(tmp_path / "out", [none, plain]).read_text()
    assert "| plain | 1 |" in page
    assert "- plain: " in page
    assert (tmp_path / "out/servos/errors.svg").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"a/state": np.zeros((9, 7))}, r"a/state has shape \(9, 7\), not \(n, 19\)"),
        ({"a/command": np.full((9, 7), np.nan)}, "a/command is not finite"),
        ({"a/command": np.zeros((9, 7))}, "its times do not grow"),
        ({"a/command": np.add.outer(np.arange(9.0), 90.0 * np.arange(7))}, "not in radians"),
        ({"d/state": np.zeros((9, 19))}, r"d/command has shape \(0,\)"),
    ],
)
def test_data_of_other_forms_and_units_are_refused(tmp_path, changes, said):
    write(tmp_path, {n: Motion(target, target) for n, target in swings(9)}, **changes)
    with pytest.raises(DataError, match=rf"so101\.npz: [^\n]*{said}[^\n]*$"):
        read_motions(tmp_path)


def test_folders_without_data_and_unknown_models_are_one_line(tmp_path, capsys):
    with pytest.raises(DataError, match=r"has no so101\.npz: give the folder"):
        read_motions(tmp_path)
    with pytest.raises(DataError, match=r"has no so101\.urdf: give the folder"):
        bare_urdf(tmp_path)
    (tmp_path / "so101.urdf").write_text("<robot/>")
    with pytest.raises(DataError, match="has no joint shoulder_pan, "):
        bare_urdf(tmp_path)
    np.savez(tmp_path / "so101.npz", **{"a/state": np.zeros((9, 19))})
    with pytest.raises(DataError, match="needs 3 motions"):
        read_motions(tmp_path)
    with pytest.raises(SystemExit):
        main(["validate", "servos", str(tmp_path), "--model", "lod"])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "did you mean 'load'?" in said


def test_mujoco_is_left_out_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr(scores, "find_spec", lambda name: None)
    assert scores.chosen([]) == list(models.MODELS)
    with pytest.raises(PluginError, match="mujoco needs the extra bench"):
        scores.chosen(["mujoco"])


@pytest.mark.long
@pytest.mark.reference
@recorded
def test_friction_that_grows_with_load_predicts_held_out_motions_better(monkeypatch):
    monkeypatch.setattr(scores, "TRAINED", 8.0)
    none, plain, load = scores.score(FOLDER, ["plain", "load"], lambda: None)
    assert load.errors.mean() < 0.8 * plain.errors.mean() < 0.8 * none.errors.mean()


@pytest.mark.long
@pytest.mark.reference
@recorded
def test_the_arms_weight_shows_the_zeros_of_its_joints():
    """Free zeros, gain and friction of ``load``, fitted to slow training motions, stay near ZEROS.

    Within what other starts, seconds and bounds change: 2, 8 and 20 degrees (docs/results/servos).
    """
    urdf, motions = bare_urdf(FOLDER), read_motions(FOLDER)
    assert not {name for name in STILL if name in sorted(motions)[::3]}
    cut = [Motion(*(x[:1200][-600:] for x in motions[name])) for name in STILL]
    seen = np.vstack([motions[name].q - ZEROS for name in STILL])[:, 1:4]

    def errors(x):
        shift = np.r_[0.0, x[:3] - 1.0, 0.0, 0.0] - ZEROS
        moved = [Motion(target + shift, q + shift) for target, q in cut]
        drive = models.settings("load")[0][DRIVE][0]
        drive |= {"coulomb_friction": x[4], "load_friction": x[5]}
        found = models.errors_of(urdf, {DRIVE: [drive], DELAY: 0.02, GAIN: x[3]}, moved)
        return np.vstack(found)[::5].reshape(-1)

    ends = np.array([1.745, 1.69, 1.658])  # of the URDF: no measured position lies beyond
    low = [*(1.0 - ends - seen.min(axis=0)), 1.0, 0.01, 0.0]
    high = [*(1.0 + ends - seen.max(axis=0)), 100.0, 1.0, 0.9]
    start = [1.0, 1.0, 1.0, 20.0, 0.15, 0.4]  # relative steps about 1, not about 0
    scale = {"diff_step": 0.02, "x_scale": np.subtract(high, low), "max_nfev": 12}
    zeros = least_squares(errors, start, bounds=(low, high), **scale).x[:3] - 1.0
    assert (abs(np.degrees(zeros - ZEROS[1:4])) < [2.0, 8.0, 20.0]).all()
