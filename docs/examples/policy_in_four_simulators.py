"""Let one policy walk in Footfall, under two laws, in MuJoCo and in Drake. Extras: mujoco, drake.
You see how far a quadruped trots in each, by a network of two layers that is written by hand."""

import json
import tempfile
from pathlib import Path

import numpy as np

import footfall

LEGS = {"fl": 1.0, "fr": -1.0, "rl": -1.0, "rr": 1.0}  # diagonal legs move together
JOINTS = [f"{leg}_{joint}" for leg in LEGS for joint in ("hip_roll", "hip_pitch", "knee")]
SIDE_FILE = f"""
network = "clock.npz"
activation = "relu"
joints = {json.dumps(JOINTS)}
default = {{ "*" = 0.0, "*_hip_pitch" = 0.75, "*_knee" = -1.5 }}
stiffness = 120.0
damping = 3.0
rate = 50.0
action = {{ kind = "position" }}
observation = [{{ term = "phase_sin", frequency = 3.0 }}, {{ term = "phase_cos", frequency = 3.0 }}]
"""

hidden = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # sin+, sin-, cos+, cos-
actions = np.zeros((12, 4))
for k, sign in enumerate(LEGS.values()):
    up = 2 if sign > 0 else 3  # half of the cycle in which the foot is in the air
    actions[3 * k + 1, :2] = -0.2 * sign, 0.2 * sign  # the hip swings, [rad]
    actions[3 * k + 1, up], actions[3 * k + 2, up] = 0.35, -0.7  # the knee lifts the foot
policy = Path(tempfile.mkdtemp(), "clock.policy.toml")
np.savez(policy.with_name("clock.npz"), **{"0.weight": hidden, "2.weight": actions})
policy.write_text(SIDE_FILE)

choices = {"contacts": ("coulomb", "compliant"), "simulators": ("footfall", "mujoco", "drake")}
parts = {"simulation.substeps": 2}  # the springs of "compliant" need short steps
rows = footfall.run_policy(policy, "quadruped/standing", overrides=parts, **choices)
for row in rows:
    print(f"{row.title:20} trots {row.motion[-1, 0]:.2f} m ahead in 5 s")
