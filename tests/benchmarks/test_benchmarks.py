"""The benchmarks run, and compare the same robot."""

import inspect
import json
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from tests.benchmarks import (
    laws,
    many_bodies,
    parts,
    turning,
    whole_robot,
)

import footfall
from footfall.api.plugin import SimulationError
from footfall.cli.main import main as cli
from footfall_bench import machine, startup, touching, walking, whole_step
from footfall_bench.timing import Sample, interleaved, pairwise


def test_bursts_alternate():
    order = []
    bursts = {name: lambda count, name=name: order.append((name, count)) for name in "ab"}
    times = interleaved(bursts, 3, 2)
    assert order == [("a", 3), ("b", 3), ("a", 3), ("b", 3)]
    assert [len(times[name].values) for name in "ab"] == [2, 2]


def test_ratios_are_those_of_neighbours():
    slow_twice = Sample((2.0, 20.0, 2.0)), Sample((1.0, 10.0, 1.0))
    assert pairwise(*slow_twice).values == (2.0, 2.0, 2.0)


@pytest.fixture
def bench(capsys):
    """Return a function that runs `footfall bench` and returns exit code, output and errors."""

    def bench(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli(["bench", *arguments])
        return ended.value.code or 0, *capsys.readouterr()

    return bench


@pytest.mark.parametrize("scene", whole_step.SCENES)
def test_the_step_is_measured_in_turn_with_mujoco(scene, bench):
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    if scene.startswith("icub"):
        pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    short = ("--scene", scene, "--steps", "20", "--repeats", "2", "--settle", "0.3")
    code, out, _ = bench("step", *short, "--json")
    assert code == 0
    (run,) = json.loads(out)["runs"]
    times = {name: sample["values"] for name, sample in run["whole"].items()}
    assert [len(values) for values in times.values()] == [2, 2, 2, 2]
    assert all(value > 0.0 for values in times.values() for value in values)
    ours, theirs = times[whole_step.OURS], times[whole_step.THEIRS]
    assert run["ratio"] == pytest.approx(np.median(ours) / np.median(theirs))


def test_without_mujoco_a_line_says_what_to_install_and_own_figures_are_given_if_asked(
    bench, monkeypatch
):
    monkeypatch.setattr("footfall_bench.machine.find_spec", lambda name: None)
    code, out, err = bench("step", "--scene", "humanoid/standing")
    assert (code, out) == (1, "")
    assert err.startswith('error: MuJoCo is not installed: pip install -e ".[bench]"')
    assert len(err.splitlines()) == 1
    short = ("--scene", "humanoid/standing", "--steps", "5", "--repeats", "1", "--settle", "0.01")
    code, out, _ = bench("step", *short, "--own")
    assert code == 0
    assert "MuJoCo," not in out
    assert out.splitlines()[0] == machine.machine()
    assert f"numpy {np.__version__}" in out.splitlines()[1]


@pytest.mark.long
def test_the_start_is_measured(bench):
    code, out, _ = bench("startup", "--repeats", "1")
    assert code == 0
    assert [line.split("  ")[0] for line in out.splitlines()[2:]] == list(startup.CONTENDERS)


def test_the_parts_of_a_step_are_measured(capsys):
    short = ["--scene", "humanoid/standing", "--steps", "5", "--repeats", "1"]
    assert parts.main(short) == 0
    assert len(capsys.readouterr().out.splitlines()) == 10


def test_a_robot_that_is_not_the_same_is_refused():
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    from footfall_bench.mujoco_twin import make_twin, require_same_robot, require_standing

    sim = footfall.load("humanoid/standing")
    twin = make_twin(sim)
    require_same_robot(twin, sim)
    twin.model.body_inertia[5] *= 1.0 + 1e-6
    with pytest.raises(AssertionError, match="inertias differ"):
        require_same_robot(twin, sim)
    twin.model.body_mass[5] *= 1.0 + 1e-6
    with pytest.raises(AssertionError, match="kg in MuJoCo"):
        require_same_robot(twin, sim)
    twin.data.qpos[2] += 0.1
    with pytest.raises(AssertionError, match="base at"):
        require_standing(twin, sim)


@pytest.mark.long
def test_many_bodies_are_measured(capsys):
    many_bodies.main(["--cubes", "2", "--repeats", "1"])
    header, row = capsys.readouterr().out.splitlines()
    assert header.startswith("cubes")
    assert row.split()[0] == "2"


def test_the_laws_are_measured_in_turn_with_mujoco(capsys):
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    arguments = ["--scene", "humanoid/standing", "--steps", "20", "--repeats", "2"]
    arguments += ["--settle", "0.3", "--json"]
    assert laws.main(arguments) == 0
    measured = json.loads(capsys.readouterr().out)
    assert set(measured["laws"]) == set(laws.LAWS)
    for law in measured["laws"].values():
        assert 0.0 < np.median(law["law"]["values"]) < np.median(law["whole"]["values"])
    assert len(measured["mujoco"]["values"]) == 2


def test_a_law_that_does_not_exist_is_one_line(capsys):
    assert laws.main(["--law", "coulom", "--scene", "humanoid/standing"]) == 1
    assert "did you mean 'coulomb'" in capsys.readouterr().err


def test_a_tumbling_body_is_measured_for_each_way_to_step_it(capsys):
    assert turning.main(["--seconds", "0.05", "--step", "1e-3"]) == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    momentum, energy, angle = (
        {row[0].strip(): float(row[k].split()[0]) for row in rows} for k in (2, 3, 4)
    )
    ours = "momentum; mean velocity (Footfall)"
    assert momentum[ours] < 1e-12
    assert energy[ours] < 1e-12 < 1e-6 < energy["velocity"]
    assert angle[ours] == min(angle.values())


def test_the_benchmarks_are_commands(capsys):
    measured = ("parts", "laws", "many_bodies", "stack")
    for name in (*measured, "drives", "sensors", "whole_robot", "loops", "hand_latency", "turning"):
        module = import_module(f"tests.benchmarks.{name}")
        assert 'if __name__ == "__main__":' in inspect.getsource(module)
        with pytest.raises(SystemExit) as ended:
            module.main(["--help"])
        assert not ended.value.code
        assert f"usage: python -m tests.benchmarks.{name}" in capsys.readouterr().out


def test_a_benchmark_is_started_by_its_name():
    command = [sys.executable, "-m", "tests.benchmarks.laws", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "usage: python -m tests.benchmarks.laws" in shown


@pytest.mark.long
def test_a_whole_robot_is_measured_beside_a_plain_one(capsys):
    pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    assert whole_robot.main(["--steps", "5", "--repeats", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(whole_robot.WHOLE) + 1
    assert lines[0].startswith(whole_robot.PLAIN)
    assert lines[0].endswith("1.00 x")
    assert lines[-1].startswith("MuJoCo")


def test_the_parts_of_a_whole_robot_are_there():
    pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    sim = whole_robot.load(*whole_robot.WHOLE[whole_robot.TOGETHER])
    assert len(sim.world.joint_row_names) == 2 * 23
    assert len(sim.world.loop_names) == 1
    assert len(sim.participants.sensors) == 7
    assert sim.participants.drives


def test_the_boxes_of_a_twin_lie_as_those_of_the_simulator():
    mujoco = pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    case = touching.pile(tolerance=1e-7)
    model = touching.twin_model(case.boxes)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    case.sim.stepper.observe(0.0)
    poses = case.sim.world.dynamics.pose
    rotation = data.xmat[1:].reshape(-1, 3, 3).swapaxes(1, 2).reshape(-1, 9)
    np.testing.assert_allclose(poses[:, :9], rotation, atol=1e-12)
    np.testing.assert_allclose(poses[:, 9:], data.xpos[1:], atol=1e-12)
    assert model.body_mass[1:].sum() == pytest.approx(case.sim.world.mass)


def test_boxes_that_touch_are_timed_with_their_table_of_contacts(bench):
    code, out, _ = bench("stack", "--repeats", "1", "--own")
    assert code == 0
    assert "40 points" in out


@pytest.mark.parametrize(("scene", "way"), [("humanoid/walking", 0.5), ("quadruped/trot", 1.9)])
def test_a_robot_walks_as_far_as_its_twin_in_mujoco(scene, way):
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    walk = walking.Walk(scene, 4.5, beside=True)
    ends = [q[0] - walk.pilot.start[0] for q in walk.ends().values()]
    assert min(ends) > way
    assert ends[0] == pytest.approx(ends[1], rel=0.05)
    walk.twin.data.qpos[2] = 0.1
    with pytest.raises(SimulationError, match="falls in MuJoCo"):
        walk.ends()


def test_walking_is_measured_from_python_and_in_a_run(bench):
    code, out, _ = bench("walk", "--scene", "quadruped/trot", "--seconds", "0.5", "--own")
    rows = [list(map(float, line[32:].split())) for line in out.splitlines()[4:7]]
    assert code == 0
    assert all(len(row) == 3 and row[0] <= row[2] and min(row) > 0.0 for row in rows)
    assert "must have one robot with joints" in bench("walk", "--scene", "cube/drop", "--own")[2]


def test_rollouts_are_measured_in_turn_with_mujoco(bench):
    pytest.importorskip("mujoco", reason="needs mujoco: pip install -e '.[bench]'")
    code, out, _ = bench("rollouts", "--runs", "2", "--steps", "3", "--repeats", "1")
    assert code == 0
    *ours, theirs = (float(line.split()[-2]) for line in out.splitlines()[3:7])
    ratios = [float(line.split()[1]) for line in out.splitlines()[7:10]]
    assert ratios == pytest.approx([rate / theirs for rate in ours], abs=0.01)
