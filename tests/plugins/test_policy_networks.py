"""Networks of policies: NumPy's reader beside onnxruntime, and files that are refused."""

import os
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.policies import onnx_of, save, small
from tests.plugins.test_policy import ARM, GAINS, POSITIONS, arm, refused

from footfall.api.plugin import PluginError
from footfall_policy.network import onnx_network, plain_network, read_network
from footfall_policy.onnx_chain import OnnxChain
from footfall_policy.onnx_file import LARGEST, OnnxFile
from footfall_policy.worker import MEMORY

onnx = pytest.importorskip("onnx", reason='needs the extra "policy" and onnx')
pytest.importorskip("onnxruntime", reason='needs the extra "policy"')


def random_weights(gates=0, sizes=(5, 7, 3), hidden=6):
    """Return arrays of an MLP, behind an LSTM (4 gates) or a GRU (3) if asked for."""
    rng = np.random.default_rng(gates)
    found, prefix, first = {}, "", sizes[0]
    if gates:
        rows, prefix, first = gates * hidden, "actor.", hidden
        shapes = {"weight_ih": (rows, sizes[0]), "weight_hh": (rows, hidden)}
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        found = {f"memory.{k}_l0": rng.normal(size=shape) for k, shape in shapes.items()}
    for k, (a, b) in enumerate([(first, sizes[1]), (sizes[1], sizes[2])]):
        found |= {f"{prefix}{2 * k}.weight": rng.normal(size=(b, a))}
        found |= {f"{prefix}{2 * k}.bias": rng.normal(size=b)}
    return {name: w.astype(np.float32) for name, w in found.items()}


def agree(one, two, steps=5):
    """Compare networks by calls in turn, each with the memory of the last, to 1e-6."""
    assert (one.inputs, one.outputs, one.memory) == (two.inputs, two.outputs, two.memory)
    rng, memory = np.random.default_rng(1), np.zeros(one.memory)
    for _ in range(steps):
        x = np.concatenate([rng.normal(size=one.inputs), memory]).astype(np.float32)
        y = two.run(x)
        assert np.abs(one.run(x) - y).max() <= 1e-6 * max(1.0, np.abs(y).max())
        memory = y[one.outputs :]


@each("gates", [0, 3, 4])
def test_numpy_gives_what_onnxruntime_gives(tmp_path, gates):
    """The ONNX file of a plain network is compiled as well, without onnxruntime."""
    weights = random_weights(gates)
    np.savez(tmp_path / "a.npz", **weights)
    onnx_of(weights, tmp_path / "a.onnx")
    agree(plain_network(tmp_path / "a.npz", "elu"), onnx_network(tmp_path / "a.onnx"))
    chain = read_network(tmp_path / "a.onnx", "", trusted=False)
    assert chain.arrays is not None
    agree(chain, onnx_network(tmp_path / "a.onnx"))


W = np.random.default_rng(2).normal(size=(4, 4)).astype(np.float32)
C = np.random.default_rng(3).uniform(0.5, 2.0, 4).astype(np.float32)
BOUNDS = {"low": np.array(-0.4, np.float32), "high": np.array(0.6, np.float32)}
NORMAL = [("Sub", "c", {}), ("Div", "c", {}), ("Clip", "low high", {})]
CHAINS = [
    ([("Gemm", "w c", {"transB": 1, "alpha": 0.5, "beta": 2.0}), ("Tanh", "", {})], True),
    ([("Gemm", "w", {}), ("Elu", "", {"alpha": 0.3}), ("MatMul", "w", {}), ("Add", "c", {})], True),
    ([*NORMAL, ("MatMul", "w", {}), ("Relu", "", {}), ("Mul", "c", {})], True),
    ([("MatMul", "w", {}), ("LeakyRelu", "", {}), ("Flatten", "", {}), ("Sigmoid", "", {})], True),
    ([("Clip", " high", {}), ("LeakyRelu", "", {"alpha": 0.2}), ("Identity", "", {})], True),
    ([("MatMul", "w", {}), ("Softsign", "", {}), ("MatMul", "w", {})], False),
    ([("Div", "zero", {}), ("Clip", "low high", {})], False),
    ([("Gemm", "w", {"transA": 1})], False),
    ([("Add", "column", {}), ("ReduceMax", "", {"axes": [0]})], False),
]


