"""Fits models of servos to motions of a real arm (SO-101), and scores them on held-out motions.

    python -m tests.benchmarks.servos FOLDER [MODEL ...]     # FOLDER holds so101.npz and so101.urdf

Every third motion by name is held out. The models share one set of numbers for all six servos.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

import footfall
from footfall.api.plugin import Floats

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
"""Of the URDF, in the order of the measurements; signs are those of the servos."""
ZEROS = np.radians([0.0, -23.0, 2.0, 26.0, 0.0, 0.0])
"""Positions of the URDF's joints at the servos' zeros, [rad], as in docs/results/servos.md."""
STILL = ("static_holding", "center_workspace", "hold_under_gravity", "boundary_exploration",
         "reach_and_return", "slow_precision", "friction_gravity", "single_joint_elbow",
         "single_joint_wrist_pitch")  # fmt: skip
"""Motions that show the torque of the arm's weight; none is held out."""
ROW, STEP, GAP = 0.02, 0.005, 1.0
"""Time between rows, of a step, and between two motions in the file of commands, [s]."""
GAIN, DELAY, DRIVE = (
    f"bodies.arm.{key}" for key in ("controller.stiffness", "controller.start", "actuators")
)
COULOMB = {"coulomb_friction": (0.005, 1.0, 0.15), "rotor_inertia": (1e-5, 0.1, 0.003)}
PLAIN = COULOMB | {"viscous_friction": (1e-3, 5.0, 0.4)}
STRIBECK = {"stribeck_friction": (0.0, 1.0, 0.05), "stribeck_speed": (0.01, 3.0, 0.2)}
LOAD = {"load_friction": (0.0, 0.9, 0.4)}
DIRECTED = {f"load_friction.{side}": (0.0, 0.9, 0.4) for side in (0, 1)}
QUADRATIC = {f"quadratic_friction.{side}": (0.0, 2.0, 0.02) for side in (0, 1)}
MOTOR = COULOMB | {"voltage": (0.5, 30.0, 12.0), "torque_constant": (0.1, 5.0, 1.0)}
FADING = {"stribeck_load_friction": (0.0, 0.9, 0.05)}
MODELS = {
    "plain": ("reflected", PLAIN),
    "stribeck": ("servo_friction", PLAIN | STRIBECK),
    "load": ("servo_friction", PLAIN | LOAD),
    "stribeck_load": ("servo_friction", PLAIN | STRIBECK | LOAD | FADING),
    "directional": ("servo_friction", PLAIN | STRIBECK | DIRECTED),
    "quadratic": ("servo_friction", PLAIN | STRIBECK | DIRECTED | QUADRATIC),
    "motor": ("dc_motor", MOTOR),
    "motor_load": ("dc_motor", MOTOR | STRIBECK | LOAD),
}
"""Actuator and its fitted keys (low, high, start) by name."""


class Motion(NamedTuple):
    """A motion, in even rows.

    Attributes:
        start: time of its first row in the file of commands, [s].
        target: shape (n, 6), commanded positions; q: shape (n, 6), measured ones, [rad].
    """

    start: float
    target: Floats
    q: Floats


def names_of(folder: Path) -> tuple[list[str], list[str]]:
    """Return the motions to fit, and those held out."""
    with np.load(folder / "so101.npz") as file:
        names = sorted({key.rpartition("/")[0] for key in file})
    return [n for k, n in enumerate(names) if k % 3], names[::3]


def motions(folder: Path, names: Sequence[str], seconds: float) -> list[Motion]:
    """Return the first ``seconds`` of motions."""
    start, found = 0.0, []
    with np.load(folder / "so101.npz") as file:
        for name in names:
            both = [file[f"{name}/{kind}"].astype(float) for kind in ("command", "state")]
            time = np.arange(0.0, min(seconds, *(x[-1, 0] for x in both)), ROW)
            target, q = (
                np.transpose([np.interp(time, x[:, 0], x[:, k]) for k in range(1, 7)]) for x in both
            )
            found.append(Motion(start, target + ZEROS, q + ZEROS))
            start += ROW * len(q) + GAP
    return found


