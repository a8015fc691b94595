"""Derivatives of steps of robots with closed loops, against differences.

Each state is one whose loops are closed: a step closes those of its start first.
"""

import functools
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.cases import each, run
from tests.plugins.gradient_scenes import (
    CORRECTED,
    DEEP,
    JOINT,
    PRESSED,
    SOLE,
    Case,
    holds,
    link,
    world,
)
from tests.plugins.test_gradients import errors, refused
from tests.plugins.test_gradients_kit import compare_parameters, compare_state

import footfall

LOW = 0.5
"""Depth of the sole below the base, below all that hangs from it, [m]."""
FOOT = [[x, y, -LOW] for x, y, _ in SOLE]


def ring(folder, kind, base, ends, axis="0 1 0"):
    """Write a robot whose two arms of four joints a loop joins, or each to the world.

    Args:
        folder: of the files.
        kind: of the loop.
        base: kind of its base.
        ends: the two frames of the loop.
        axis: of the first joints; the other axes follow by turns.
    """
    rng = np.random.default_rng(7)
    links, joints = [link("base", rng, 2.0)], []
    for side, y in (("l", 0.1), ("r", -0.1)):
        parent, axes = "base", (axis, "1 0 0", "0 0 1", "0.6 0.8 0")
        for k, own in enumerate(axes):
            name, at = f"{side}{k}", f"0 {y} 0.1" if k == 0 else "0.02 0 0.1"
            links.append(link(f"{name}_link", rng, 0.5))
            joints.append(
                JOINT.format(name=name, kind="continuous", parent=parent, axis=own, at=at)
            )
            parent = f"{name}_link"
    (folder / "ring.urdf").write_text(f'<robot name="ring">{"".join((*links, *joints))}</robot>')
    a, b = (end if end.startswith("{") else f'"{end}"' for end in ends)
    held = f"a = {a}\nb = {b}"
    if kind == "coupling":
        held = 'joint = "l1"\nof = "r2"\nratio = -0.7'
    lines = [
        f'base = "{base}"\n[model]\nfile = "ring.urdf"\n[[loops]]\nname = "tie"\nkind = "{kind}"',
        f"{held}\nproject = true",
        f'[[contact_features]]\nframe = "base"\nkind = "point"\npoints = {FOOT}',
        '[[contact_features]]\nframe = "l3_link"\nkind = "sphere"\nradius = 0.05',
        '[joint_dynamics."*"]\ndamping = 0.01\narmature = 0.001',
    ]
    (folder / "robot.toml").write_text("\n".join(lines))


@dataclass
class Looped(Case):
    """A case whose state is closed.

    Attributes:
        tie: arguments of ``ring``; () : none.
    """

    tie: tuple = ()

    def load(self, folder, seed=0):
        """Return the simulator in its state, closed; its lowest contact is as deep as asked."""
        if self.tie:
            ring(folder, *self.tie)
        depth, self.depth = self.depth, None
        try:
            sim = super().load(folder, seed)
        finally:
            self.depth = depth
        for _ in range(2):
            start = sim.state.copy()
            sim.make_steps(None, 0, 1, commands=False)
            lowest, q = sim.signal("gap").min(initial=np.inf), sim.signal("q").copy()
            sim.state.restore(start)
            sim.q[:] = q
            if depth is not None:
                sim.q[2 if sim.world.topology.floating[0] else 0] -= lowest + depth
        return sim


def tied(kind, base="floating", ends=("l3_link", "r3_link"), **more):
    """Return a case of ``ring``."""
    body = {"robot": "robot.toml", "controller": holds(5.0, 0.1)}
    height = LOW - more.pop("low", 0.0)
    body |= {"base_position": [0.0, 0.0, height]} if base == "floating" else {}
    return Looped(world(body), tie=(kind, base, ends), **more)


LEVEL = {3: 0.0, 4: 0.0, 5: 0.0, 6: 1.0}
STILL = {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0}
STANDS = {"place": LEVEL, "v": STILL, "steps": 0, "spread": 1e-4}
FIVE_BAR = "parallel_leg/hopping"
TO_WORLD = ("world", '{ frame = "l3_link", position = [0.0, 0.0, 0.02] }')
CASES = {
    "a linkage turns": Looped("fourbar/swinging", steps=150, spread=1.0),
    "a leg stands": Looped(FIVE_BAR, steps=5, depth=PRESSED),
    "a leg is corrected": Looped(FIVE_BAR, steps=5, depth=CORRECTED, spread=0.02),
    "a leg flies": Looped(FIVE_BAR, steps=200, spread=0.5),
    "a leg strikes": Looped(FIVE_BAR, steps=5, depth=-2e-4, v={0: -0.8}),
    "a hanging robot": Looped("icub_on_pole/swinging", steps=100, spread=0.05),
    "a weld stands": tied("weld", depth=PRESSED, **STANDS),
    "a weld slides": tied("weld", depth=PRESSED, place=LEVEL, v={**STILL, 1: -0.4}),
    "a weld is deep": tied("weld", depth=DEEP, place=LEVEL, v={**STILL, 2: -0.1, 5: 0.7}, steps=0),
    "a weld on two points": tied("weld", depth=CORRECTED, tilt=(0.3, 0.0, 0.1), v={2: -0.1}),
    "a weld flies": tied("weld", depth=-0.3, spread=0.5),
    "a weld strikes": tied("weld", depth=-2e-4, v={2: -0.6}, spread=0.1),
    "a point stands": tied("point", depth=CORRECTED, **STANDS),
    "a point slides": tied("point", depth=PRESSED, place=LEVEL, v={**STILL, 1: -0.4}),
    "a point strikes": tied("point", depth=-2e-4, v={2: -0.6}, spread=0.1),
    "a coupling strikes": tied("coupling", depth=-2e-4, v={2: -0.6}, spread=0.1),
    "a coupling slides": tied("coupling", depth=PRESSED, place=LEVEL, v={**STILL, 1: -0.4}),
    "a point in a plane": tied("point", "planar", spread=0.2),
    "a fixed weld": tied("weld", "fixed", spread=0.5),
    "a weld to the world flies": tied("weld", "floating", TO_WORLD, low=-0.1, spread=0.3),
    "a point of the world slides": tied(
        "point", "floating", TO_WORLD, low=CORRECTED, spread=0.02, v={0: 0.2, 2: -0.1}
    ),
}

