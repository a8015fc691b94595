"""Figures of the page on impacts."""

import numpy as np
from matplotlib import pyplot as plt

from docs.generators.figures.impact_runs import LOWER_RATES, energy_ratios, shown_by_all, strikes

G = 9.81
THRESHOLD = 1e-2


def impact_speeds():
    """Speed of each impact of a bouncing ball over its time, and the closed form."""
    figure, axes = plt.subplots(figsize=(6, 2.8))
    for e in (0.25, 0.5, 0.75):
        times, speeds = strikes(e)
        end = np.sqrt(2.0 / G) * (1.0 + e) / (1.0 - e)
        line = np.array([times[0], end - 1e-4])
        axes.semilogy(times, speeds, "o", markersize=3, label=f"e = {e:g}")
        along = np.concatenate([np.linspace(*line, 400), end - np.geomspace(1e-1, 1e-4, 60)])
        along.sort()
        axes.semilogy(along, 0.5 * G * (1.0 - e) / e * (end - along), "k:", linewidth=0.8)
    axes.axhline(THRESHOLD, color="0.5", linewidth=0.8)
    axes.annotate("restitution_threshold", (1.6, THRESHOLD * 1.15), fontsize=7, color="0.4")
    axes.set(xlabel="time [s]", ylabel="speed of the impact [m/s]", ylim=(5e-3, 10.0))
    axes.legend(loc="upper right")
    return figure


def impact_exhibits():
    """Newton's cradle and the rocking block by every impact model and law."""
    figure, (touching, rocking) = plt.subplots(2, 1, figsize=(7.5, 6.2))
    for axes, name in ((touching, "cradle_touching"), (rocking, "rocking")):
        for k, (label, x, y) in enumerate(shown_by_all(name)):
            style = ("-", "--", "-.", ":")[k % 4] + ("o" if axes is touching else "")
            axes.plot(x, y, style, markersize=4, label=label)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)
    touching.set(xlabel="ball of a touching row", ylabel="velocity afterwards [m/s]")
    touching.set_xticks([1, 2, 3, 4, 5])
    rocking.set(xlabel="angle a of the block [degrees]", ylabel="omega+ / omega-")
    return figure


def impact_energy():
    """Energy after the impact of a double pendulum with friction, over how it comes."""
    figure, axes = plt.subplots(figsize=(6, 2.8))
    for label, style, ratios in energy_ratios():
        axes.plot(LOWER_RATES, ratios, style, label=label)
    axes.axhline(1.0, color="0.5", linewidth=0.8)
    axes.set(xlabel="rate of the lower rod [rad/s]; the upper one's is -1", ylabel="energy kept")
    axes.legend()
    return figure


IMPACTS = (impact_speeds, impact_exhibits, impact_energy)
