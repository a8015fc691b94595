"""Speed of many runs at once, beside MuJoCo's own rollout with as many threads."""

from __future__ import annotations

import os

import numpy as np

import footfall
from footfall.api.plugin import Floats
from footfall_bench.timing import Burst, Sample, interleaved, pairwise
from footfall_stepper.api import stepped

UNSEEN = {"visualizer.plugin": "none"}
QUADRUPED = "quadruped/standing"
"""Scene of the rollouts."""
ROBOT = "bodies.quadruped"
FREE = {f"{ROBOT}.controller": {"plugin": "zero"}, f"{ROBOT}.actuators": [], f"{ROBOT}.sensors": []}
"""Overrides that leave its joints to the given torques: a batch allows no drives then. MuJoCo's
twin has no sensors either."""
FEEDBACK = ", feedback"
"""Name of rollouts with feedback in every step."""
UNSPLIT, WHOLE = {"simulation.max_impact_splits": 0}, ", whole steps"
"""Override that leaves impacts to the law, without times of their own, as MuJoCo does; its name."""
DROP, SPEED, TORQUE, GAIN = 0.01, 1.0, 2.0, 1e-3
"""Ranges of rollouts: height of the feet [m], velocities [m/s, rad/s], torques [N m], gains."""


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
    title = f"{scene}: {n} runs, {repeats} bursts of {steps} steps of each"
    lines = _throughput(title, found, n, threads)
    scaling = pairwise(found[_ours(1)], found[_ours(threads)]).median / threads
    lines.append(f"  {threads} threads: {scaling:.2f} of one thread's throughput for each")
    return "\n".join(lines)


def _throughput(title: str, found: dict[str, Sample], steps: int, threads: int) -> list[str]:
    """Return a title, the throughput of each contender, and the ratio to MuJoCo's."""
    lines = [title]
    for name, sample in found.items():
        lines.append(f"  {name:<40}{steps * 1e6 / sample.median:10.0f} steps/s")
    for more in ("", FEEDBACK, WHOLE):
        ours = f"{_ours(threads)}{more}"
        if _theirs(threads) in found and ours in found:
            ratio = pairwise(found[_theirs(threads)], found[ours])
            lines.append(
                f"  ratio {ratio.median:.2f} ({ratio.low:.2f} .. {ratio.high:.2f}) of the "
                f"throughput of MuJoCo's rollout, {threads} threads{more}"
            )
    return lines


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


def measure_rollouts(n: int, steps: int, repeats: int, *, beside: bool) -> str:
    """Time rollouts of a quadruped that falls on its feet under random torques.

    Each run has its own start, its feet in the air, and its own torques in each step. They are
    measured with impacts at their times, as is the default, and without; and with feedback.

    Args:
        n: number of runs.
        steps: steps of each run.
        repeats: number of rollouts of each contender.
        beside: whether MuJoCo is measured as well.
    """
    batch, rng = footfall.Batch(QUADRUPED, n, overrides=FREE), np.random.default_rng(0)
    whole = footfall.Batch(QUADRUPED, n, overrides=FREE | UNSPLIT)
    q, v = np.tile(batch.q[0], (n, 1)), rng.uniform(-SPEED, SPEED, (n, batch.v.shape[1]))
    q[:, 2] += rng.uniform(0.0, DROP, n)
    v[:, 2] = -abs(v[:, 2])
    tau = rng.uniform(-TORQUE, TORQUE, (n, steps, batch.nu))
    x0, threads = np.hstack([q, v]), len(os.sched_getaffinity(0))
    gains = rng.uniform(-GAIN, GAIN, (steps, batch.nu, 2 * v.shape[1]))
    feedback = {"gains": gains, "reference": np.tile(x0[0], (steps + 1, 1))}
    bursts: dict[str, Burst] = {
        _ours(threads): lambda count: batch.rollout(x0, tau),
        f"{_ours(threads)}{FEEDBACK}": lambda count: batch.rollout(x0, tau, **feedback),
        f"{_ours(threads)}{WHOLE}": lambda count: whole.rollout(x0, tau),
    }
    if beside:
        bursts[_theirs(threads)] = _random_rollout(q, v, tau, threads)
    found = interleaved(bursts, 1, repeats)
    pressing = (batch.signal("contact_force")[:, :, 2] > 0.0).mean()
    title = f"{QUADRUPED}: {n} runs of {steps} steps, {pressing:.0%} of feet press at the end"
    return "\n".join(_throughput(title, found, n * steps, threads))


def _random_rollout(q: Floats, v: Floats, tau: Floats, threads: int) -> Burst:
    """Return the same rollouts in MuJoCo; bases start upright, so that axes agree."""
    import mujoco
    from mujoco import rollout

    from footfall_bench.mujoco_twin import make_twin, require_same_robot

    sim = stepped(footfall.load(QUADRUPED, FREE))
    twin, joints = make_twin(sim), sim.world.topology.dof_q >= 0
    require_same_robot(twin, sim)
    force = np.zeros((*tau.shape[:2], v.shape[1]))
    force[:, :, joints] = tau
    states = np.hstack([np.zeros((len(q), 1)), q[:, twin.here.q], v[:, twin.here.v]])
    data = [mujoco.MjData(twin.model) for _ in range(threads)]
    given = twin.model, data, states, force[:, :, twin.here.v]
    spec, pool = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED), rollout.Rollout(nthread=threads)
    return lambda count: pool.rollout(*given, control_spec=spec)