MIDDLE = (
    "a linkage turns",
    "a leg strikes",
    "a hanging robot",
    "a weld slides",
    "a point in a plane",
)
for name in MIDDLE:
    change = CASES[name].change | {"integrator.plugin": "moreau_midpoint"}
    CASES[f"{name}, by its midpoint"] = replace(CASES[name], change=change)


def all_of(function, names, folder, *arguments):
    """Run a comparison for cases by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deep starts
        run([(n, functools.partial(function, CASES[n], folder, *arguments)) for n in names])


def test_all_columns_by_state_and_forces(tmp_path):
    total = np.zeros(2, int)
    all_of(compare_state, CASES, tmp_path, 0, total)
    assert total[0] < 0.01 * total[1]


@pytest.mark.long
@each("seed", [1, 2, 3])
def test_all_columns_in_other_states(tmp_path, seed):
    total = np.zeros(2, int)
    all_of(compare_state, CASES, tmp_path, seed, total)
    assert total[0] < 0.01 * total[1]


def test_every_parameter_is_right_or_refused(tmp_path):
    all_of(compare_parameters, ("a leg is corrected", "a linkage turns"), tmp_path)


@pytest.mark.long
def test_every_parameter_of_other_robots_is_right_or_refused(tmp_path):
    all_of(compare_parameters, ("a weld slides", "a coupling slides", "a leg flies"), tmp_path)


@each("scene, start", [("fourbar/swinging", 200), ("parallel_leg/hopping", 150)])
def test_a_gradient_goes_back_through_a_run_with_loops(scene, start):
    sim = footfall.load(scene, overrides={"contact.tolerance": 1e-12})
    sim.run(start * sim.time_step)
    begin, nv, rng = sim.state.copy(), sim.world.nv, np.random.default_rng(5)
    (dq, dv), way, ends = rng.normal(size=(2, nv)), rng.normal(size=(2, nv)), []
    rollout = footfall.Rollout(sim, 40)
    found, A = rollout.vjp(dq, dv), np.eye(2 * nv)
    for one in rollout.jacobians().state:
        A = one @ A
    for size in (1e-6, -1e-6):
        sim.state.restore(begin)
        sim.q[:] = footfall.integrate(sim, sim.q, size * way[0])
        sim.v[:] += size * way[1]
        other = footfall.Rollout(sim, 40)
        moved = footfall.difference(sim, rollout.q[-1], other.q[-1])
        ends.append(dq @ moved + dv @ (other.v[-1] - rollout.v[-1]))
    expected = (ends[0] - ends[1]) / 2e-6
    forward = np.concatenate([dq, dv]) @ A @ way.ravel()
    np.testing.assert_allclose(found.q @ way[0] + found.v @ way[1], forward, rtol=1e-12)
    np.testing.assert_allclose(forward, expected, rtol=1e-5)


def test_a_law_of_its_own_derivative_knows_loops():
    sim = footfall.load("parallel_leg/standing", overrides={"contact.plugin": "regularized"})
    sim.run(0.1)
    _, wrong = errors(sim, size=1e-7, speed=1e-6)
    assert sim.signal("gap").min() < 0.0
    assert max(wrong.values()) < 1e-6, wrong


def test_a_batch_differentiates_robots_with_loops():
    sim = footfall.load("parallel_leg/standing")
    with footfall.Batch("parallel_leg/standing", 2) as batch:
        batch.step(substeps=20)
        found = batch.derivatives()
    for _ in range(21):
        sim.step()
    np.testing.assert_array_equal(found.state[1], sim.derivatives().state)


def test_a_linkage_moves_one_way():
    sim = footfall.load("fourbar/swinging")
    for _ in range(200):
        sim.step()
    size = np.linalg.svd(sim.derivatives().dq_dq, compute_uv=False)
    assert size[0] > 0.5
    assert (size[1:] < 1e-7 * size[0]).all()


def test_loops_far_open_are_refused():
    sim = footfall.load("fourbar/swinging")
    sim.q[0] += 0.01
    sim.step()
    refused(sim, "loops were open by")
