"""Time and accuracy of the coulomb law's local solvers on recorded friction problems.

python -m tests.benchmarks.friction_problems [--repeats 9] [--each]
"""

from __future__ import annotations

import argparse
import sys
from typing import get_args

from tests.plugins.friction_problems import ABSENT, FrictionProblem, recorded

from footfall_bench.timing import interleaved
from footfall_coulomb.law import Solution, solve
from footfall_coulomb.settings import LocalSolver


def answers(problems: list[FrictionProblem], local: LocalSolver) -> list[Solution]:
    """Solve them all with one local solver."""
    return [solve(p.W, p.q, p.mu, local_solver=local, unsolved="keep") for p in problems]


def main(arguments: list[str] | None = None) -> int:
    """Print a row for each local solver: time for all problems, worst residual, sweeps."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.friction_problems", description=__doc__
    )
    parser.add_argument("--repeats", type=int, default=9, help="rounds of each local solver")
    parser.add_argument("--each", action="store_true", help="a row for each problem as well")
    options = parser.parse_args(arguments)
    problems = recorded()
    if not problems:
        print(ABSENT, file=sys.stderr)
        return 1
    names: tuple[LocalSolver, ...] = get_args(LocalSolver)
    found = {local: answers(problems, local) for local in names}
    bursts = {
        local: lambda count, local=local: [answers(problems, local) for _ in range(count)]
        for local in names
    }
    times = interleaved(bursts, 1, options.repeats)
    print(f"{len(problems)} problems; median (min .. max) of {options.repeats} rounds")
    print(f"{'local solver':<14}{'solved':>7}{'worst residual':>16}{'sweeps':>8}   time for all")
    for local in names:
        rests = [p.residual(s.impulse) for p, s in zip(problems, found[local], strict=True)]
        solved, sweeps = sum(rest <= 1e-9 for rest in rests), 0
        sweeps = sum(s.report.sweeps for s in found[local])
        sample = times[local]
        print(
            f"{local:<14}{solved:>7}{max(rests):>12.1e} m/s{sweeps:>8}   "
            f"{1e-3 * sample.median:.1f} ms ({1e-3 * sample.low:.1f} .. {1e-3 * sample.high:.1f})"
        )
    if options.each:
        print_each(problems, found)
    return 0


def print_each(problems: list[FrictionProblem], found: dict[LocalSolver, list[Solution]]) -> None:
    """Print sweeps and residual of every problem and local solver."""
    print(f"\n{'problem':<34}{'contacts':>9}" + "".join(f"{local:>18}" for local in found))
    for k, problem in enumerate(problems):
        cells = ""
        for solutions in found.values():
            rest = problem.residual(solutions[k].impulse)
            cells += f"{solutions[k].report.sweeps:>8}  {rest:.1e}"
        print(f"{problem.name:<34}{len(problem.mu):>9}{cells}")


if __name__ == "__main__":
    sys.exit(main())