def bare_urdf(folder: Path) -> str:
    """Return the arm's URDF without its shapes, whose files are not there."""
    text = (folder / "so101.urdf").read_text()
    return re.sub(r"<(visual|collision)>.*?</\1>", "", text, flags=re.S)


def scene_of(folder: Path, made: Path, moved: Sequence[Motion]) -> Path:
    """Write the arm and a scene that commands the motions one after another; return its path."""
    (made / "arm.urdf").write_text(bare_urdf(folder))
    (made / "arm.toml").write_text('base = "fixed"\n[model]\nfile = "arm.urdf"\n')
    time = np.concatenate([one.start + ROW * np.arange(len(one.q)) for one in moved])
    target = np.concatenate([one.target for one in moved])
    np.savez(made / "commands.npz", time=time, joints=JOINTS, position=target)
    first = "\n".join(f"{j} = {x}" for j, x in zip(JOINTS, target[0], strict=True))
    (made / "scene.toml").write_text(
        f"[simulation]\ntime_step = {STEP}\n[bodies.arm]\nrobot = 'arm.toml'\n"
        f"base_position = [0.0, 0.0, 1.0]\n[bodies.arm.joint_positions]\n{first}\n"
        "[bodies.arm.controller]\nplugin = 'trajectory'\nfile = 'commands.npz'\n"
        "interpolation = 'linear'\ndamping = 0.0\n"
    )
    return made / "scene.toml"


def settings(model: str) -> tuple[dict[str, Any], dict[str, tuple[float, float, float]]]:
    """Return a model's overrides, and its fitted keys."""
    plugin, fitted = MODELS[model]
    drive: dict[str, Any] = {"joints": list(JOINTS), "plugin": plugin}
    for key, (*_, start) in fitted.items():
        name, _, place = key.partition(".")
        drive[name] = [*drive.get(name, []), start] if place else start
    if plugin == "dc_motor":
        drive["resistance"] = 1.0  # the data see k^2 / R and k V / R alone
    keys = {GAIN: (1.0, 100.0, 15.0), DELAY: (0.0, 0.1, 0.02)}
    return {DRIVE: [drive], DELAY: 0.02}, keys | {f"{DRIVE}.0.{k}": x for k, x in fitted.items()}


def fit(folder: Path, made: Path, model: str, seconds: float = 20.0) -> tuple[Any, dict[str, Any]]:
    """Fit a model to the first ``seconds`` of the training motions; return the fit, and values."""
    moved = motions(folder, names_of(folder)[0], seconds)
    overrides, keys = settings(model)
    table = {
        "time": np.concatenate([one.start + ROW * np.arange(len(one.q)) for one in moved]),
        "q": np.concatenate([one.q for one in moved]),
        "trajectory": np.repeat(np.arange(len(moved)), [len(one.q) for one in moved]),
    }
    found = footfall.fit(
        scene_of(folder, made, moved), [table], keys, overrides=overrides,
        residuals={"joint_position": 0.01}, folds=0, gradients="differences", difference=0.05,
    )  # fmt: skip
    return found, {**overrides, **found.values}


def errors_of(scene: Path, values: dict[str, Any], moved: Sequence[Motion]) -> Floats:
    """Return the errors in all rows, (rows, 6), [rad]; each motion begins at rest."""
    begun = np.array([np.r_[one.q[0], np.zeros(6)] for one in moved])
    rows, starts = max(len(one.q) for one in moved) - 1, np.array([one.start for one in moved])
    with footfall.Batch(scene, len(moved), overrides=values) as batch:
        paths = batch.rollout(begun, rows, round(ROW / STEP), time=starts).states
    pairs = zip(paths[:, :, :6], moved, strict=True)
    return np.vstack([x[: len(one.q) - 1] - one.q[1:] for x, one in pairs])