@each(("made", "plain"), CHAINS)
def test_chains_are_compiled_and_give_what_onnxruntime_gives(tmp_path, made, plain):
    from onnx import helper as h

    names = ["obs", *(f"x{k}" for k in range(len(made) - 1)), "actions"]
    nodes = [
        h.make_node(name, [names[k], *more.split(" ")] if more else [names[k]], [names[k + 1]], **a)
        for k, (name, more, a) in enumerate(made)
    ]
    arrays = {"w": W, "c": C, "zero": np.zeros(4, np.float32), "column": C[:, None], **BOUNDS}
    size = (4, 1) if made[0][0] == "Gemm" and not plain else (1, 4)
    held = {k: v for k, v in arrays.items() if any(k in more.split(" ") for _, more, _ in made)}
    save(nodes, [("obs", size)], [("actions", (1, 4))], held, tmp_path / "a.onnx")
    network = read_network(tmp_path / "a.onnx", "", trusted=False)
    assert (network.arrays is not None) == plain
    if made[0][0] != "Div":
        agree(network, onnx_network(tmp_path / "a.onnx"))


def test_a_gate_of_its_own_input_is_silu_and_another_branch_is_not_compiled(tmp_path):
    from onnx import helper as h

    for other, plain in (("x", True), ("obs", False)):
        nodes = [
            h.make_node("MatMul", ["obs", "w"], ["x"]),
            h.make_node("Sigmoid", ["x"], ["y"]),
            h.make_node("Mul", [other, "y"], ["actions"]),
        ]
        save(nodes, [("obs", (1, 4))], [("actions", (1, 4))], {"w": W}, tmp_path / "a.onnx")
        network = read_network(tmp_path / "a.onnx", "", trusted=False)
        assert (network.arrays is not None) == plain
        agree(network, onnx_network(tmp_path / "a.onnx"))


def node(name, *more, domain="", **attributes):
    from onnx import helper as h

    return h.make_node(name, ["obs", *more], ["actions"], domain=domain, **attributes)


def graph(*nodes):
    from onnx import TensorProto
    from onnx import helper as h

    out = [h.make_tensor_value_info("actions", TensorProto.FLOAT, (1, 2))]
    return h.make_graph(nodes, "inner", [], out)


def hidden_operator(name):
    return node("If", then_branch=graph(node(name)), else_branch=graph(node("Tanh")))


def elsewhere(path, location):
    """Write a network whose weights are said to be in another file."""
    save([node("MatMul", "w")], [("obs", (1, 2))], [("actions", (1, 2))], {"w": np.eye(2)}, path)
    model = onnx.load(path)
    onnx.external_data_helper.set_external_data(model.graph.initializer[0], location)
    model.graph.initializer[0].ClearField("raw_data")
    path.write_bytes(model.SerializeToString())


NODES = [
    (node("Loop"), "operator Loop is not allowed"),
    (node("Tanhh"), "operator Tanhh is not allowed, did you mean 'Tanh'?"),
    (node("Gemm", domain="com.microsoft"), "operator com.microsoft.Gemm is not allowed"),
    (hidden_operator("StringSplit"), "operator StringSplit is not allowed"),
    (hidden_operator("Loop"), "operator Loop is not allowed"),
]


@each(("made", "expected"), NODES)
def test_an_operator_outside_of_those_allowed_is_refused(tmp_path, made, expected):
    path = tmp_path / "a.onnx"
    save([made], [("obs", (1, 2))], [("actions", (1, 2))], {}, path)
    assert expected in refused(lambda: OnnxFile(path))


