"""What is given in Python is checked: one error of our own, in a line, and nothing has changed."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import ball, simulator

import footfall
from footfall.errors import FootfallError, SimulationError

CYCLE = {}
CYCLE["x"] = CYCLE
ROUND = []
ROUND.append(ROUND)
DEEP = {}
for _ in range(3000):
    DEEP = {"a": DEEP}

NO_PATHS = [None, 3, "", [], b"x", object(), "a\0b"]
LONG_PATHS = ["x" * 5000, "a/" + "x" * 256, "x" * 300 + ".toml"]
NO_NUMBERS = ["a", "0.01", 1j, object(), [1], {"a": 1}, np.array(["x"])]
HUGE = 10**400
ARRAY = np.zeros((2, 2))
CALLS = {
    "step": [
        ((tau,), {}) for tau in ("a", 3, [1, 2], {"cube": "x"}, {"no": [1]}, [[None]], 1j, HUGE)
    ],
    "record": [((seconds,), {}) for seconds in (*NO_NUMBERS, -1, 0, np.nan, np.inf, 1e300, True)]
    + [((0.01, path), {}) for path in NO_PATHS if path is not None],
    "run": [(("x",), {}), ((0.01, 3), {})],
    "save": [((path,), {}) for path in NO_PATHS],
    "resume": [((path,), {}) for path in NO_PATHS],
    "push": [
        *(((link,), {}) for link in (3, None, "no", [])),
        *((("cube", force), {}) for force in ("x", [1, 2], [1, 2, "x"], [np.nan] * 3, None, 1e300)),
        *((("cube",), {"frame": frame}) for frame in ("moon", 3, None, ARRAY)),
        ((ARRAY,), {}),
        (("cube", HUGE), {}),
        (("cube",), {"point": [1, 2]}),
    ],
    "push_joint": [((joint, 1.0), {}) for joint in (3, None, "no", ARRAY)],
    "tune": [
        *(((path, 1), {}) for path in ("a", 3, None, "x..", [])),
        *((("bodies.cube.friction", value), {}) for value in ("x", None, [1], np.nan, 1j, True)),
    ],
    "signal": [((name,), {}) for name in (3, None, "", [])],
    "signals": [((name,), {}) for name in (3, None, "", [], ARRAY)],
    "grab": [
        ((3,), {}),
        (([],), {}),
        ((ARRAY,), {}),
        (("cube", HUGE), {}),
        (("cube", "x"), {}),
        (("cube", [1]), {}),
    ],
    "set_reflected_inertia": [((3, [1.0]), {}), (("cube", [1.0, 2.0]), {})],
}


@pytest.fixture(scope="module")
def sim():
    return footfall.load("cube/drop")


@each(
    ("method", "args", "named"),
    [(method, *call) for method, calls in CALLS.items() for call in calls],
    ids=lambda value: repr(value)[:30],
)
def test_a_wrong_argument_is_one_error_and_changes_nothing(sim, method, args, named):
    before = sim.state.vector.copy()
    with pytest.raises(FootfallError) as error:
        getattr(sim, method)(*args, **named)
    assert 0 < len(str(error.value)) < 500
    assert "\n" not in str(error.value)
    np.testing.assert_array_equal(sim.state.vector, before)


@each("function", ["open_run", "open_segments", "segment_paths", "restore", "load"])
@each("path", NO_PATHS, ids=repr)
def test_what_is_no_path_is_one_error(function, path):
    with pytest.raises(FootfallError, match="a path must be text"):
        getattr(footfall, function)(path)


def test_tables_in_the_place_of_a_scene_are_told_what_makes_one():
    for function in (footfall.load, footfall.assemble):
        with pytest.raises(FootfallError, match="scene_from_dict") as error:
            function({"bodies": {}})
        assert "\n" not in str(error.value)


@each("function", ["open_run", "restore", "load", "find_scene"])
@each("path", LONG_PATHS, ids=len)
def test_a_path_that_no_file_can_have_is_one_error(function, path):
    with pytest.raises(FootfallError, match="a path is too long for a file"):
        getattr(footfall, function)(path)


@each(
    ("function", "args"),
    [
        *(("with_object", ("n", table)) for table in (None, "a", [1], 3, HUGE)),
        *(("with_object", (name, {})) for name in (None, [], ARRAY, 3)),
        *(("without_object", (name,)) for name in (None, [], ARRAY, 3)),
        *(("with_gravity", (gravity,)) for gravity in (None, "a", HUGE, ARRAY, [np.inf] * 3)),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_world_is_not_changed_by_what_is_no_change(sim, function, args):
    with pytest.raises(FootfallError) as error:
        getattr(footfall, function)(sim, *args)
    assert "\n" not in str(error.value)


@each("function", ["compare", "sweep"])
@each("vary", [None, "seed=1", 3, [1], ARRAY], ids=lambda value: repr(value)[:10])
def test_what_is_varied_must_be_a_table(function, vary):
    with pytest.raises(FootfallError, match="vary: must be a table"):
        getattr(footfall, function)("cube/drop", vary)


@pytest.mark.parametrize(
    "overrides",
    [3, "x", [], [1], {3: 4}, {"a.b": object()}, {"a": None}, CYCLE, {"description": ROUND}, DEEP],
    ids=["int", "str", "empty", "list", "key", "object", "none", "cycle", "round", "deep"],
)
def test_what_are_no_overrides_is_one_error(overrides):
    with pytest.raises(FootfallError) as error:
        footfall.load("cube/drop", overrides)
    assert len(str(error.value)) < 500


def test_two_threads_in_one_simulator_are_refused(sim):
    started, done, errors = threading.Event(), threading.Event(), []

    def hold():
        with sim.lock:
            started.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    started.wait(10)
    for use in (sim.step, lambda: sim.record(0.01), lambda: sim.resume("a")):
        with pytest.raises(SimulationError, match="another thread is stepping this simulator"):
            use()
    done.set()
    thread.join()
    sim.step()
    assert errors == []


def test_a_thread_that_records_keeps_others_out_until_it_has_ended():
    sim, refused = footfall.load("cube/drop"), []
    thread = threading.Thread(target=sim.record, args=(60.0,))
    thread.start()
    while thread.is_alive():
        try:
            sim.step()
        except SimulationError as error:
            refused.append(str(error))
    thread.join()
    assert refused
    assert sim.state.tick >= 60_000


@pytest.fixture(scope="module")
def half_way():
    sim = footfall.load("cube/drop", {"bodies.cube.friction": 0.4})
    for _ in range(340):
        sim.step()
    return sim


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copy_goes_on_with_the_same_bits_by_itself(half_way, copied):
    before = half_way.state.vector.copy()
    again = copied(half_way)
    assert again.state.vector.tobytes() == before.tobytes()
    whole = footfall.load("cube/drop", {"bodies.cube.friction": 0.4})
    for _ in range(340 + 100):
        whole.step()
    for _ in range(100):
        again.step()
    assert again.state.vector.tobytes() == whole.state.vector.tobytes()
    np.testing.assert_array_equal(half_way.state.vector, before)


def test_a_copy_holds_what_was_tuned_and_what_came(half_way):
    ball = {"shape": {"type": "sphere", "radius": 0.05}, "base_position": [1, 0, 0.5]}
    sim = footfall.with_object(copy.copy(half_way), "ball", ball | {"friction": 0.5})
    sim.tune("bodies.ball.friction", 0.1)
    again = copy.deepcopy(sim)
    assert [body.name for body in again.world.bodies] == ["cube", "ball"]
    assert again.provenance.tuned == sim.provenance.tuned


def test_a_simulator_is_unpickled_in_another_process(half_way, tmp_path):
    (tmp_path / "sim.pickle").write_bytes(pickle.dumps(half_way))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).state.tick)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "sim.pickle")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "340\n"


def test_a_simulator_that_was_composed_says_what_to_copy():
    sim = simulator(ball().at((0, 0, 1)))
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SimulationError, match="copy its state"):
            use(sim)


@pytest.mark.parametrize(
    ("scene", "steps"), [("cube/drop", 400), ("humanoid/drop", 150), ("disc/rolling", 20)]
)
def test_stepping_and_recording_leave_the_same_state_all_of_it(tmp_path, scene, steps):
    stepped, recorded, parts = (footfall.load(scene) for _ in range(3))
    for _ in range(steps):
        stepped.step()
    recorded.record(steps * recorded.time_step, tmp_path / "run.zarr")
    for _ in range(2):
        parts.record(steps // 2 * parts.time_step)
    for other in (recorded, parts):
        assert other.state.tick == steps
        differing = [
            part.name
            for part in stepped.state.parts
            if stepped.state[part.name].tobytes() != other.state[part.name].tobytes()
        ]
        assert differing == []
