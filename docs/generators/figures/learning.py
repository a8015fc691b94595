"""Figure of the page on learning, from the measured curve of its training."""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

CURVE = Path(__file__).parents[2] / "_static" / "learning_curve.csv"
"""The file ``curve.csv`` of the page's command; not computed again when figures are drawn."""


def learning_curve():
    """Return of an episode and length, level of the hills and speed over the steps."""
    run = np.genfromtxt(CURVE, delimiter=",", names=True)
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6, 4.0))
    steps = run["steps"] / 1e6
    above.plot(steps, run["return_"] / 1200.0, label="return / greatest (3 a step)")
    above.plot(steps, run["seconds"] / 8.0, label="length of an episode / 8 s")
    below.plot(steps, run["level"] / 5.0, label="mean level of the hills / highest")
    below.plot(steps, run["speed"] / 0.5, label="mean speed / 0.5 m/s")
    for axes in (above, below):
        axes.legend(loc="lower right")
        axes.set(ylim=(-0.6 if axes is below else 0.0, 1.1))
    below.set(xlabel="steps of 20 ms, all runs [million]")
    minutes = above.secondary_xaxis(
        "top",
        functions=(
            lambda x: np.interp(x, steps, run["processor_s"] / 60.0),
            lambda t: np.interp(t, run["processor_s"] / 60.0, steps),
        ),
    )
    minutes.set(xlabel="processor time [min]")
    return figure


LEARNING = (learning_curve,)