@each("location", ["/etc/passwd", "../a.bin", "none.bin", "link.bin"])
def test_weights_outside_of_the_folder_are_refused(tmp_path, location):
    (tmp_path / "b").mkdir(exist_ok=True)
    (tmp_path / "a.bin").write_bytes(bytes(32))
    link = tmp_path / "b" / "link.bin"
    link.unlink(missing_ok=True)
    link.symlink_to(tmp_path / "a.bin")
    elsewhere(tmp_path / "b" / "a.onnx", location)
    told = refused(lambda: OnnxFile(tmp_path / "b" / "a.onnx"))
    assert f"its weights {location!r} are not a file in the same folder" in told


def test_weights_in_the_same_folder_are_read(tmp_path):
    elsewhere(tmp_path / "a.onnx", "a.bin")
    (tmp_path / "a.bin").write_bytes(np.array([[1.0, 2.0], [3.0, 4.0]]).tobytes())
    assert OnnxFile(tmp_path / "a.onnx").metadata == {}


def test_damaged_files_are_refused_in_one_line(tmp_path):
    onnx_of(random_weights(4), tmp_path / "a.onnx")
    data, rng = bytearray((tmp_path / "a.onnx").read_bytes()), np.random.default_rng(0)
    texts = [b"", b"not a network", bytes(data[:100]), rng.bytes(200), b"\x3a\xff\xff\xff\xff\x7f"]
    for text in texts:
        (tmp_path / "b.onnx").write_bytes(text)
        assert "is no ONNX file" in refused(lambda: OnnxFile(tmp_path / "b.onnx"))
    os.mkfifo(tmp_path / "pipe.onnx")
    assert "pipe.onnx is no file" in refused(lambda: OnnxFile(tmp_path / "pipe.onnx"))
    for _ in range(200):  # what is changed inside may be read, but raises nothing else
        other = data.copy()
        other[rng.integers(len(data))] = rng.integers(256)
        (tmp_path / "b.onnx").write_bytes(other)
        with suppress(PluginError):
            OnnxChain(OnnxFile(tmp_path / "b.onnx"))


def test_a_process_that_asks_for_too_much_ends_with_one_line(tmp_path):
    """Its memory is bounded: a graph may name sizes that no robot needs."""
    from onnx import helper as h

    many = h.make_node("Expand", ["obs", "n"], ["much"])
    nodes = [many, h.make_node("ReduceSum", ["much", "axes"], ["actions"], keepdims=1)]
    sizes = {"n": np.array([MEMORY, 2], np.int64), "axes": np.array([0], np.int64)}
    save(nodes, [("obs", (1, 2))], [("actions", (1, 2))], sizes, tmp_path / "a.onnx")
    network = read_network(tmp_path / "a.onnx", "", trusted=False)
    assert read_network(tmp_path / "a.onnx", "", trusted=False) is network  # shared
    told = refused(lambda: network.run(np.ones(2, np.float32)))
    assert "Failed to allocate memory" in told
    assert read_network(tmp_path / "a.onnx", "", trusted=False) is not network  # a new one


def test_a_network_that_gives_nan_is_told_with_joint_and_time(tmp_path):
    """The logarithm of an angle: of joint2, which starts below zero, it is no number."""
    save([node("Log")], [("obs", (1, 2))], [("actions", (1, 2))], {}, tmp_path / "a.onnx")
    text = small(tmp_path, ARM, POSITIONS, inputs=2, **GAINS).read_text()
    (tmp_path / "a.policy.toml").write_text(text.replace("small.npz", "a.onnx"))
    keys = {"bodies.rrbot.joint_positions": {"joint1": 0.5, "joint2": -0.5}}
    told = refused(lambda: arm(tmp_path / "a.policy.toml", keys, trusted=True).step())
    assert "policy: the network's action for joint2 is nan at t = 0 s" in told


