"""MuJoCo's own joint friction on the measured motions, fitted as the models of servos are."""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.optimize import least_squares

from footfall.api.plugin import Floats
from footfall_validate.servos.models import GAIN, LOOP, PLAIN
from footfall_validate.servos.recorded import JOINTS, ROW, STEP, Motion

FITTED = "coulomb_friction", "viscous_friction", "rotor_inertia"
"""Names of ``frictionloss``, ``damping`` and ``armature`` in ``PLAIN``."""


def errors_of(urdf: str, values: Floats, motions: list[Motion]) -> list[Floats]:
    """Return each motion's errors, (rows, 6), [rad].

    Args:
        urdf: text of the arm.
        values: gain, frictionloss, damping and armature.
        motions: the motions.
    """
    model, found = mujoco.MjModel.from_xml_string(urdf), []
    at = np.array([model.joint(name).dofadr[0] for name in JOINTS])
    gain, model.dof_frictionloss[at], model.dof_damping[at], model.dof_armature[at] = values
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.jnt_stiffness[:], parts = gain, (np.arange(round(ROW / STEP)) + 0.5) * STEP / ROW
    for target, q in motions:
        data, errors = mujoco.MjData(model), np.empty((len(q) - 1, len(at)))
        data.qpos[at] = q[0]
        for row in range(len(errors)):
            for part in parts:
                model.qpos_spring[at] = (1.0 - part) * target[row] + part * target[row + 1]
                mujoco.mj_step(model, data)
            errors[row] = data.qpos[at] - q[row + 1]
        found.append(errors)
    return found


def fit(urdf: str, training: list[Motion]) -> Floats:
    """Fit the values of ``errors_of`` to motions."""
    low, high, start = np.log([LOOP[GAIN], *(PLAIN[name] for name in FITTED)]).T
    logs = least_squares(
        lambda x: np.vstack(errors_of(urdf, np.exp(x), training))[::4].reshape(-1),
        start,
        bounds=(low, high),
        diff_step=0.03,
        max_nfev=8,
    ).x
    found: Floats = np.exp(logs)
    return found
