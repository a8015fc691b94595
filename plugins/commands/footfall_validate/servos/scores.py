"""Scores of models of servos on held-out motions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, PluginError, nearest
from footfall_validate.circumstances import write_page
from footfall_validate.laws.figures import figure_file
from footfall_validate.results import Table, mean_cells, notes_of, standard_error
from footfall_validate.servos import models
from footfall_validate.servos.models import DELAY, DRIVE, GAIN, MODELS
from footfall_validate.servos.recorded import JOINTS, bare_urdf, read_motions, split

TRAINED = 20.0
"""Time from the start of each training motion that is fitted, [s]."""
NONE, MUJOCO = "none", "mujoco"
"""Names of the row of the commands themselves, and of MuJoCo's own joints."""


@dataclass(frozen=True, slots=True)
class Score:
    """Errors of a model.

    Attributes:
        who: name of the model.
        errors: shape (motions, 6), mean of the size of each joint's error, [deg].
        found: fitted values as text.
    """

    who: str
    errors: Floats
    found: str = ""


def chosen(names: Sequence[str]) -> list[str]:
    """Return names of models, all that can be fitted if none is given.

    Raises:
        PluginError: if a model does not exist, or MuJoCo is not installed; suggests the nearest.
    """
    there = [*MODELS, *([MUJOCO] if find_spec("mujoco") else [])]
    for name in names:
        if name not in there:
            known = f"{', '.join(there)}; mujoco needs the extra bench"
            raise PluginError(f'no model "{name}"{nearest(name, there)} ({known})')
    return list(dict.fromkeys(names)) or there


def score(folder: Path, names: Sequence[str], done: Callable[[], None]) -> list[Score]:
    """Fit models to the training motions; return their scores on the others.

    Raises:
        DataError: if the data cannot be read.
    """
    urdf = bare_urdf(folder)
    training, held = split(read_motions(folder), TRAINED)
    scores = [Score(NONE, _means([motion.target - motion.q for motion in held]))]
    for name in names:
        if name == MUJOCO:
            from footfall_validate.servos import mujoco

            values = mujoco.fit(urdf, training)
            told = dict(zip(("gain", "frictionloss", "damping", "armature"), values, strict=True))
            errors = mujoco.errors_of(urdf, values, held)
        else:
            found = models.fit(urdf, name, training)
            told, errors = _told(found), models.errors_of(urdf, found, held)
        text = ", ".join(f"{key} {value:.3g}" for key, value in told.items())
        scores.append(Score(name, _means(errors), text))
        done()
    return scores


def _means(errors: Sequence[Floats]) -> Floats:
    return np.degrees([np.abs(rows).mean(axis=0) for rows in errors])


def _told(found: dict[str, Any]) -> dict[str, float]:
    """Return fitted values by a short name."""
    short = {GAIN: "gain", DELAY: "delay"}
    return {short.get(k, k.removeprefix(f"{DRIVE}.0.")): v for k, v in found.items() if k != DRIVE}


def result(scores: Sequence[Score]) -> Table:
    """Return the table of scores."""
    return Table(
        "Real servos",
        "Mean size of the error of held-out motions in degrees, with its standard error over them.",
        ["model", "motions", "error [deg]", "se", *JOINTS],
        [
            [
                s.who,
                str(len(s.errors)),
                *mean_cells(s.errors.mean(axis=1, keepdims=True)),
                *(f"{x:.2f}" for x in s.errors.mean(axis=0)),
            ]
            for s in scores
        ],
        notes_of({s.who: s.found for s in scores}),
    )


def write_servo_page(folder: Path, scores: Sequence[Score]) -> Path:
    """Write ``servos.md``, its figure beside it; return the page."""
    (folder / "servos").mkdir(parents=True, exist_ok=True)
    path, rows = folder / "servos" / "errors.svg", range(0, -len(scores), -1)
    with figure_file(path, figsize=(7, 0.8 + 0.25 * len(scores))) as axes:
        each = [s.errors.mean(axis=1) for s in scores]
        errors = [float(standard_error(one[:, None])[0]) for one in each]
        axes.errorbar([one.mean() for one in each], rows, xerr=errors, fmt="o", capsize=3)
        axes.set(xlabel="mean error of held-out motions [deg]", xlim=(0.0, None))
        axes.set_yticks(list(rows), [s.who for s in scores])
    return write_page(folder, "servos", MUJOCO, scores=result(scores).markdown())
