"""Draw the documentation's figures from simulations: python -m docs.generators.figures [NAME...].

They are kept with the pages, in ``docs/_static/figures``; building the documentation simulates
nothing. A change that moves a curve is followed by drawing the figures that show it.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from docs.generators.figures.balance import BALANCE
from docs.generators.figures.collision import COLLISION
from docs.generators.figures.exact_cone import EXACT_CONE
from docs.generators.figures.gauss import GAUSS
from docs.generators.figures.impact import IMPACTS
from docs.generators.figures.integrator import work_precision
from docs.generators.figures.law_runs import LAWS, bounce_heights, fall, slope_speeds, stop
from docs.generators.figures.learning import LEARNING
from docs.generators.figures.other_law import OTHER_LAWS
from docs.generators.figures.trot import TROT
from docs.generators.figures.walking import WALKING

STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.hashsalt": "footfall",
}
FILE = {"Date": None, "Creator": None}


FOLDER = Path(__file__).parents[2] / "_static" / "figures"


def draw(names=()):
    """Draw all figures, or those of the names, into the documentation's folder."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    mpl.use("Agg")
    own = (stopping, landing, laws_sliding, laws_on_slope, energies, bouncing, discs)
    figures = (*own, *GAUSS, *OTHER_LAWS, *IMPACTS, *EXACT_CONE, *WALKING)
    figures = (*figures, *TROT, *BALANCE, *COLLISION, *LEARNING, work_precision)
    by_name = {figure.__name__: figure for figure in figures}
    unknown = set(names) - set(by_name)
    if unknown:
        sys.exit(f"no figure {', '.join(sorted(unknown))}; there are {', '.join(by_name)}")
    with mpl.rc_context(STYLE):
        for name in names or by_name:
            plt.close("all")
            by_name[name]().savefig(FOLDER / f"{name}.svg", metadata=FILE)
        plt.close("all")


def stopping():
    """Speed of a cube that is pushed off at 6 m/s, and Coulomb's law for it."""
    run = stop("coulomb")
    figure, axes = plt.subplots(figsize=(6, 2.4))
    speed = run.base_velocity.sel(body="cube", twist="vx")
    axes.plot(run.time, speed, label="cube/sliding")
    axes.plot(run.time, np.maximum(6 - 0.5 * 9.81 * run.time, 0), "k:", label="6 m/s - mu g t")
    axes.set(xlabel="time [s]", ylabel="speed [m/s]")
    axes.legend()
    return figure


def landing():
    """Force of the ground on the humanoid that falls 5 cm."""
    run = fall("humanoid/drop", 1.0)
    figure, axes = plt.subplots(figsize=(6, 2.4))
    force = run.contact_force.sel(axis="z").sum("contact") / run.attrs["weight"]
    axes.plot(run.time, force, label="force of the ground")
    axes.axhline(1.0, color="k", linestyle=":", label="weight")
    axes.set(xlabel="time [s]", ylabel="force / weight", ylim=(0, 6))
    axes.legend()
    return figure


def laws_sliding():
    """The sliding cube under the three laws: speed and height."""
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6, 3.6))
    for law in LAWS:
        run = stop(law)
        above.plot(run.time, run.base_velocity.sel(body="cube", twist="vx"), label=law)
        height = run.base_position.sel(body="cube", axis="z") - 0.05
        below.plot(run.time, height, label=law)
    above.set(ylabel="speed [m/s]")
    below.set(xlabel="time [s]", ylabel="rise [m]")
    above.legend()
    return figure


def laws_on_slope():
    """Speed down a slope of 30 degrees after a second, over the direction of the slope."""
    azimuths = np.arange(0, 91, 7.5)
    figure, axes = plt.subplots(figsize=(6, 2.6))
    for law in LAWS:
        axes.plot(azimuths, slope_speeds(law, azimuths), ".-", label=law)
    exact = 9.81 * (np.sin(np.pi / 6) - 0.5 * np.cos(np.pi / 6))
    axes.axhline(exact, color="k", linestyle=":", label="g (sin - mu cos) t")
    axes.set(xlabel="direction of the slope [degrees]", ylabel="speed after 1 s [m/s]")
    axes.legend()
    return figure


def energies():
    """Where the energy of the tumbling cube goes."""
    run = fall("cube/drop", 1.5)
    figure, axes = plt.subplots(figsize=(6, 2.6))
    parts = {
        "potential": run.potential_energy,
        "kinetic": run.kinetic_energy,
        "dissipated": run.dissipated_energy,
    }
    axes.stackplot(run.time, *parts.values(), labels=list(parts), alpha=0.8)
    axes.set(xlabel="time [s]", ylabel="energy [J]")
    axes.legend(loc="lower left")
    return figure


def bouncing():
    """Error of the rebound height with and without steps that are split at impacts."""
    restitutions = (0.25, 0.5, 0.75, 1.0)
    figure, axes = plt.subplots(figsize=(6, 2.6))
    for splits, label in ((0, "steps not split"), (4, "steps split at impacts (default)")):
        heights = np.array([bounce_heights(e, splits) for e in restitutions])
        error = np.abs(heights / np.square(restitutions) - 1.0)
        axes.semilogy(restitutions, np.maximum(error, 1e-8), "o-", label=label)
    axes.set(xlabel="coefficient of restitution e", ylabel="|h / e² - 1|", xticks=restitutions)
    axes.legend()
    return figure


def discs():
    """The rolling and the falling disc on the compliant ground: path, tilt, energy."""
    figure, (path, tilt, energy) = plt.subplots(1, 3, figsize=(9, 2.8))
    for scene in ("disc/rolling", "disc/falling"):
        run = fall(scene, 1.5)
        position = run.base_position.sel(body="disc")
        path.plot(position.sel(axis="x"), position.sel(axis="y"), label=scene)
        x, y, z, w = run.base_quaternion.values[:, 0].T
        tilt.plot(run.time, np.degrees(np.arcsin(np.clip(2 * (y * z + w * x), -1, 1))))
        held = run.kinetic_energy + run.potential_energy + run.elastic_energy
        energy.plot(run.time, held, label=scene)
    path.set(xlabel="x [m]", ylabel="y [m]")
    tilt.set(xlabel="time [s]", ylabel="axis above the horizontal [degrees]")
    energy.set(xlabel="time [s]", ylabel="kinetic + potential + elastic [J]")
    path.legend()
    return figure


if __name__ == "__main__":
    draw(sys.argv[1:])