ARRAYS = [
    ({"2.weight": np.zeros((3, 6))}, "its layers do not follow each other: [5, 6] to [7, 3]"),
    ({"0.bias": np.array([np.nan] * 7)}, "0.bias holds a number that is not finite"),
    ({"2.weight": np.array(["a"])}, "cannot be read"),
    ({"memory.weight_ih_l0": np.zeros((4, 5))}, "the array memory.bias_ih_l0 is missing"),
]


@each("part", ["weight_ih", "bias_ih", "weight_hh", "bias_hh"])
@each("gates", [3, 4])
def test_arrays_of_other_sizes_never_reach_a_kernel(tmp_path, gates, part):
    """Each of another size in turn; the sizes of layers must follow each other anyway."""
    weights = random_weights(gates)
    for more in (1, 1_000_000):
        name = f"memory.{part}_l0"
        wrong = np.zeros((more, *weights[name].shape[1:]), np.float32)
        np.savez(tmp_path / "a.npz", **{**weights, name: wrong})
        told = refused(lambda: plain_network(tmp_path / "a.npz", "elu"))
        assert "a recurrent layer is no LSTM or GRU" in told
    np.savez(tmp_path / "a.npz", **{**weights, "actor.2.bias": np.zeros(2, np.float32)})
    told = refused(lambda: plain_network(tmp_path / "a.npz", "elu"))
    assert "a layer is (outputs, inputs) with a bias each" in told


