"""Fits models of servos to motions of a real arm (SO-101), and scores them on held-out motions.

    python -m tests.benchmarks.servos FOLDER [MODEL ...]     # FOLDER holds so101.npz and so101.urdf

Every third motion by name is held out. The models share one set of numbers for all six servos.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import footfall
from footfall.api.plugin import Floats

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
"""Of the URDF, in the order of the measurements; signs and zeros are those of the servos."""
ROW, STEP, GAP = 0.02, 0.005, 1.0
"""Time between rows, of a step, and between two motions in the file of commands, [s]."""
ACTUATOR = "bodies.arm.actuators.0."
GAINS = {
    "bodies.arm.controller.stiffness": (1.0, 100.0, 10.0),
    "bodies.arm.controller.start": (0.0, 0.1, 0.03),
}
"""Gain of the servo's own loop, [N m/rad], and the commands' delay, [s]; (low, high, start)."""
COULOMB = {"coulomb_friction": (0.005, 1.0, 0.2), "rotor_inertia": (1e-5, 0.1, 0.01)}
VISCOUS = {"viscous_friction": (1e-3, 5.0, 0.3)}
STRIBECK = {"stribeck_friction": (0.0, 1.0, 0.05), "stribeck_speed": (0.01, 3.0, 0.2)}
LOAD = {"load_friction": (0.0, 0.9, 0.05)}
DIRECTED = {"load_friction.0": (0.0, 0.9, 0.05), "load_friction.1": (0.0, 0.9, 0.05)}
QUADRATIC = {"quadratic_friction.0": (0.0, 2.0, 0.02), "quadratic_friction.1": (0.0, 2.0, 0.02)}
MOTOR = {"voltage": (0.5, 30.0, 12.0), "torque_constant": (0.1, 5.0, 1.0)}
FADING = {"stribeck_load_friction": (0.0, 0.9, 0.05)}
MODELS: dict[str, tuple[str, Mapping[str, tuple[float, float, float]]]] = {
    "plain": ("reflected", COULOMB | VISCOUS),
    "stribeck": ("servo_friction", COULOMB | VISCOUS | STRIBECK),
    "load": ("servo_friction", COULOMB | VISCOUS | LOAD),
    "stribeck_load": ("servo_friction", COULOMB | VISCOUS | STRIBECK | LOAD | FADING),
    "directional": ("servo_friction", COULOMB | VISCOUS | STRIBECK | DIRECTED),
    "quadratic": ("servo_friction", COULOMB | VISCOUS | STRIBECK | DIRECTED | QUADRATIC),
    "motor": ("dc_motor", COULOMB | MOTOR),
    "motor_load": ("dc_motor", COULOMB | MOTOR | STRIBECK | LOAD),
}
"""Actuator and fitted keys by name."""


Motions = Mapping[str, tuple[Floats, Floats]]
"""Targets and measured positions, (n, 6) each, [rad], by motion."""


def motions(folder: Path, names: Iterable[str], seconds: float) -> Motions:
    """Return targets and measured positions, (n, 6) each, [rad], by motion, in even rows."""
    found = {}
    with np.load(folder / "so101.npz") as file:
        for name in names:
            both = [file[f"{name}/{kind}"].astype(float) for kind in ("command", "state")]
            time = np.arange(0.0, min(seconds, *(x[-1, 0] for x in both)), ROW)
            columns = [[np.interp(time, x[:, 0], x[:, k]) for k in range(1, 7)] for x in both]
            found[name] = tuple(np.array(each).T for each in columns)
    return found


def names_of(folder: Path) -> tuple[list[str], list[str]]:
    """Return the motions to fit, and those held out."""
    with np.load(folder / "so101.npz") as file:
        names = sorted({key.rpartition("/")[0] for key in file})
    return [n for k, n in enumerate(names) if k % 3], names[::3]


def bare_urdf(folder: Path) -> str:
    """Return the arm's URDF without its shapes, whose files are not there."""
    text = (folder / "so101.urdf").read_text()
    return re.sub(r"<(visual|collision)>.*?</\1>", "", text, flags=re.S)


def scene_of(folder: Path, made: Path, moved: Motions) -> Path:
    """Write the arm and a scene that commands the motions one after another; return its path."""
    urdf = re.sub(
        r"<(visual|collision)>.*?</\1>", "", (folder / "so101.urdf").read_text(), flags=re.S
    )
    (made / "arm.urdf").write_text(urdf)
    (made / "arm.toml").write_text('base = "fixed"\n[model]\nfile = "arm.urdf"\n')
    blocks = list(starts(moved).items())
    time = np.concatenate([at + ROW * np.arange(len(moved[name][0])) for name, at in blocks])
    target = np.concatenate([moved[name][0] for name, _ in blocks])
    np.savez(made / "commands.npz", time=time, joints=JOINTS, position=target)
    first = "\n".join(f"{j} = {x}" for j, x in zip(JOINTS, target[0], strict=True))
    scene = made / "scene.toml"
    scene.write_text(
        f"[simulation]\ntime_step = {STEP}\n[world.terrain]\nplugin = 'plane'\n"
        "[bodies.arm]\nrobot = 'arm.toml'\nbase_position = [0.0, 0.0, 1.0]\n"
        f"[bodies.arm.joint_positions]\n{first}\n[bodies.arm.controller]\nplugin = 'trajectory'\n"
        "file = 'commands.npz'\ninterpolation = 'linear'\ndamping = 0.0\n"
    )
    return scene


