"""Figures of the page on the exact cone."""

import numpy as np
from matplotlib import pyplot as plt

from docs.generators.figures.law_runs import fall
from footfall.testing.problems.cases import foot, tower
from footfall_coulomb.law import solve

SWEEPS = (
    1,
    2,
    3,
    4,
    6,
    8,
    10,
    13,
    16,
    20,
    25,
    30,
    39,
    40,
    60,
    79,
    80,
    120,
    160,
    200,
    201,
    250,
    300,
)


def residuals(case, **settings):
    """Return the residual of the best answer after so many sweeps, [m/s]."""
    q = case.J @ case.v_free
    reports = [
        solve(case.delassus, q, case.mu, max_iterations=n, unsolved="keep", **settings).report
        for n in SWEEPS
    ]
    return np.maximum([report.residual for report in reports], 1e-12)


def sweeps_converge():
    """Residual over sweeps: a foot that lands, and a light box under a heavy one."""
    figure, (foot_axes, tower_axes) = plt.subplots(1, 2, sharey=True, figsize=(9, 3.0))
    alone = {"acceleration": "none"}
    for label, settings, style in (
        ("exact local answers, sweeps alone", alone, {"color": "C0", "lw": 4, "alpha": 0.5}),
        ("projected step, sweeps alone", alone | {"local_solver": "duriez"}, {"color": "C1"}),
        ("default", {}, {"color": "k", "ls": "--"}),
    ):
        foot_axes.loglog(SWEEPS, residuals(foot(0), **settings), label=label, **style)
        tower_axes.loglog(SWEEPS, residuals(tower(2, 1000.0), **settings), label=label, **style)
    foot_axes.set(title="a foot lands, 4 points", ylabel="natural-map residual [m/s]")
    tower_axes.set(title="1 kg under 1000 kg, 8 points")
    for axes in (foot_axes, tower_axes):
        axes.axhline(1e-9, color="k", linestyle=":", linewidth=0.8)
        axes.set(xlabel="sweeps", xlim=(1, 300))
    tower_axes.legend(loc="lower left")
    return figure


def rigid_to_soft():
    """The humanoid lands from 5 cm on contacts of growing compliance: force and depth."""
    figure, (force, depth) = plt.subplots(2, 1, sharex=True, figsize=(6, 3.8))
    for compliance in (0.0, 1e-6, 1e-5, 3e-5):
        settings = {"contact.compliance": compliance, "contact.damping_time": 5e-3}
        run = fall("humanoid/drop", 0.5, settings)
        label = f"{compliance:g} m/N" if compliance else "rigid"
        load = run.contact_force.sel(axis="z").sum("contact") / run.attrs["weight"]
        force.plot(run.time, load, label=label)
        depth.plot(run.time, 1e3 * np.maximum(-run.gap.min("contact"), 0.0), label=label)
    force.set(ylabel="force / weight", ylim=(0, 10))
    depth.set(xlabel="time [s]", ylabel="deepest point [mm]")
    force.legend(loc="upper right")
    return figure


EXACT_CONE = (sweeps_converge, rigid_to_soft)
