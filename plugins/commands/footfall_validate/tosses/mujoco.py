"""MuJoCo on the recorded tosses, with both of its friction cones and nothing fitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import mujoco
import numpy as np

from footfall.api.plugin import Floats
from footfall_validate.tosses.recorded import (
    INERTIA,
    MASS,
    MU,
    RATE,
    WIDTH,
    read_tosses,
    row_errors,
)
from footfall_validate.tosses.scores import Played, Score, sum_up

CUBE = """
<mujoco>
  <option timestep="{dt}" cone="{cone}"/>
  <worldbody>
    <geom type="plane" size="10 10 1" friction="{mu} 0.005 0.0001"/>
    <body>
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>
      <geom type="box" size="{half} {half} {half}" friction="{mu} 0.005 0.0001"/>
    </body>
  </worldbody>
</mujoco>
"""


def mujoco_scores(folder: Path, substeps: Sequence[int]) -> list[Score]:
    """Play all tosses in MuJoCo with its defaults, and the measured inertia and friction.

    Raises:
        DataError: if the tosses cannot be read.
    """
    tosses, scores = read_tosses(folder), []
    for cone in ("elliptic", "pyramidal"):
        for count in substeps:
            dt, start = 1.0 / RATE / count, process_time()
            text = CUBE.format(dt=dt, cone=cone, mu=MU, mass=MASS, inertia=INERTIA, half=WIDTH / 2)
            model = mujoco.MjModel.from_xml_string(text)
            errors = [
                row_errors(_played(model, tosses.rows(k), tosses.ic_vel[k], count), tosses.rows(k))
                for k in range(len(tosses))
            ]
            part = Played(np.array(errors), process_time() - start)
            name = f"MuJoCo {mujoco.__version__}, {cone}"
            scores.append(sum_up(name, count, [part], tosses.physical))
    return scores


def _played(model: Any, rows: Floats, velocity: Floats, substeps: int) -> Floats:
    """Return positions and quaternions x y z w, shape (n, 7), of a toss."""
    data = mujoco.MjData(model)
    data.qpos[:] = rows[0, :7]
    data.qvel[:] = velocity  # linear along the world's axes, angular along the body's
    played = np.empty((len(rows), 7))
    for index in range(len(rows)):
        if index:
            mujoco.mj_step(model, data, substeps)
        played[index] = np.r_[data.qpos[:3], data.qpos[4:7], data.qpos[3]]
    return played
