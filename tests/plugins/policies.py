"""Policies made for tests: ONNX networks, and side files for the shared walking robots."""

import json
from pathlib import Path

import numpy as np

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reference" / "policies"
TERMS = {
    "spin": "base_angular_velocity",
    "gravity": "projected_gravity",
    "command": "command",
    "positions": "joint_positions",
    "velocities": "joint_velocities",
    "action": "last_action",
    "sin": "phase_sin",
    "cos": "phase_cos",
}


def onnx_of(weights, path, **metadata):
    """Write arrays of PyTorch as ONNX: an MLP, or after an LSTM or GRU with memory in and out."""
    from onnx import helper as h

    nodes, arrays, ports = [], {}, ([], [])
    state = {name.split(".")[1][:-3]: w for name, w in weights.items() if name.startswith("memory")}
    prefix, x = ("actor." if state else ""), "obs"
    if state:
        n = state["weight_hh"].shape[1]
        gates = {k: _reordered(w, n) for k, w in state.items()}
        arrays["W"], arrays["R"] = gates["weight_ih"][None], gates["weight_hh"][None]
        arrays["B"] = np.concatenate([gates["bias_ih"], gates["bias_hh"]])[None]
        arrays["axes"], arrays["flat"] = np.array([0], np.int64), np.array([1, n], np.int64)
        nodes.append(h.make_node("Unsqueeze", ["obs", "axes"], ["sequence"]))
        ins, lstm = ["sequence", "W", "R", "B", ""], len(gates["weight_hh"]) == 4 * n
        letters = "hc" if lstm else "h"
        ports = ([(f"{c}_in", n) for c in letters], [(f"{c}_out", n) for c in letters])
        kind, more = ("LSTM", {}) if lstm else ("GRU", {"linear_before_reset": 1})
        ins, outs = ins + [name for name, _ in ports[0]], [name for name, _ in ports[1]]
        nodes.append(h.make_node(kind, ins, ["", *outs], hidden_size=n, **more))
        nodes.append(h.make_node("Reshape", ["h_out", "flat"], ["hidden"]))
        x = "hidden"
    numbers = [k for k in range(0, 8, 2) if f"{prefix}{k}.weight" in weights]
    for k in numbers:
        w, b = f"{prefix}{k}.weight", f"{prefix}{k}.bias"
        arrays[w], arrays[b] = weights[w], weights[b]
        last = k == numbers[-1]
        nodes.append(h.make_node("Gemm", [x, w, b], ["actions" if last else f"y{k}"], transB=1))
        if not last:
            nodes.append(h.make_node("Elu", [f"y{k}"], [f"z{k}"]))
            x = f"z{k}"
    first = state["weight_ih"] if state else weights["0.weight"]
    inputs = [("obs", (1, first.shape[1])), *((name, (1, 1, n)) for name, n in ports[0])]
    outputs = [("actions", (1, len(weights[b]))), *((k, (1, 1, n)) for k, n in ports[1])]
    save(nodes, inputs, outputs, arrays, path, **metadata)


def save(nodes, inputs, outputs, arrays, path, **metadata):
    import onnx
    from onnx import TensorProto, numpy_helper
    from onnx import helper as h

    ins, outs = (
        [h.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in some]
        for some in (inputs, outputs)
    )
    held = [numpy_helper.from_array(w, name) for name, w in arrays.items()]
    model = h.make_model(
        h.make_graph(nodes, "policy", ins, outs, held),
        opset_imports=[h.make_opsetid("", 17)],
        ir_version=8,
    )
    h.set_model_props(model, {key: str(value) for key, value in metadata.items()})
    onnx.save(model, path)


def _reordered(w, hidden):
    """Return rows in ONNX's order: of an LSTM i, o, f, g for PyTorch's i, f, g, o; of a GRU z, r, n
    for r, z, n."""
    order = [0, 3, 1, 2] if len(w) == 4 * hidden else [1, 0, 2]
    return np.concatenate([np.split(w, len(order))[k] for k in order])


def side_file(about, joints, network, **changed):
    """Return the text of a side file for one of the shared ``policy.json``."""
    table = {
        "network": network,
        "rate": 1.0 / (about["time_step"] * about["decimation"]),
        "joints": joints,
        "command": about["command"],
        **{key: about[key] for key in ("default", "stiffness", "damping")},
        **changed,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    lines += ["[action]", f"scale = {about['action_scale']}"]
    lines += [f"clip = {about['clip']}"] if "clip" in about else []
    for name, scale in about["observation"]:
        lines += ["[[observation]]", f'term = "{TERMS[name]}"', f"scale = {json.dumps(scale)}"]
        lines += [f"frequency = {about['frequency']}"] if name in ("sin", "cos") else []
    return "\n".join(lines) + "\n"


def small(folder, joints, terms, /, weights=None, bias=None, inputs=0, name="small", **changed):
    """Write a linear network as NumPy's arrays with its side file; return the side file."""
    n = len(joints)
    bias = np.zeros(n) if bias is None else np.asarray(bias, float)
    weights = np.zeros((n, inputs)) if weights is None else weights
    np.savez(folder / f"{name}.npz", **{"0.weight": weights, "0.bias": bias})
    action = {"scale": 1.0, **changed.pop("action", {})}
    table = {"network": f"{name}.npz", "rate": 50.0, "joints": list(joints), **changed}
    lines = [*map(_line, table.items()), "[action]", *map(_line, action.items())]
    for term in terms:
        lines += ["[[observation]]", *map(_line, term.items())]
    path = folder / f"{name}.policy.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _line(pair):
    key, value = pair
    table = isinstance(value, dict)
    text = "{" + ", ".join(map(_line, value.items())) + "}" if table else json.dumps(value)
    return f"{json.dumps(key)} = {text}"


def hopper(folder):
    """Write a planar robot with a hip and a sliding foot, and a scene; return the scene."""
    mass = '<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    links = [
        f'<link name="{name}"><inertial><origin xyz="0 0 {z}"/>{mass}</inertial></link>'
        for name, z in (("trunk", 0.1), ("leg", -0.1), ("foot", -0.1))
    ]
    joints = [
        f'<joint name="{name}" type="{kind}"><origin xyz="0 0 {z}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="90" velocity="9"/></joint>'
        for name, kind, z, parent, child, axis in (
            ("hip", "revolute", 0.0, "trunk", "leg", "0 1 0"),
            ("ankle", "prismatic", -0.2, "leg", "foot", "0 0 1"),
        )
    ]
    (folder / "model.urdf").write_text(f'<robot name="hopper">{"".join(links + joints)}</robot>')
    (folder / "robot.toml").write_text(
        'base = "planar"\nbase_position = [0.0, 0.0, 0.4]\n[model]\nfile = "model.urdf"\n'
        '[[contact_features]]\nframe = "foot"\nkind = "point"\n'
        "points = [[-0.1, 0.0, -0.2], [0.1, 0.0, -0.2]]\n"
    )
    scene = folder / "standing.toml"
    scene.write_text(
        '[simulation]\ntime_step = 2e-3\n[world.terrain]\nplugin = "plane"\nfriction = 0.8\n'
        '[bodies.hopper]\nrobot = "."\n[bodies.hopper.controller]\nplugin = "posture"\n'
        "stiffness = { hip = 200.0, ankle = 5000.0 }\ndamping = { hip = 10.0, ankle = 100.0 }\n"
    )
    return scene
