"""Figures of the page on other laws: each shows its law's artefact."""

import numpy as np
from matplotlib import pyplot as plt

from docs.generators.figures.other_law_runs import (
    MU,
    PULL,
    angle_to_slip,
    braking,
    circle,
    holding,
    polygon,
    pulled,
    push_off,
    soft_friction,
    stopping_excess,
    turning,
)

G = 9.81


def pyramids():
    """Friction of polygons over direction: what holds, what brakes, where a cube comes to rest."""
    figure = plt.figure(figsize=(9, 3.6))
    holds, brakes = (figure.add_subplot(1, 3, k, projection="polar") for k in (1, 2))
    paths = figure.add_subplot(1, 3, 3)
    angles = np.radians(np.arange(0.0, 361.0, 2.5))
    for law, label, style in (
        (polygon(4), "lcp, 4 sides", "-"),
        (polygon(8), "lcp, 8 sides", "-"),
        (circle(), "coulomb", "k:"),
    ):
        holds.plot(angles, [holding(law, a) for a in angles], style, label=label)
        brakes.plot(angles, [braking(law, a) for a in angles], style, label=label)
    for axes, title in ((holds, "pull that is withstood"), (brakes, "braking of what slides")):
        axes.set_title(f"{title} / (mu m g)", fontsize=9, pad=14)
        axes.set(ylim=(0.0, 1.5), yticks=(0.5, 1.0), xticks=np.radians(np.arange(0, 360, 45)))
        axes.set_rlabel_position(157.5)
    for sides, color in ((4, "C0"), (8, "C1")):
        for degrees in range(0, 91, 15):
            run = push_off("lcp", 2.0, np.radians(degrees), 0.6, **{"contact.sides": sides})
            paths.plot(*run.base_position.values[:, 0, :2].T, color=color)
    for degrees in range(0, 91, 15):
        run = push_off("coulomb", 2.0, np.radians(degrees), 0.6)
        paths.plot(*run.base_position.values[:, 0, :2].T, "k:")
    paths.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    paths.set_title("cube pushed off at 2 m/s", fontsize=9)
    handles, labels = holds.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def ccp_lift():
    """The lift of the convex law: a hop after a push, a hover under a steady pull."""
    figure, (hop, hover) = plt.subplots(1, 2, figsize=(9, 2.8))
    for law, style in (("ccp", "-"), ("coulomb", "k:")):
        run = push_off(law, 6.0, 0.0, 1.4)
        hop.plot(run.time, run.base_position.sel(body="cube", axis="z") - 0.05, style, label=law)
    hop.set(xlabel="time after a push to 6 m/s [s]", ylabel="rise [m]")
    hop.legend()
    for step in (1e-3, 5e-4, 2.5e-4):
        run = pulled("ccp", MU * G + PULL, 3.0, **{"simulation.time_step": step})
        speed = run.base_velocity.sel(body="cube", twist="vx")
        rise = 1e3 * (run.base_position.sel(body="cube", axis="z") - 0.05)
        hover.plot(speed, rise, label=f"step {1e3 * step:g} ms")
        hover.plot(speed, 1e3 * MU * speed * step, "k:")
    hover.plot([], [], "k:", label="mu v dt")
    hover.set(xlabel="speed under a steady pull [m/s]", ylabel="rise [mm]")
    hover.legend()
    return figure


def bisection_turn():
    """Friction that is not opposite to the slip, and what a cube makes of it."""
    figure, (turn, way) = plt.subplots(1, 2, figsize=(9, 2.8))
    couplings = np.linspace(0.0, 0.8, 17)
    for law, label, style in ((turning(), "bisection", ".-"), (circle(), "coulomb", "k:")):
        turn.plot(couplings, [angle_to_slip(law, k) for k in couplings], style, label=label)
    turn.set(xlabel="coupling W_nt / W_nn, across the slip", ylabel="friction off the slip [deg]")
    turn.legend()
    coefficients = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    for law, style in (("bisection", ".-"), ("coulomb", "k:")):
        way.plot(coefficients, [stopping_excess(law, mu) for mu in coefficients], style, label=law)
    way.set(xlabel="mu", ylabel="a cube slides too far by [%]")
    return figure


def regularized_creep():
    """Friction that vanishes with the slip speed, and the creep that it leaves."""
    figure, (friction, creep) = plt.subplots(1, 2, figsize=(9, 2.8))
    speeds, step = np.linspace(0.0, 0.03, 61), 2.5e-4
    for slip_speed in (0.01, 0.002):
        label = f"slip_speed {1e3 * slip_speed:g} mm/s"
        friction.plot(1e3 * speeds, soft_friction(slip_speed, speeds), label=label)
        settings = {"contact.slip_speed": slip_speed, "simulation.time_step": step}
        run = pulled("regularized", 0.9 * MU * G, 2.0, **settings)
        way = 1e3 * run.base_position.sel(body="cube", axis="x")
        creep.plot(run.time, way, label=f"regularized, {1e3 * slip_speed:g} mm/s")
    friction.plot([0, 0, 30], [0, 1, 1], "k:", label="Coulomb's law")
    friction.set(xlabel="slip speed [mm/s]", ylabel="friction / (mu f_n)")
    friction.legend()
    for law, style in (("compliant", "C2-"), ("coulomb", "k:")):
        run = pulled(law, 0.9 * MU * G, 2.0, **{"simulation.time_step": step})
        way = 1e3 * run.base_position.sel(body="cube", axis="x")
        creep.plot(run.time, way, style, label=law)
    creep.set(xlabel="time under 0.9 mu m g [s]", ylabel="way [mm]")
    creep.legend()
    return figure


OTHER_LAWS = (pyramids, ccp_lift, bisection_turn, regularized_creep)
