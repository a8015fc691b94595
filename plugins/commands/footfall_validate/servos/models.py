"""Models of a servo, each fitted to training motions; all servos share one set of numbers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import footfall
from footfall.api.plugin import Floats
from footfall_validate.servos.recorded import JOINTS, ROW, STEP, Motion, starts, write_scene

Bounds = tuple[float, float, float]
"""Lowest, highest and first value of a number that is fitted."""
GAIN, DELAY, DRIVE = (
    f"bodies.arm.{key}" for key in ("controller.stiffness", "controller.start", "actuators")
)
LOOP: dict[str, Bounds] = {GAIN: (1.0, 100.0, 15.0), DELAY: (0.0, 0.1, 0.02)}
"""Gain of the servo's own loop [N m/rad] and delay of its commands [s], fitted in every model."""
COULOMB: dict[str, Bounds] = {
    "coulomb_friction": (0.005, 1.0, 0.15),
    "rotor_inertia": (1e-5, 0.1, 0.003),
}
PLAIN = COULOMB | {"viscous_friction": (1e-3, 5.0, 0.4)}
STRIBECK = {"stribeck_friction": (0.0, 1.0, 0.05), "stribeck_speed": (0.01, 3.0, 0.2)}
LOAD = {"load_friction": (0.0, 0.9, 0.4)}
FADING = {"stribeck_load_friction": (0.0, 0.9, 0.05)}
DIRECTED = {f"load_friction.{side}": (0.0, 0.9, 0.4) for side in (0, 1)}
QUADRATIC = {f"quadratic_friction.{side}": (0.0, 2.0, 0.02) for side in (0, 1)}
MOTOR = COULOMB | {"voltage": (0.5, 30.0, 12.0), "torque_constant": (0.1, 5.0, 1.0)}
MODELS: dict[str, tuple[str, dict[str, Bounds]]] = {
    "plain": ("reflected", PLAIN),
    "stribeck": ("servo_friction", PLAIN | STRIBECK),
    "load": ("servo_friction", PLAIN | LOAD),
    "stribeck_load": ("servo_friction", PLAIN | STRIBECK | LOAD | FADING),
    "quadratic": ("servo_friction", PLAIN | STRIBECK | DIRECTED | QUADRATIC),
    "motor": ("dc_motor", MOTOR),
    "motor_load": ("dc_motor", MOTOR | STRIBECK | LOAD),
}
"""Actuator and its fitted keys by name of the model."""


def settings(model: str) -> tuple[dict[str, Any], dict[str, Bounds]]:
    """Return a model's overrides of the scene, and its fitted keys."""
    plugin, fitted = MODELS[model]
    drive: dict[str, Any] = {"joints": list(JOINTS), "plugin": plugin}
    for key, (*_, start) in fitted.items():
        name, _, place = key.partition(".")
        drive[name] = [*drive.get(name, []), start] if place else start
    if plugin == "dc_motor":
        drive["resistance"] = 1.0  # the data see k^2 / R and k V / R alone
    keys = LOOP | {f"{DRIVE}.0.{key}": bounds for key, bounds in fitted.items()}
    return {DRIVE: [drive], DELAY: LOOP[DELAY][2]}, keys


def fit(urdf: str, model: str, training: list[Motion]) -> dict[str, Any]:
    """Fit a model to motions with ``footfall.fit``; return the overrides with the found values."""
    overrides, keys = settings(model)
    rows = [len(motion.q) for motion in training]
    begun = np.repeat(starts(training), rows)
    table = {
        "time": begun + ROW * np.concatenate([np.arange(n) for n in rows]),
        "q": np.concatenate([motion.q for motion in training]),
        "trajectory": np.repeat(np.arange(len(training)), rows),
    }
    with TemporaryDirectory() as made, np.errstate(over="ignore"):
        found = footfall.fit(
            write_scene(urdf, Path(made), training),
            [table],
            keys,
            overrides=overrides,
            residuals={"joint_position": 0.01},
            folds=0,
            gradients="differences",
            difference=0.05,
        )
    return {**overrides, **found.values}


def errors_of(urdf: str, values: dict[str, Any], motions: list[Motion]) -> list[Floats]:
    """Return each motion's errors, (rows, 6), [rad]; it begins at rest in its first row."""
    begun = np.array([np.r_[motion.q[0], np.zeros(6)] for motion in motions])
    rows = max(len(motion.q) for motion in motions) - 1
    with TemporaryDirectory() as made:
        scene = write_scene(urdf, Path(made), motions)
        with footfall.Batch(scene, len(motions), overrides=values) as batch:
            paths = batch.rollout(begun, rows, round(ROW / STEP), time=starts(motions)).states
    pairs = zip(paths[:, :, :6], motions, strict=True)
    return [path[: len(motion.q) - 1] - motion.q[1:] for path, motion in pairs]
