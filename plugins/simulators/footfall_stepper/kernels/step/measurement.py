"""Errors, sample rate and delay of a measurement between sensor and controller."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall.spatial.rotation import exponential
from footfall.typing import Floats1, Floats2, Ints1, Ints2


class SignalForm(IntEnum):
    """Forms of a signal, each with its own kind of errors."""

    VECTOR = 0
    """Numbers to which errors are added."""
    QUATERNION = 1
    """An orientation (x y z w) that errors rotate."""
    SWITCH = 2
    """A signal without errors."""


UNIT = 2.0**-53
STREAM = np.uint64(0x9E3779B97F4A7C15)


class ErrorArrays(NamedTuple):
    """A sensor's errors and its samples in transit.

    Attributes:
        call: shape (1, 2), addresses of the stage that measures.
        raw: shape (width,), the measurement without errors.
        bias: shape (width,), added; for a quaternion a rotation vector in the first three.
        noise: shape (width,), standard deviation, in the same form.
        quantum: shape (width,), smallest difference between two readings, 0 if not quantised.
        kind: shape (signals,), a ``SignalForm``.
        start: shape (signals + 1,), first component of each signal.
        period: shape (4,): ticks between samples, ticks of delay, number of the sensor, first
            column of the recording for the reading.
        seed: shape (1,), of the random numbers.
        line: shape (samples, width), samples taken and not yet overwritten.
        reading: shape (width,), the sample that has arrived.
    """

    call: Ints2
    raw: Floats1
    bias: Floats1
    noise: Floats1
    quantum: Floats1
    kind: Ints1
    start: Ints1
    period: Ints1
    seed: Floats1
    line: Floats2
    reading: Floats1


errors = opener(ErrorArrays, 0)


@inner
def mix(z):
    """Return a well mixed 64-bit number (the finaliser of SplitMix64, Steele et al. 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def uniform(seed, sensor, sample, component):
    """Return a uniform number in (0, 1), a pure function of the arguments."""
    z = mix(np.uint64(seed) + STREAM)
    z = mix(z + STREAM * np.uint64(sensor + 1))
    z = mix(z + STREAM * np.uint64(sample + 1))
    z = mix(z + STREAM * np.uint64(component + 1))
    return (float(z >> np.uint64(11)) + 0.5) * UNIT


@inner
def normal(seed, sensor, sample, component):
    """Return a standard normal number, a pure function of the arguments (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(uniform(seed, sensor, sample, 2 * component)))
    return radius * math.cos(2.0 * math.pi * uniform(seed, sensor, sample, 2 * component + 1))


@inner
def spoil_vector(own, line, first, end, sample):
    """Write a signal with bias, noise and quantisation."""
    for i in range(first, end):
        value = own.raw[i] + own.bias[i]
        if own.noise[i] > 0.0:
            value += own.noise[i] * normal(own.seed[0], own.period[2], sample, i)
        if own.quantum[i] > 0.0:
            value = own.quantum[i] * math.floor(value / own.quantum[i] + 0.5)
        line[i] = value


@inner
def spoil_rotation(own, line, i, sample):
    """Write an orientation, turned by bias and noise in the sensor's own axes."""
    x, y, z, w = own.raw[i], own.raw[i + 1], own.raw[i + 2], own.raw[i + 3]
    for k in range(4):
        line[i + k] = own.raw[i + k]
    turn0, turn1, turn2 = own.bias[i], own.bias[i + 1], own.bias[i + 2]
    if own.noise[i] > 0.0 or own.noise[i + 1] > 0.0 or own.noise[i + 2] > 0.0:
        seed, sensor = own.seed[0], own.period[2]
        turn0 += own.noise[i] * normal(seed, sensor, sample, i)
        turn1 += own.noise[i + 1] * normal(seed, sensor, sample, i + 1)
        turn2 += own.noise[i + 2] * normal(seed, sensor, sample, i + 2)
    if turn0 != 0.0 or turn1 != 0.0 or turn2 != 0.0:
        a, b, c, d = exponential(turn0, turn1, turn2)
        line[i] = w * a + x * d + y * c - z * b
        line[i + 1] = w * b - x * c + y * d + z * a
        line[i + 2] = w * c + x * b - y * a + z * d
        line[i + 3] = w * d - x * a - y * b - z * c


@inner
def sample(own, tick):
    """Take a measurement into the line."""
    number = tick // own.period[0]
    line = own.line[number % len(own.line)]
    for s in range(len(own.kind)):
        first, end = own.start[s], own.start[s + 1]
        if own.kind[s] == SignalForm.QUATERNION:
            spoil_rotation(own, line, first, number)
        else:
            spoil_vector(own, line, first, end, number)
    if number == 0:
        for n in range(1, len(own.line)):
            for i in range(len(own.raw)):
                own.line[n, i] = line[i]


@kernel
def take_sample(table, row, now):
    """Measure if a sample is due in step ``now``; read out the newest sample that is old enough.

    At the start the first sample is read out at once.
    """
    own, tick = errors(table), int(now)
    if tick % own.period[0] == 0:
        if call(own.call[0, 0], own.call[0, 1]) != 0:
            return -1
        sample(own, tick)
    number = max(tick - own.period[1], 0) // own.period[0]
    for i in range(len(own.raw)):
        own.reading[i] = own.line[number % len(own.line), i]
        row[own.period[3] + i] = own.reading[i]
    return 0