def find_zeros(folder: Path, made: Path) -> Floats:
    """Fit ``ZEROS`` of the joints that carry weight, with gain, K_c and K_l of ``load``; [deg]."""
    cut = motions(folder, STILL, 24.0)
    plain = [Motion(at, target[-600:], q[-600:]) for at, target, q in cut]

    def errors(x: Floats) -> Floats:
        shift = np.r_[0.0, x[:3] - 1.0, 0.0, 0.0] - ZEROS
        moved = [Motion(at, target + shift, q + shift) for at, target, q in plain]
        drive = settings("load")[0][DRIVE][0] | {"coulomb_friction": x[4], "load_friction": x[5]}
        values = {DRIVE: [drive], DELAY: 0.02, GAIN: x[3]}
        return errors_of(scene_of(folder, made, moved), values, moved)[::5].reshape(-1)

    seen = np.vstack([one.q - ZEROS for one in motions(folder, STILL, 1e9)])[:, 1:4]
    ends = np.array([1.745, 1.69, 1.658])  # of the URDF: no measured position lies beyond
    low = [*(1.0 - ends - seen.min(axis=0)), 1.0, 0.01, 0.0]
    high = [*(1.0 + ends - seen.max(axis=0)), 100.0, 1.0, 0.9]
    start = [1.0, 1.0, 1.0, 20.0, 0.15, 0.4]  # relative steps about 1, not about 0
    scale: Any = {"diff_step": 0.02, "x_scale": np.subtract(high, low), "max_nfev": 12}
    return np.degrees(least_squares(errors, start, bounds=(low, high), **scale).x[:3] - 1.0)


def mujoco_errors(folder: Path, values: Floats, moved: Sequence[Motion]) -> Floats:
    """Return the errors of MuJoCo, (rows, 6), [rad].

    ``values``: gain, frictionloss, damping and armature.
    """
    import mujoco

    model, errors = mujoco.MjModel.from_xml_string(bare_urdf(folder)), []
    at = np.array([model.joint(name).dofadr[0] for name in JOINTS])
    gain, model.dof_frictionloss[at], model.dof_damping[at], model.dof_armature[at] = values
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.jnt_stiffness[:], parts = gain, (np.arange(round(ROW / STEP)) + 0.5) * STEP / ROW
    for _, target, q in moved:
        data = mujoco.MjData(model)
        data.qpos[at] = q[0]
        for row in range(1, len(q)):
            for part in parts:
                model.qpos_spring[at] = (1.0 - part) * target[row - 1] + part * target[row]
                mujoco.mj_step(model, data)
            errors.append(data.qpos[at] - q[row])
    return np.array(errors)


def fit_mujoco(folder: Path, seconds: float = 20.0) -> Floats:
    """Fit MuJoCo's own joint friction to the training motions; see ``mujoco_errors``."""
    moved = motions(folder, names_of(folder)[0], seconds)
    names = "coulomb_friction", "viscous_friction", "rotor_inertia"
    low, high, start = np.log([(1.0, 100.0, 10.0), *(PLAIN[name] for name in names)]).T
    found = least_squares(
        lambda logs: mujoco_errors(folder, np.exp(logs), moved)[::4].reshape(-1),
        start, bounds=(low, high), diff_step=0.03, max_nfev=8,
    )  # fmt: skip
    return np.exp(found.x)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    held_out = motions(where, names_of(where)[1], 1e9)
    for name in sys.argv[2:] or [*MODELS, "mujoco"]:
        with TemporaryDirectory() as scratch:
            if name == "mujoco":
                print(values := fit_mujoco(where))
                rows = mujoco_errors(where, values, held_out)
            else:
                found, numbers = fit(where, Path(scratch), name)
                print(found)
                rows = errors_of(scene_of(where, Path(scratch), held_out), numbers, held_out)
        errors = np.degrees(np.abs(rows).mean(axis=0))
        print(name, errors.round(3), errors.mean().round(3), flush=True)
