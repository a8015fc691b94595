"""Figures of the page on Gauss's principle: its artefacts, their repair, and the polygon's."""

import numpy as np
from matplotlib import pyplot as plt

import footfall
from docs.generators.figures.gauss_runs import DT, MODES, MU, G, answer, friction, mode, push_off


def gauss_point():
    """Normal force and friction of a sliding point in the three modes."""
    figure, (normal, tangent) = plt.subplots(1, 2, figsize=(9, 2.8))
    speeds = np.logspace(-5, 1, 61)
    for name, style in zip(MODES, ("-", "-", "--"), strict=True):
        law = mode(name)
        force = np.array([answer(law, np.array([v, 0.0, 0.0]))[0] for v in speeds])
        normal.loglog(speeds, force[:, 2] / G, style, label=name)
        tangent.loglog(speeds, np.maximum(-force[:, 0] / (MU * G), 1e-3), style, label=name)
    normal.axhline(1.0, color="k", linestyle=":", label="Coulomb's law")
    tangent.loglog(speeds, np.minimum(speeds / DT / (MU * G), 1.0), "k:", label="Coulomb's law")
    normal.set(xlabel="speed of a mass point [m/s]", ylabel="normal force / weight")
    tangent.set(xlabel="speed of a mass point [m/s]", ylabel="friction / (mu m g)")
    tangent.text(0.1, 1.3e-3, "gauss: none", color="C0")
    tangent.set(ylim=(1e-3, None))
    normal.legend()
    return figure


def gauss_sliding():
    """The cube at 6 m/s in the three modes and under the exact cone."""
    figure, (speed, rise, force) = plt.subplots(1, 3, figsize=(9, 2.8))
    styles = dict(zip(MODES, ("C0-", "C1-", "C2-"), strict=True)) | {"coulomb": "k:"}
    for law, style in styles.items():
        run = push_off(law, 6.0, 0.0, 1.4)
        speed.plot(run.time, run.base_velocity.sel(body="cube", twist="vx"), style, label=law)
        height = run.base_position.sel(body="cube", axis="z") - 0.05
        rise.plot(run.time, height, style)
        carried = run.contact_force.sel(axis="z").sum("contact") / run.attrs["weight"]
        force.semilogy(run.time, np.maximum(carried, 0.1), style)
    speed.set(xlabel="time [s]", ylabel="speed [m/s]")
    rise.set(xlabel="time [s]", ylabel="rise [m]")
    force.set(xlabel="time [s]", ylabel="force of the ground / weight", ylim=(0.5, None))
    handles, labels = speed.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def gauss_sides():
    """Errors of friction over the number of sides, and the paths of a cube."""
    figure, (size, direction, paths) = plt.subplots(1, 3, figsize=(9, 3.0))
    sides = np.array([4, 6, 8, 12, 16, 24, 32, 64])
    largest, off = np.array([_errors(n) for n in sides]).T
    size.loglog(sides, 100.0 * largest, "o", label="gauss_de_saxce")
    size.loglog(sides, 100.0 * (1.0 / np.cos(np.pi / sides) - 1.0), "k:", label="1/cos(pi/n) - 1")
    direction.loglog(sides, off, "o", label="gauss_de_saxce")
    direction.loglog(sides, 180.0 / sides, "k:", label="180/n")
    for axes, label in ((size, "friction too large by [%]"), (direction, "friction off [deg]")):
        axes.set(xlabel="sides n", ylabel=label, xticks=sides[::2], xticklabels=sides[::2])
        axes.minorticks_off()
        axes.legend()
    direction.set(yticks=(3, 6, 12, 24, 45), yticklabels=("3", "6", "12", "24", "45"))
    for n, style in ((4, "C0-"), (16, "C1-")):
        _paths(paths, "gauss_de_saxce", style, f"{n} sides", **{"contact.sides": n})
    _paths(paths, "coulomb", "k:", "coulomb")
    paths.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    paths.legend()
    return figure


def _errors(sides):
    """Return the largest excess of friction, and its largest angle to the slip [deg]."""
    angles = np.linspace(0.0, 2.0 * np.pi / sides, 33)[1:-1]
    forces = np.array([friction(sides, a) for a in angles])
    against = np.column_stack([-np.cos(angles), -np.sin(angles)])
    across = against[:, 0] * forces[:, 1] - against[:, 1] * forces[:, 0]
    off = np.degrees(np.arctan2(np.abs(across), (forces * against).sum(axis=1)))
    return np.hypot(*forces.T).max() - 1.0, off.max()


def _paths(axes, law, style, label, **settings):
    for degrees in range(0, 91, 15):
        run = push_off(law, 2.0, np.radians(degrees), 0.5, **settings)
        axes.plot(*run.base_position.values[:, 0, :2].T, style, label=None if degrees else label)


def gauss_fixed_point():
    """How many QPs the repaired mode takes: of a sliding point, and of a cube that lands."""
    figure, (point, cube) = plt.subplots(1, 2, figsize=(9, 2.8))
    coefficients = np.array([0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0])
    law, velocity = mode("gauss_de_saxce"), np.array([3.0, 1.0, 0.0])
    solves = [answer(law, velocity, mu)[1] for mu in coefficients]
    rate = coefficients**2 / (1.0 + coefficients**2)
    plain = np.log(1e-9 / np.hypot(3.0, 1.0)) / np.log(rate)
    point.semilogy(coefficients, solves, "o-", label="with secants")
    point.semilogy(coefficients, plain, "k:", label="plain iteration")
    point.set(xlabel="mu", ylabel="QPs for a point that slides")
    point.legend()
    run = footfall.load("cube/drop", {"contact.plugin": "gauss_de_saxce"}).run(0.8)
    cube.plot(run.time, run.solver_iterations, ".", markersize=2)
    cube.set(xlabel="time [s]", ylabel="QPs a step, cube/drop")
    return figure


GAUSS = (gauss_point, gauss_sliding, gauss_sides, gauss_fixed_point)
