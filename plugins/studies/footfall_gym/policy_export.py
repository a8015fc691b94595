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
        envs: the environment of its training, of one body, with the action ``posture``.
        path: of the files, without suffix.

    Raises:
        PluginError: if the environment observes or moves what a policy file cannot name.
    """
    names = [name.split("/") for name in envs.observation_names]
    terms = list(dict.fromkeys(name[1] for name in names))
    reach, body = envs.steering, names[0][0]
    for term in terms:
        if term not in TERMS:
            raise PluginError(f"export_policy: observes {term}, allowed is {', '.join(TERMS)}")
    joints = [name[2] for name in names if name[1] == POSITIONS]
    if {name[0] for name in names} != {body} or tuple(joints) != envs.sim.labels.joint:
        raise PluginError("export_policy: observe the joint positions of one body, all of them")
    if envs.action != "posture" or not np.array_equal(-reach.low, reach.high):
        raise PluginError('export_policy: needs the action "posture" and a bound for each joint')
    if tuple(reach.names) != envs.sim.labels.joint:
        raise PluginError("export_policy: needs an action for each joint, in the robot's order")
    envs.sim.step()
    command = envs.sim.driving.command(body)
    centre = np.zeros(len(names))
    centre[[name[1] == POSITIONS for name in names]] = command.target
    path = Path(path)
    weights, about = path.with_suffix(".npz"), path.with_suffix(".policy.toml")
    np.savez(weights, **_layers(model, centre))
    values = {
        "network": weights.name,
        "activation": type(model.policy.mlp_extractor.policy_net[1]).__name__.lower(),
        "rate": 1.0 / envs.dt,
        "joints": joints,
        "default": command.target.tolist(),
        "stiffness": command.stiffness.tolist(),
        "damping": command.damping.tolist(),
    }
    # Numbers, strings and lists of them are written in TOML as in JSON.
    text = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    text += ["[action]", f"scale = {json.dumps(reach.high.tolist())}", "clip = 1.0"]
    text += [f"[[observation]]\nterm = {json.dumps(term)}" for term in terms]
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
