"""Microseconds per step, beside MuJoCo's on the same robot."""

from __future__ import annotations

from dataclasses import dataclass

import footfall
from footfall_bench.timed_run import measure_recorded, settle
from footfall_bench.timing import Burst, Sample, interleaved, pairwise
from footfall_stepper.api import stepped

SCENES = ("humanoid/standing", "icub/standing")
OURS, THEIRS = "Footfall, run with recorder", "MuJoCo, mj_step"
BY_STEPS, AT_ONCE = "Footfall, sim.step()", "MuJoCo, mj_step(nstep)"
UNSEEN = {"visualizer.plugin": "none"}


@dataclass(frozen=True, slots=True)
class Result:
    """Figures measured on one scene.

    Attributes:
        scene: name of the scene.
        nv: number of velocity coordinates.
        contacts: number of contact points.
        iterations: mean number of iterations of the contact law per step.
        whole: times of a step, [us], by contender.
    """

    scene: str
    nv: int
    contacts: int
    iterations: float
    whole: dict[str, Sample]

    @property
    def ratio(self) -> float | None:
        """Median time of ``OURS`` over median time of ``THEIRS``; None without MuJoCo."""
        if THEIRS not in self.whole:
            return None
        return self.whole[OURS].median / self.whole[THEIRS].median

    def report(self) -> str:
        """Return the figures as text."""
        lines = [
            f"{self.scene}: {self.nv} velocity dofs, {self.contacts} contact points, "
            f"{self.iterations:.2f} iterations of the law per step"
        ]
        lines += [f"  {name:<36}{sample}" for name, sample in self.whole.items()]
        if THEIRS in self.whole:
            pairs = (OURS, THEIRS), (BY_STEPS, THEIRS), (OURS, AT_ONCE)
            lines += [self._ratio(*pair) for pair in pairs]
        return "\n".join(lines)

    def _ratio(self, ours: str, theirs: str) -> str:
        a, b = self.whole[ours], self.whole[theirs]
        pairs = pairwise(a, b)
        return (
            f"  ratio {a.median / b.median:5.2f} of medians; of neighbours {pairs.median:.2f} "
            f"({pairs.low:.2f} .. {pairs.high:.2f}): {ours} / {theirs}"
        )


def measure(scene: str, steps: int, repeats: int, settling: float, *, beside: bool) -> Result:
    """Let a robot settle, then time whole steps of each contender in turn.

    Args:
        scene: a scene with one floating robot that holds a posture on a level plane.
        steps: steps in a burst.
        repeats: number of bursts of each contender.
        settling: simulated time before anything is timed, [s].
        beside: whether MuJoCo is measured as well.

    Raises:
        FootfallError: if there is no such scene, or it cannot run.
        AssertionError: if MuJoCo's robot is not the same, or does not stand as ours does.
    """
    sim = stepped(footfall.load(scene, UNSEEN))

    def by_steps(count: int) -> None:
        step = sim.step
        for _ in range(count):
            step()

    bursts: dict[str, Burst] = {}
    twin = None
    if beside:
        from footfall_bench.mujoco_twin import make_twin, require_same_robot, require_standing

        twin = make_twin(sim)
        require_same_robot(twin, sim)
        twin.burst(round(settling / sim.time_step))
        bursts = {THEIRS: twin.burst, AT_ONCE: twin.burst_at_once}
    settle(sim, settling)
    whole: dict[str, Sample] = {}

    def timed(make: Burst) -> None:
        contenders = {OURS: make, BY_STEPS: by_steps, **bursts}
        whole.update(interleaved(contenders, steps, repeats))

    report = measure_recorded(sim, steps * repeats, timed)
    if twin is not None:
        require_standing(twin, sim)
    return Result(scene, sim.world.nv, sim.world.n_contacts, report.iterations, whole)
