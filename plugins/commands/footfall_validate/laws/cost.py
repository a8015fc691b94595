"""The cost of a step under each law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

from footfall import Simulator, discover, load
from footfall.api.plugin import FootfallError, error_line
from footfall_validate.combination import overrides_of

SCENE = "humanoid/standing"
STRETCH = 100
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of a step under a law.

    The step is one of the scene `humanoid/standing` (8 contact points) with everything but the
    recorder. The laws run in turn in one process. The figure is the fastest of 8 stretches of 100
    steps, also relative to that of the default law. On a busy machine only the relative figure
    counts. The natural map is the largest of all checks with the impact model that suits the law.

    Attributes:
        law: name of the contact law.
        microseconds: processor time of a step, [us].
        relative: that time over the default law's.
        error: reason why it could not be measured; empty if it was.
    """

    law: str
    microseconds: float = 0.0
    relative: float = 0.0
    error: str = ""

    @property
    def figures(self) -> list[str]:
        """Both figures as text."""
        return [f"{self.microseconds:.0f}", f"{self.relative:.1f}"]


def measure_costs(laws: Sequence[str]) -> list[Cost]:
    """Measure laws in turn, and the default law with them in any case."""
    sims: dict[str, Simulator] = {}
    default = discover().default("contact")
    costs = {law: Cost(law) for law in laws}
    for law in dict.fromkeys((default, *laws)):
        try:
            sims[law] = _standing(law)
        except FootfallError as error:
            costs[law] = Cost(law, error=str(error))
        except Exception as error:
            costs[law] = Cost(law, error=error_line(error))
    best = {law: float("inf") for law in sims}
    for _ in range(ROUNDS):
        for law, sim in sims.items():
            start = process_time()
            for _ in range(STRETCH):
                sim.step()
            best[law] = min(best[law], (process_time() - start) / STRETCH)
    usual = best.get(default, float("nan"))
    for law, seconds in best.items():
        costs[law] = Cost(law, 1e6 * seconds, seconds / usual)
    return [costs[law] for law in laws]


def _standing(law: str) -> Simulator:
    """Return the scene under a law, after its first steps, which compile and settle."""
    sim = load(SCENE, overrides_of(law))
    for _ in range(STRETCH):
        sim.step()
    return sim