def test_pipes_and_archives_that_unpack_to_too_much_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    assert "is no file" in refused(lambda: plain_network(tmp_path / "pipe.npz", "elu"))
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("0.weight.npy", "w") as part,
    ):
        for _ in range(LARGEST // 1_000_000 + 1):
            part.write(bytes(1_000_000))
    assert "holds more than 256 MB" in refused(lambda: plain_network(tmp_path / "a.npz", "elu"))


def test_an_answer_of_another_size_than_the_file_says_is_told(tmp_path):
    """The number of repeats is an input's value: no shape in the file shows it."""
    from onnx import TensorProto
    from onnx import helper as h

    nodes = [
        h.make_node("Cast", ["obs"], ["n"], to=TensorProto.INT64),
        h.make_node("Expand", ["one", "n"], ["actions"]),
    ]
    sizes = {"one": np.ones(1, np.float32)}
    save(nodes, [("obs", (2,))], [("actions", (1, 2))], sizes, tmp_path / "a.onnx")
    for trusted in (True, False):
        network = read_network(tmp_path / "a.onnx", "", trusted=trusted)
        told = refused(lambda n=network: n.run(np.array([3.0, 2.0], np.float32)))
        assert told.endswith("gives [6] numbers, its file says [2]")


@each(("changed", "expected"), ARRAYS)
def test_arrays_that_are_no_network_are_refused(tmp_path, changed, expected):
    np.savez(tmp_path / "a.npz", **{**random_weights(), **changed})
    assert expected in refused(lambda: plain_network(tmp_path / "a.npz", "elu"))


METADATA = {
    "joint_names": "joint1,joint2",
    "joint_stiffness": "40.0,40.0",
    "joint_damping": "4.0,4.0",
    "default_joint_pos": "0.100,-0.200",
    "action_scale": "0.25",
    "observation_names": "joint_pos,joint_vel,actions,command",
    "command_names": "twist",
}


def with_metadata(path, **changed):
    rng = np.random.default_rng(5)
    w = {"0.weight": rng.normal(size=(2, 9)), "0.bias": rng.normal(size=2)}
    w = {name: array.astype(np.float32) for name, array in w.items()}
    metadata = {**METADATA, **changed}
    onnx_of(w, path, **{k: v for k, v in metadata.items() if v is not None})
    return w


def test_metadata_say_what_a_side_file_says(tmp_path):
    weights = with_metadata(tmp_path / "a.onnx")
    names = ("joint_positions", "joint_velocities", "last_action", "command")
    file = small(
        tmp_path,
        ARM,
        [{"term": name} for name in names],
        weights["0.weight"],
        weights["0.bias"],
        default=[0.1, -0.2],
        command=[0.0] * 3,
        action={"scale": 0.25},
        **GAINS,
    )
    command = [0.5, 0.0, 0.1]
    one, two = (arm(path, command=command).run(0.1).q for path in (tmp_path / "a.onnx", file))
    np.testing.assert_allclose(one.values, two.values, atol=1e-6)  # float32 and float64


@each(
    ("changed", "expected"),
    [
        ({"joint_stiffness": None}, "its metadata have no joint_stiffness"),
        ({"joint_names": None}, "has no metadata of its joints and no a.policy.toml beside it"),
        ({"joint_names": "joint1,joint1"}, "joints: the joint 'joint1' is named twice"),
        ({"default_joint_pos": "1,2,3"}, "metadata default_joint_pos: 3 values for 2 joints"),
        ({"joint_damping": "a,b"}, "metadata joint_damping: could not convert"),
        ({"observation_names": "joint_pos,eyes"}, "no term for the observation 'eyes'"),
    ],
)
def test_missing_or_wrong_metadata_are_told(tmp_path, changed, expected):
    with_metadata(tmp_path / "a.onnx", **changed)
    assert expected in refused(lambda: arm(tmp_path / "a.onnx"))


def test_policy_init_writes_what_is_known_and_marks_the_rest(tmp_path):
    from typer.testing import CliRunner

    from footfall.cli.main import app

    def init(name, *more):
        arguments = ["policy", "init", str(tmp_path / name), "--robot", "rrbot", *more]
        result = CliRunner().invoke(app, arguments)
        return result.output + str(result.exception or "")

    onnx_of(random_weights(4, (9, 8, 2)), tmp_path / "blank.onnx")
    assert "5 values to fill in, 7 to check" in init("blank.onnx")
    text = (tmp_path / "blank.policy.toml").read_text()
    assert 'joints = ["joint1", "joint2"]' in text
    assert "The network takes 9 numbers and gives 2 actions, with 12 values of memory." in text
    told = refused(lambda: arm(tmp_path / "blank.policy.toml"))
    assert told.endswith('blank.policy.toml: action.scale is "?": fill it in (set by an override)')
    assert "blank.policy.toml exists: add --overwrite" in init("blank.onnx")
    with_metadata(tmp_path / "whole.onnx")
    assert "0 values to fill in, 1 to check" in init("whole.onnx", "--trusted")
    one, two = (arm(tmp_path / f"whole.{end}").run(0.1).q for end in ("onnx", "policy.toml"))
    np.testing.assert_array_equal(one.values, two.values)


@each(
    ("changed", "expected"),
    [
        ({"joint_names": "joint1", "action_scale": "0.25"}, ["1 joints, the network gives 2", ""]),
        ({"observation_names": "joint_pos"}, ["", "joint_positions 2 = 2 numbers, the network"]),
        ({"joint_names": None}, ["the robot has 2 joints (joint1, joint2), the network 3 a", ""]),
    ],
)
def test_policy_init_says_which_sizes_disagree(tmp_path, changed, expected):
    """The file is written, with the mark above the key."""
    from typer.testing import CliRunner

    from footfall.cli.main import app

    few = "joint_names" in changed and changed["joint_names"]
    ones = dict.fromkeys(("joint_stiffness", "joint_damping", "default_joint_pos"), "1.0")
    with_metadata(tmp_path / "a.onnx", **changed, **(ones if few else {}))
    if changed.get("joint_names", "") is None:
        onnx_of(random_weights(0, (18, 8, 3)), tmp_path / "a.onnx")
    arguments = ["policy", "init", str(tmp_path / "a.onnx"), "--robot", "rrbot", "--overwrite"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    lines = (tmp_path / "a.policy.toml").read_text().splitlines()
    for key, told in zip(("joints = ", "[[observation]]"), expected, strict=True):
        if told:
            assert told in result.output + result.stderr
            at = next(k for k, line in enumerate(lines) if line.startswith(key))
            assert told in lines[at - 1]
