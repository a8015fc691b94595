"""Grounds as functions."""

import numpy as np


def waves(x, y):
    return 0.1 * np.sin(3.0 * x) * np.cos(2.0 * y) + 0.05 * x * y


def roll(time):
    return [0.1 * np.sin(3.0 * time), 0.0, 0.02 * time, 0.2 * np.sin(2.0 * time), 0.1 * time, 0.3]
