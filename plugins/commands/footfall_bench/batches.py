"""Speed of many runs at once, beside MuJoCo's own rollout with as many threads."""

from __future__ import annotations

import os

import footfall
from footfall_bench.timing import Burst, interleaved, pairwise
from footfall_stepper.api import stepped

UNSEEN = {"visualizer.plugin": "none"}


def measure(scene: str, n: int, steps: int, repeats: int, settling: float, *, beside: bool) -> str:
    """Let n runs settle, time bursts of steps of all of them in turn, and return the figures.

    Args:
        scene: a scene with one floating robot that holds a posture on a level plane.
        n: number of runs.
        steps: steps of every run in a burst.
        repeats: number of bursts of each contender.
        settling: simulated time before anything is timed, [s].
        beside: whether MuJoCo is measured as well.
    """
    threads = len(os.sched_getaffinity(0))
    bursts: dict[str, Burst] = {}
    for count in sorted({1, threads}):
        batch = footfall.Batch(scene, n, threads=count, overrides=UNSEEN)
        batch.step(substeps=round(settling / stepped(footfall.load(scene, UNSEEN)).time_step))
        bursts[_ours(count)] = _burst(batch)
    if beside:
        for count in sorted({1, threads}):
            bursts[_theirs(count)] = _rollout(scene, n, count, settling)
    found = interleaved(bursts, steps, repeats)
    lines = [f"{scene}: {n} runs, {repeats} bursts of {steps} steps of each"]
    for name, sample in found.items():
        lines.append(f"  {name:<32}{n * 1e6 / sample.median:10.0f} steps/s")
    one, all_of_them = found[_ours(1)], found[_ours(threads)]
    scaling = pairwise(one, all_of_them).median / threads
    lines.append(f"  {threads} threads: {scaling:.2f} of one thread's throughput for each")
    if beside:
        ratio = pairwise(found[_theirs(threads)], all_of_them).median
        lines.append(
            f"  ratio {ratio:.2f} of the throughput of MuJoCo's rollout, {threads} threads"
        )
    return "\n".join(lines)


def _ours(threads: int) -> str:
    return f"Footfall, Batch, {threads} thread{'s' * (threads > 1)}"


def _theirs(threads: int) -> str:
    return f"MuJoCo, rollout, {threads} thread{'s' * (threads > 1)}"


def _burst(batch: footfall.Batch) -> Burst:
    def burst(count: int) -> None:
        batch.step(substeps=count)

    return burst


def _rollout(scene: str, n: int, threads: int, settling: float) -> Burst:
    """Return a burst of MuJoCo's rollout from the twin's settled state; each continues the last."""
    import mujoco
    import numpy as np
    from mujoco import rollout

    from footfall_bench.mujoco_twin import make_twin

    sim = stepped(footfall.load(scene, UNSEEN))
    twin = make_twin(sim)
    twin.burst(round(settling / sim.time_step))
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros(mujoco.mj_stateSize(twin.model, kind))
    mujoco.mj_getState(twin.model, twin.data, state, kind)
    states = np.tile(state, (n, 1))
    data = [mujoco.MjData(twin.model) for _ in range(threads)]
    pool = rollout.Rollout(nthread=threads)

    def burst(count: int) -> None:
        path, _ = pool.rollout(twin.model, data, states, nstep=count)
        states[:] = path[:, -1]

    return burst
