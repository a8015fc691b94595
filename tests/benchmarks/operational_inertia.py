"""Four ways to the Delassus matrix (Lambda^-1): microseconds, and operations as counted.

python -m tests.benchmarks.operational_inertia [--repeats 99] [--plot FILE.svg] [--sweep]

The robot of the published comparison: a floating humanoid of 30 joints on two feet with four points
each. Times leave out what the free acceleration has computed anyway: the factor for ``sparse``, the
articulated-body inertias for the others ("articulated" is the time of these).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from tests.benchmarks.counted import Counts, counting, instrumented
from tests.core.delassus_by_definition import FEET, HUMANOID, settled
from tests.core.random_worlds import body, points

from footfall.jit.compiling import bind, inner, kernel
from footfall.problem.arrays import ProblemSize
from footfall_bench.timing import Sample, interleaved
from footfall_delassus.delassus import METHODS as ARTICULATED
from footfall_delassus.kernels import articulated
from footfall_delassus.kernels import delassus as omega
from footfall_delassus.kernels.delassus import mark_paths
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.assemble_problem import jacobian_side
from footfall_stepper.kernels.contact.delassus import delassus

BURST = 50
METHODS = ("unit_contact_forces", "omega_recursion", "unit_body_forces", "sparse")
TITLES = {
    "unit_contact_forces": "unit forces at contacts",
    "omega_recursion": "Omega recursion",
    "unit_body_forces": "unit forces on bodies",
    "sparse": "sparse factor",
}
PUBLISHED = {"unit_contact_forces": 85.688, "omega_recursion": 15.857, "unit_body_forces": 12.875}
"""Total, [us], Table 4 of the paper (2.5 GHz, 30 joints, 8 contacts)."""
OMEGA = {"omega_recursion": 11.171, "unit_body_forces": 8.219}
"""Of which Omega, [us]."""


@inner
def by_sparse_factor(topology, dynamics, loops, sides, problem):
    """Compute Z of every contact, then its products."""
    end = 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        sides.start[b, 1] = end
        end = jacobian_side(topology, dynamics, problem, sides.link[b, 1], b, sides.Z, end)
    delassus(topology, loops, sides, problem)


@kernel
def fill_by_sparse_factor(table):
    """Do so for a world."""
    topology, dynamics, loops = (
        tables.open_topology(table),
        tables.open_dynamics(table),
        tables.loops(table),
    )
    by_sparse_factor(
        topology, dynamics, loops, tables.open_sides(table), tables.open_problem(table)
    )


@kernel
def only_omega_by_unit_forces(table, bodies):
    """Compute Omega alone."""
    topology, sides, problem = (
        tables.open_topology(table),
        tables.open_sides(table),
        tables.open_problem(table),
    )
    articulate = articulated.articulated_of(bodies)
    mark_paths(topology, sides, problem.size[ProblemSize.BLOCKS], articulate)
    omega.omega_by_unit_forces(topology, tables.open_dynamics(table), articulate, 0)


@kernel
def only_omega_by_recursion(table, bodies):
    """Compute Omega alone."""
    topology, sides, problem = (
        tables.open_topology(table),
        tables.open_sides(table),
        tables.open_problem(table),
    )
    articulate = articulated.articulated_of(bodies)
    mark_paths(topology, sides, problem.size[ProblemSize.BLOCKS], articulate)
    omega.omega_by_recursion(topology, tables.open_dynamics(table), articulate, 0)


INNER = {
    "unit_contact_forces": omega.by_unit_contact_forces,
    "omega_recursion": omega.by_omega_recursion,
    "unit_body_forces": omega.by_unit_body_forces,
}


def prepared(parents, links, seed=1):
    """Return a simulator after a step, and the articulated bodies of its world."""
    rng = np.random.default_rng(seed)
    made = body(rng, "robot", parents, True, points(rng, links))
    sim = settled(rng, [made], "unit_body_forces")
    sim.step()
    sim.stepper.evaluate(sim.time_step)
    return sim


def times(sim, repeats) -> dict[str, Sample]:
    """Return the times of all methods and of what they share, [us]."""
    stepper = sim.stepper
    table, bodies = stepper._table, stepper._delassus.bodies
    calls = {name: bind(m.kernel, table, bodies) for name, m in ARTICULATED.items()}
    calls["sparse"] = bind(fill_by_sparse_factor, table)
    calls["articulated"] = bind(articulated.articulate_tree, table, bodies, 0, 1e-3)
    calls["Omega, omega_recursion"] = bind(only_omega_by_recursion, table, bodies)
    calls["Omega, unit_body_forces"] = bind(only_omega_by_unit_forces, table, bodies)
    calls["an empty call"] = bind(_nothing, table, bodies)

    def burst(call):
        def run(count):
            for _ in range(count):
                call()

        return run

    return interleaved({name: burst(call) for name, call in calls.items()}, BURST, repeats)


@kernel
def _nothing(table, bodies):
    """Do nothing: what calling a kernel costs."""


def operations(sim) -> dict[str, tuple[int, int]]:
    """Return products (with divisions) and sums of each method, counted by running its source."""
    world, found = sim.world, {}
    for name in METHODS:
        counts = Counts()
        parts = (world.topology, world.dynamics, world.sides, world.problem)
        arrays = [counting(part, counts) for part in parts]
        if name == "sparse":
            arrays.insert(2, counting(world.loops, counts))
            instrumented(by_sparse_factor)(*arrays)
        else:
            made = counting(sim.stepper._delassus.arrays, counts)
            instrumented(INNER[name])(*arrays, made)
        found[name] = counts.products, counts.sums
    return found


def shape(sim) -> dict[str, int]:
    """Return the letters of the published tables for a world of one floating tree."""
    arrays, problem = sim.stepper._delassus.arrays, sim.world.problem
    m = int(problem.size[ProblemSize.BLOCKS])
    links = [int(link) for link in sim.world.sides.link[:m, 1]]

    def depth(link):
        n = 0
        while arrays.parent[link] >= 0:
            link, n = arrays.parent[link], n + 1
        return n

    def distance(i, j):
        up = {i: 0}
        a, n = i, 0
        while arrays.parent[a] >= 0:
            a, n = int(arrays.parent[a]), n + 1
            up[a] = n
        n = 0
        while j not in up:
            j, n = int(arrays.parent[j]), n + 1
        return n + up[j]

    touched = sorted(set(links))
    return {
        "m": m,
        "C": len(touched),
        "b": int(arrays.path_size[0]) - 1,
        "beta_m": sum(depth(link) for link in links),
        "beta_C": sum(depth(link) for link in touched),
        "alpha_C": sum(distance(i, j) for k, i in enumerate(touched) for j in touched[k + 1 :]),
    }


def published_operations(letters) -> dict[str, tuple[int, int]]:
    """Return what Tables 1 to 3 of the paper come to."""
    m, C, b = letters["m"], letters["C"], letters["b"]
    pairs = 27 * m * (m + 1) // 2
    beta_m, beta_C, alpha = letters["beta_m"], letters["beta_C"], letters["alpha_C"]
    return {
        "unit_contact_forces": (
            144 * m + 39 * b * m + 36 * beta_m + pairs,
            99 * m + 36 * b * m + 21 * beta_m + pairs,
        ),
        "omega_recursion": (
            286 + 153 * b + 72 * alpha + 54 * C * m + pairs,
            235 + 179 * b + 66 * alpha + 54 * C * m + pairs,
        ),
        "unit_body_forces": (
            252 * C + 78 * C * b + 72 * beta_C + 54 * C * m + pairs,
            180 * C + 72 * C * b + 42 * beta_C + 54 * C * m + pairs,
        ),
    }


def report(sim, repeats) -> None:
    """Print times and operations beside the published ones."""
    found, counted = times(sim, repeats), operations(sim)
    letters = shape(sim)
    published = published_operations(letters)
    print(", ".join(f"{name} {value}" for name, value in letters.items()))
    print(f"{'method':<26}{'total':>30}{'paper':>9}{'Omega':>9}{'paper':>9}", end="")
    print(f"{'x /':>8}{'+ -':>8}{'paper':>15}")
    for name in METHODS:
        print(f"{TITLES[name]:<26}{found[name]!s:>30}{PUBLISHED.get(name, np.nan):>9.1f}", end="")
        of = found.get(f"Omega, {name}")
        print(f"{of.median if of else np.nan:>9.2f}{OMEGA.get(name, np.nan):>9.1f}", end="")
        paper = " / ".join(map(str, published.get(name, ("-", "-"))))
        print(f"{counted[name][0]:>8}{counted[name][1]:>8}{paper:>15}")
    for name in ("articulated", "an empty call"):
        print(f"{name:<26}{found[name]!s:>30}")


CONTACTS = (1, 2, 4, 8, 16, 40)
LINKS = {"on two feet": FEET, "on all links": tuple(range(1, 31))}


def spread(links, m):
    """Return m contacts over some links."""
    return tuple(links[k % len(links)] for k in range(m))


def chain_of(n):
    """Return the parents of a chain of n joints."""
    return tuple(range(n))


def sweep(repeats):
    """Return times over the number of contacts, and over that of joints of a chain."""
    curves = {}
    for where, links in LINKS.items():
        rows = [times(prepared(HUMANOID, spread(links, m)), repeats) for m in CONTACTS]
        curves[f"30 joints, contacts {where}"] = (CONTACTS, rows)
    joints = (2, 5, 10, 20, 40)
    rows = [times(prepared(chain_of(n), spread((n,), 4)), repeats) for n in joints]
    curves["a chain, 4 contacts at its end; joints"] = (joints, rows)
    return curves


def plot(curves, file) -> None:
    """Draw the sweeps."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "footfall"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(11, 3.6), sharey=True)
    for axis, (title, (x, rows)) in zip(axes, curves.items(), strict=True):
        for name in METHODS:
            axis.loglog(x, [row[name].low for row in rows], marker="o", label=TITLES[name])
        axis.set_title(title, fontsize=9)
        axis.set_xticks(x, [str(n) for n in x])
        axis.minorticks_off()
        axis.set_xlabel("joints" if title.endswith("joints") else "contacts")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("best time [us]")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison, and the sweeps if asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.operational_inertia")
    parser.add_argument("--repeats", type=int, default=99)
    parser.add_argument("--sweep", action="store_true", help="over contacts and joints too")
    parser.add_argument("--plot", type=Path, help="draw the sweeps to this file")
    options = parser.parse_args(arguments)
    report(prepared(HUMANOID, spread(FEET, 8)), options.repeats)
    if options.sweep or options.plot:
        curves = sweep(options.repeats)
        for title, (x, rows) in curves.items():
            print(f"\n{title}: best [us]\n{'':<26}" + "".join(f"{n:>9}" for n in x))
            for name in METHODS:
                print(f"{TITLES[name]:<26}" + "".join(f"{row[name].median:>9.2f}" for row in rows))
        if options.plot:
            plot(curves, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