def starts(moved: Motions) -> dict[str, float]:
    """Return the time at which each motion begins, [s]."""
    at, found = 0.0, {}
    for name, (target, _) in moved.items():
        found[name] = at
        at += ROW * len(target) + GAP
    return found


def table_of(moved: Motions) -> dict[str, Any]:
    """Return the measured rows as ``footfall.fit`` reads them."""
    at, columns = starts(moved), dict[str, list[Any]](time=[], q=[], trajectory=[], group=[])
    for number, (name, (_, q)) in enumerate(moved.items()):
        columns["time"].append(at[name] + ROW * np.arange(len(q)))
        columns["q"].append(q)
        for key in ("trajectory", "group"):
            columns[key].append(np.full(len(q), number))
    return {key: np.concatenate(parts) for key, parts in columns.items()}


def settings(model: str) -> tuple[dict[str, Any], dict[str, tuple[float, float, float]]]:
    """Return a model's overrides, and its fitted keys."""
    plugin, fitted = MODELS[model]
    drive: dict[str, Any] = {"joints": list(JOINTS), "plugin": plugin}
    for key, (*_, start) in fitted.items():
        name, _, place = key.partition(".")
        drive[name] = [*drive.get(name, []), start] if place else start
    if plugin == "dc_motor":
        drive["resistance"] = 1.0  # the data see k^2 / R and k V / R alone
    keys = {ACTUATOR + key: bounds for key, bounds in fitted.items()}
    return {"bodies.arm.actuators": [drive], "bodies.arm.controller.start": 0.03}, GAINS | keys


def score(scene: Path, values: Mapping[str, Any], moved: Motions) -> Floats:
    """Return the mean error of each joint over all rows, (6,), [rad]; each motion from rest."""
    sizes = np.zeros((0, 6))
    for name, at in starts(moved).items():
        q = moved[name][1]
        with footfall.Batch(scene, 1, overrides=dict(values)) as batch:
            begun = np.r_[q[0], np.zeros(6)][None]
            path = batch.rollout(begun, len(q) - 1, round(ROW / STEP), time=np.array([at])).states
        sizes = np.vstack([sizes, np.abs(path[0, :, :6] - q[1:])])
    return sizes.mean(axis=0)


def fit(
    folder: Path,
    made: Path,
    model: str,
    seconds: float = 20.0,
    segment: float | None = None,
    **options: Any,
) -> tuple[Any, dict[str, Any]]:
    """Fit a model to the first ``seconds`` of the training motions; return the fit, and values."""
    train, _ = names_of(folder)
    moved = motions(folder, train, seconds)
    overrides, keys = settings(model)
    found = footfall.fit(
        scene_of(folder, made, moved), [table_of(moved)], keys, overrides=overrides,
        residuals={"joint_position": 0.01}, folds=0, gradients="differences", difference=0.01,
        segment=segment, **options,
    )  # fmt: skip
    return found, {**overrides, **found.values}


MUJOCO = ("stiffness", "coulomb_friction", "viscous_friction", "rotor_inertia")
"""Numbers that are fitted in MuJoCo: a servo's gain, frictionloss, damping, armature."""


def mujoco_errors(folder: Path, values: Sequence[float], moved: Motions, every: int) -> Floats:
    """Return the errors of MuJoCo in every n-th row, (rows, 6), [rad], for values of ``MUJOCO``."""
    import mujoco

    text = bare_urdf(folder)
    model = mujoco.MjModel.from_xml_string(text)
    at = np.array([model.joint(name).dofadr[0] for name in JOINTS])
    gain, model.dof_frictionloss[at], model.dof_damping[at], model.dof_armature[at] = values
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.jnt_stiffness[:], errors = gain, []
    for target, q in moved.values():
        data = mujoco.MjData(model)
        data.qpos[at] = q[0]
        for row in range(1, len(q)):
            for part in range(round(ROW / STEP)):
                share = (part + 0.5) * STEP / ROW
                model.qpos_spring[at] = target[row - 1] + share * (target[row] - target[row - 1])
                mujoco.mj_step(model, data)
            if row % every == 0:
                errors.append(data.qpos[at] - q[row])
    return np.array(errors)


def fit_mujoco(folder: Path, seconds: float = 20.0) -> Floats:
    """Fit MuJoCo's own joint friction to the training motions; return values of ``MUJOCO``."""
    from scipy.optimize import least_squares

    moved = motions(folder, names_of(folder)[0], seconds)
    bounds = [
        GAINS["bodies.arm.controller.stiffness"],
        *((COULOMB | VISCOUS)[k] for k in MUJOCO[1:]),
    ]
    low, high, start = np.log(np.maximum(bounds, 1e-5)).T

    def errors(logs: Floats) -> Floats:
        return mujoco_errors(folder, np.exp(logs), moved, 4).reshape(-1)

    return np.exp(least_squares(errors, start, bounds=(low, high), diff_step=0.03, max_nfev=8).x)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    for name in sys.argv[2:] or MODELS:
        with TemporaryDirectory() as scratch:
            made = Path(scratch)
            found, values = fit(where, made, name, on_progress=lambda x: print(x, file=sys.stderr))
            print(found, flush=True)
            held = motions(where, names_of(where)[1], 1e9)
            print(
                name,
                np.degrees(score(scene_of(where, made, held), values, held)).round(3),
                flush=True,
            )
