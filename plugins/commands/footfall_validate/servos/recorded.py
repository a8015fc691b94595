"""Measured motions of a real arm (SO-101): what its servos were commanded, and what they did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.api.command import write_whole
from footfall.api.plugin import Floats
from footfall_validate.results import DataError, read_data

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
"""Of the URDF, in the order of the measurements; they turn as the servos do."""
ZEROS: Floats = np.radians([0.0, -23.0, 2.0, 26.0, 0.0, 0.0])
"""Positions of the URDF's joints at the servos' zeros, from slow training motions, [rad]."""
ROW, STEP, GAP = 0.02, 0.005, 1.0
"""Time between rows, of a step, and between two motions in the file of commands, [s]."""
HELD = 3
"""Of the motions by name, every so many is held out, from the first on."""


class Motion(NamedTuple):
    """A motion, in even rows.

    Attributes:
        target: shape (n, 6), commanded positions of the URDF's joints, [rad].
        q: shape (n, 6), measured ones, [rad].
    """

    target: Floats
    q: Floats


def read_motions(folder: Path) -> dict[str, Motion]:
    """Read ``so101.npz``; return the motions in the order of their names.

    Raises:
        DataError: if the file is missing, damaged, or does not hold such motions.
    """
    path = folder / "so101.npz"
    arrays = read_data(path, "the arm's motions")
    names = sorted({key.rpartition("/")[0] for key in arrays})
    if len(names) < HELD:
        raise DataError(f"{path}: needs {HELD} motions NAME/command and NAME/state")
    return {name: _motion(path, arrays, name) for name in names}


def _motion(path: Path, arrays: Mapping[str, Floats], name: str) -> Motion:
    both = []
    for kind, columns in (("command", 7), ("state", 19)):
        rows = np.asarray(arrays.get(f"{name}/{kind}", np.empty(0)), float)
        if rows.ndim != 2 or rows.shape[1] != columns or len(rows) < 2:
            raise DataError(f"{path}: {name}/{kind} has shape {rows.shape}, not (n, {columns})")
        if not np.isfinite(rows).all() or (np.diff(rows[:, 0]) <= 0.0).any():
            raise DataError(f"{path}: {name}/{kind} is not finite, or its times do not grow")
        if abs(rows[:, 1:7]).max() > 2.0 * np.pi:
            raise DataError(f"{path}: {name}/{kind} has positions beyond a turn: not in radians")
        both.append(rows)
    time = np.arange(0.0, min(rows[-1, 0] for rows in both), ROW)
    target, q = (
        np.transpose([np.interp(time, rows[:, 0], rows[:, k]) for k in range(1, 7)])
        for rows in both
    )
    return Motion(target + ZEROS, q + ZEROS)


def split(motions: Mapping[str, Motion], seconds: float) -> tuple[list[Motion], list[Motion]]:
    """Return the first ``seconds`` of the motions to fit, and those held out."""
    names, n = sorted(motions), round(seconds / ROW)
    training = [motions[name] for k, name in enumerate(names) if k % HELD]
    return [Motion(m.target[:n], m.q[:n]) for m in training], [motions[n] for n in names[::HELD]]


def starts(motions: Iterable[Motion]) -> Floats:
    """Return the times of the motions' first rows in the file of commands, (n,), [s]."""
    lengths = [ROW * len(motion.q) + GAP for motion in motions]
    found: Floats = np.cumsum([0.0, *lengths[:-1]])
    return found


def bare_urdf(folder: Path) -> str:
    """Return the arm's URDF without its shapes, whose files are not part of the data.

    Raises:
        DataError: if it is missing or lacks a joint.
    """
    path = folder / "so101.urdf"
    if not path.is_file():
        raise DataError(f"{folder} has no {path.name}: give the folder that holds the arm")
    text = re.sub(r"<(visual|collision)>.*?</\1>", "", path.read_text("utf-8"), flags=re.S)
    missing = [name for name in JOINTS if f'"{name}"' not in text]
    if missing:
        raise DataError(f"{path} has no joint {', '.join(missing)}")
    return text


def write_scene(urdf: str, made: Path, motions: list[Motion]) -> Path:
    """Write the arm and a scene that commands the motions one after another; return its path."""
    (made / "arm.urdf").write_text(urdf, "utf-8")
    write_whole(made / "arm.toml", 'base = "fixed"\n[model]\nfile = "arm.urdf"\n')
    pairs = zip(motions, starts(motions), strict=True)
    time = np.concatenate([start + ROW * np.arange(len(motion.q)) for motion, start in pairs])
    target = np.concatenate([motion.target for motion in motions])
    np.savez(made / "commands.npz", time=time, joints=JOINTS, position=target)
    first = "\n".join(f"{j} = {x}" for j, x in zip(JOINTS, target[0], strict=True))
    text = (
        f"[simulation]\ntime_step = {STEP}\n[bodies.arm]\nrobot = 'arm.toml'\n"
        f"base_position = [0.0, 0.0, 1.0]\n[bodies.arm.joint_positions]\n{first}\n"
        "[bodies.arm.controller]\nplugin = 'trajectory'\nfile = 'commands.npz'\n"
        "interpolation = 'linear'\ndamping = 0.0\n"
    )
    write_whole(made / "scene.toml", text)
    return made / "scene.toml"
