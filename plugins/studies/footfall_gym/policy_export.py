"""A policy trained with Stable-Baselines3 as plain arrays, with what it needs beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, PluginError
from footfall_gym.observation import GRAVITY
from footfall_gym.vector import SceneVectorEnv

POSITIONS = "joint_positions"
VELOCITIES = ("base_linear_velocity", "base_angular_velocity", "joint_velocities")
TERMS = (*VELOCITIES, GRAVITY, POSITIONS)
"""Observations that a policy file can name."""


def export_policy(model: Any, envs: SceneVectorEnv, path: str | Path) -> tuple[Path, Path]:
    """Write ``path.npz`` and ``path.policy.toml`` for the controller ``policy``; return both.

    ``path.npz`` holds the layers of the network: ``0.weight`` (out, in), ``0.bias`` (out,),
    ``2.weight``, ..., with the activation between them, for observations in SI units. The
    normalisation of ``VecNormalize`` is in the first layer; its clipping is left out.

    Args:
        model: a model of Stable-Baselines3 with the policy ``MlpPolicy`` (PPO, A2C).
        envs: the environment of its training, of one body.
        path: of the files, without suffix.

    Raises:
        PluginError: if the environment observes or moves what a policy file cannot name.
    """
    names = [name.split("/") for name in envs.observation_names]
    seen = {name[1]: [one[2] for one in names if one[1] == name[1]] for name in names}
    reach, body, everyone = envs.steering, names[0][0], envs.sim.labels.joint
    for term in seen:
        if term not in TERMS:
            raise PluginError(f"export_policy: observes {term}, allowed is {', '.join(TERMS)}")
    envs.sim.step()
    command = envs.sim.driving.command(body)
    if {name[0] for name in names} != {body} or len(command.target) != len(everyone):
        raise PluginError("export_policy: observe one body, in a scene without other joints")
    if not np.array_equal(-reach.low, reach.high):
        raise PluginError("export_policy: needs a bound for each joint, the same on both sides")
    torque, joints = envs.action == "torque", list(reach.names)
    stiffness, damping = command.stiffness.copy(), command.damping.copy()
    if torque:
        stiffness[reach.joints] = damping[reach.joints] = 0.0
    held = np.where(stiffness > 0.0, command.target, 0.0)
    others = np.setdiff1d(envs.sim.driving.motors, reach.joints)
    rest = np.unique(np.stack([stiffness, damping, np.abs(command.tau)])[:, others], axis=1)
    if rest.shape[1] > 1 or rest[2:].any():
        told = "joints that actions do not move need the same gains and no torques"
        raise PluginError(f"export_policy: {told}: {', '.join(everyone[k] for k in others)}")
    centre = np.zeros(len(names))
    at = [everyone.index(name) for name in seen.get(POSITIONS, ())]
    centre[[name[1] == POSITIONS for name in names]] = held[at]
    path = Path(path)
    weights, about = path.with_suffix(".npz"), path.with_suffix(".policy.toml")
    np.savez(weights, **_layers(model, centre))
    values = {
        "network": weights.name,
        "activation": type(model.policy.mlp_extractor.policy_net[1]).__name__.lower(),
        "rate": 1.0 / envs.dt,
        "joints": joints,
        "default": held[reach.joints].tolist(),
        "stiffness": stiffness[reach.joints].tolist(),
        "damping": damping[reach.joints].tolist(),
    }
    # Numbers, strings and lists of them are written in TOML as in JSON.
    text = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    text += ["[action]", f"scale = {json.dumps(reach.high.tolist())}", "clip = 1.0"]
    text += ['kind = "torque"'] if torque else []
    if len(others):
        text += ["[others]", f"stiffness = {rest[0, 0]}", f"damping = {rest[1, 0]}"]
    for term, which in seen.items():
        text += ["[[observation]]", f"term = {json.dumps(term)}"]
        if term.startswith("joint") and which != joints:
            text += [f"joints = {json.dumps(which)}"]
    about.write_text("\n".join(text) + "\n", encoding="utf-8")
    return weights, about


def _layers(model: Any, centre: Floats) -> dict[str, Any]:
    """Return the layers of the policy for observations of which ``centre`` (in,) is subtracted."""
    policy, scaled = model.policy, model.get_vec_normalize_env()
    linear = [*policy.mlp_extractor.policy_net[::2], policy.action_net]
    arrays = [
        [part.detach().numpy().astype(float) for part in (layer.weight, layer.bias)]
        for layer in linear
    ]
    mean, deviation = np.zeros(len(centre)), np.ones(len(centre))
    if scaled is not None and scaled.norm_obs:
        mean, deviation = scaled.obs_rms.mean, np.sqrt(scaled.obs_rms.var + scaled.epsilon)
    weight, bias = arrays[0]
    arrays[0] = [weight / deviation, bias + (weight / deviation) @ (centre - mean)]
    return {
        f"{2 * k}.{name}": array
        for k, layer in enumerate(arrays)
        for name, array in zip(("weight", "bias"), layer, strict=True)
    }
