"""A first side file: what a network and a robot tell, and marks at what they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import footfall
from footfall.api.device import values_by_name
from footfall.api.plugin import SettingError, nearest
from footfall_policy.network import Network, read_network
from footfall_policy.onnx_file import OnnxFile
from footfall_policy.policy_file import UNKNOWN, of_metadata

USUAL = {
    9: ("base_angular_velocity", "projected_gravity", "command"),
    12: ("base_linear_velocity", "base_angular_velocity", "projected_gravity", "command"),
}
"""Usual first terms by their size; then joint positions, velocities, the last action, a clock."""
OF_JOINTS = ("joint_positions", "joint_velocities", "last_action")
"""Terms with a number for each joint."""
CLOCK = 2
"""Size of sine and cosine of a clock."""
COMMAND = [0.0, 0.0, 0.0]
CHECK = "# CHECK: "


def draft(file: Path, robot: str, *, trusted: bool) -> tuple[str, list[str]]:
    """Return the text of a side file, and the sizes that disagree.

    Args:
        file: the network.
        robot: as for ``footfall.load_robot``.
        trusted: whether an ONNX network is loaded in this process.

    Raises:
        FootfallError: if the network or the robot cannot be read, or the metadata name a joint
            that the robot has not.
    """
    network = read_network(file, "elu", trusted=trusted)
    known = footfall.load_robot(robot)
    metadata = OnnxFile(file).metadata if file.suffix == ".onnx" else {}
    sizes = f"# The network takes {network.inputs} numbers and gives {network.outputs} actions"
    sizes += f", with {network.memory} values of memory.\n" if network.memory else ".\n"
    if "joint_names" in metadata:
        table = of_metadata(file, metadata)
        for name in table["joints"]:
            if name not in known.kept:
                hint = nearest(name, known.kept, "joints")
                raise SettingError(f"{file}: the robot has no joint {name!r}{hint}", "file")
        odd = _disagreements(network, table)
        notes = {"rate": "not in the metadata; 50 Hz is mjlab's", **odd}
    else:
        table, notes = _guess(file, network, known)
        odd = {"joints": notes["joints"]} if network.outputs > len(known.kept) else {}
    return sizes + "\n".join(_written(table, notes)) + "\n", list(odd.values())


def _disagreements(network: Network, table: Mapping[str, Any]) -> dict[str, str]:
    """Return by key how metadata differ from the network's sizes."""
    n, found = len(table["joints"]), {}
    if n != network.outputs:
        found["joints"] = (
            f"the metadata name {n} joints, the network gives {network.outputs} actions"
        )
    parts = [(row["term"], n if row["term"] in OF_JOINTS else 3) for row in table["observation"]]
    total = sum(size for _, size in parts)
    if total != network.inputs:
        listed = " + ".join(f"{term} {size}" for term, size in parts)
        told = f"the metadata's terms are {listed} = {total} numbers"
        found["observation"] = f"{told}, the network takes {network.inputs}"
    return found


def _guess(
    file: Path, network: Network, robot: footfall.Robot
) -> tuple[dict[str, Any], dict[str, str]]:
    n, joints = network.outputs, list(robot.kept)
    fits = len(joints) == n
    told = f"the robot has {len(joints)} joints ({', '.join(joints)}), the network {n} actions"
    posture = values_by_name(robot.spec.posture, robot.movable, str(robot.file))
    terms, note = _terms(network.inputs, n)
    table = {
        "network": file.name,
        **({"activation": UNKNOWN} if file.suffix == ".npz" else {}),
        "rate": UNKNOWN,
        "joints": joints if fits else UNKNOWN,
        "default": [posture.get(name, 0.0) for name in joints] if fits else UNKNOWN,
        "stiffness": UNKNOWN,
        "damping": UNKNOWN,
        **({"command": COMMAND} if {"term": "command"} in terms else {}),
        "action": {"scale": UNKNOWN},
        "observation": terms,
    }
    notes = {
        "activation": "elu, relu, tanh, sigmoid or silu",
        "rate": "calls per second, [Hz]",
        "joints": "the order of the training; this is the robot's" if fits else told,
        "default": "joint positions of a zero action, [rad]; these are the robot's posture",
        "stiffness": "[N m/rad], one for all, one for each joint, or by pattern",
        "damping": "[N m s/rad]",
        "scale": "[rad] per unit of an action",
        "observation": note,
    }
    return table, notes


def _terms(inputs: int, n: int) -> tuple[list[dict[str, Any]], str]:
    """Return the usual terms for a size, with a note."""
    for clock in (0, CLOCK):
        first = USUAL.get(inputs - 3 * n - clock)
        if first is not None:
            found: list[dict[str, Any]] = [{"term": term} for term in (*first, *OF_JOINTS)]
            waves = ("phase_sin", "phase_cos") if clock else ()
            found += [{"term": wave, "frequency": UNKNOWN} for wave in waves]
            return found, f"order and scales; usual terms of {inputs} numbers"
    return [{"term": UNKNOWN}], f"terms of {inputs} numbers, of which a joint's have {n}"


def _written(table: Mapping[str, Any], notes: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a table: plain keys, then tables."""
    for key, value in table.items():
        if key in notes:
            yield CHECK + notes[key]
        if not isinstance(value, dict) and key != "observation":
            yield f"{key} = {json.dumps(value)}"
        for each in value if key == "observation" else [value] if isinstance(value, dict) else ():
            yield "[[observation]]" if key == "observation" else f"\n[{key}]"
            yield from _written(each, notes)
