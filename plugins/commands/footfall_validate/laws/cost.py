"""The cost of a step under each law."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time

from footfall import Alarm, Simulator, discover, load
from footfall.api.plugin import FootfallError, error_line
from footfall_validate.combination import overrides_of

STANDING, WALKING, PILE = "humanoid/standing", "humanoid/walking", "cube/stack"
STRETCH = 100
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of a step under a law.

    The step is one of the scene `humanoid/standing` (8 contact points) with everything but the
    recorder. The laws run in turn in one process. The figure is the fastest of 8 stretches of 100
    steps, also relative to that of the default law. On a busy machine only the relative figure
    counts.

    Attributes:
        law: name of the contact law.
        microseconds: processor time of a step, [us].
        relative: that time over the default law's.
        error: reason why it could not be measured; empty if it was.
        scene: name of the scene.
        alarms: kinds of alarms that were heard.
    """

    law: str
    microseconds: float = 0.0
    relative: float = 0.0
    error: str = ""
    scene: str = STANDING
    alarms: tuple[str, ...] = ()


def measure_costs(laws: Sequence[str], scene: str = STANDING) -> list[Cost]:
    """Measure laws in turn in a scene, and the default law with them in any case."""
    sims: dict[str, Simulator] = {}
    default = discover().default("contact")
    costs = {law: Cost(law, scene=scene) for law in laws}
    best, heard = dict[str, float](), dict[str, list[str]]()
    for law in dict.fromkeys((default, *laws)):
        try:
            with _listening() as heard[law]:
                sims[law] = _settled(law, scene)
            best[law] = float("inf")
        except FootfallError as error:
            costs[law] = Cost(law, error=str(error), scene=scene)
        except Exception as error:
            costs[law] = Cost(law, error=error_line(error), scene=scene)
    for _ in range(ROUNDS):
        for law in [*best]:
            start = process_time()
            try:
                with _listening() as more:
                    for _ in range(STRETCH):
                        sims[law].step()
            except Exception as error:
                costs[law] = Cost(law, error=error_line(error), scene=scene)
                del best[law]
                continue
            best[law] = min(best[law], (process_time() - start) / STRETCH)
            heard[law] += more
    usual = best.get(default, float("nan"))
    for law, seconds in best.items():
        kinds = tuple(dict.fromkeys(heard[law]))
        costs[law] = Cost(law, 1e6 * seconds, seconds / usual, scene=scene, alarms=kinds)
    return [costs[law] for law in laws]


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect the kinds of alarms."""
    kinds = list[str]()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", Alarm)
        yield kinds
    kinds += [one.message.kind for one in told if isinstance(one.message, Alarm)]


def _settled(law: str, scene: str) -> Simulator:
    """Return the scene under a law, after its first steps, which compile and settle."""
    sim = load(scene, overrides_of(law))
    for _ in range(STRETCH):
        sim.step()
    return sim
