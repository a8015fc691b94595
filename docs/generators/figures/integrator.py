"""The figure of the page on integrators: error over work, in flight and on the ground."""

import numpy as np
from matplotlib import pyplot as plt

import footfall

DURATION = 0.5
FLIGHT = {
    "world.terrain.offset": -50.0,
    "bodies.disc.base_angular_velocity": [20.0, 5.0, 10.0],
}
"""The disc far above the ground, tumbling."""
TICKS = {"flight": 5e-2, "ground": 5e-3}
"""Longest steps of the adaptive pairs, [s]."""
STEPS = {"flight": (5e-3, 2e-3, 1e-3, 5e-4, 2e-4), "ground": (1e-3, 5e-4, 2e-4, 1e-4, 5e-5)}
"""Of the fixed-step integrators, [s]."""
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)


def work_precision():
    """Error of the disc's pose after half a second, over evaluations of the dynamics."""
    figure, (air, ground) = plt.subplots(1, 2, figsize=(9, 3.3), sharey=True)
    for axes, where, title in (
        (air, "flight", "tumbling in flight"),
        (ground, "ground", "bouncing and rolling"),
    ):
        exact, _ = end(where, adaptive(where, "8(5,3)", 1e-12))
        for label, runs in runs_of_integrators(where).items():
            found = [end(where, run) for run in runs]
            errors = [max(float(np.abs(q - exact).max()), 1e-15) for q, _ in found]
            axes.loglog([work for _, work in found], errors, ".-", label=label)
        axes.set(xlabel="evaluations of the dynamics in 0.5 s")
        axes.set_title(title, fontsize=9)
    air.set(ylabel="error of the pose [m, 1]")
    handles, labels = air.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def runs_of_integrators(where):
    """Return for each integrator the settings of a row of runs."""
    found = {
        name: [{"integrator.plugin": name, "simulation.time_step": dt} for dt in STEPS[where]]
        for name in ("semi_implicit_euler", "rk4")
    }
    for pair in ("5(4)", "8(5,3)"):
        runs = [adaptive(where, pair, rtol) for rtol in TOLERANCES]
        found[f"dormand_prince, {pair}"] = runs
    return found


def adaptive(where, pair, rtol):
    """Return the settings of a pair at a tolerance."""
    return {
        "simulation.time_step": TICKS[where],
        "integrator.plugin": "dormand_prince",
        "integrator.pair": pair,
        "integrator.rtol": rtol,
        "integrator.atol": 1e-4 * rtol,
    }


def end(where, settings):
    """Return the disc's pose after half a second, and how often the dynamics were evaluated."""
    sim = footfall.load("disc/rolling", settings | (FLIGHT if where == "flight" else {}))
    for _ in range(round(DURATION / sim.time_step)):
        sim.step()
    return sim.q.copy(), sim.stepper.inner[1] or sim.state.tick
