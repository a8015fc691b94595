"""What may come of bad input: it is refused in one line, or it is taken and has a meaning."""

import datetime
import os
import time
import warnings

import numpy as np

import footfall
from footfall.errors import LONGEST_MESSAGE, FootfallError
from footfall_watch.deep_starts import deep_starts

SEED = int(os.environ.get("FOOTFALL_FUZZ_SEED", datetime.date.today().toordinal()))
"""Of what is drawn in long tests: another every day."""
SECONDS = 20.0
"""Longest that one case may take on a busy machine, compiling aside; most take a tenth of one."""
STEPS = 3
JAMMED = 100
"""Pairs of shapes inside each other at the start from which no step is made: thousands of contacts
that no motion meets take a minute, which is no matter of bad input."""


def clock():
    """Return a time that stands still while kernels are compiled, [s]."""
    return time.monotonic() - footfall.compilations.seconds


def answered(action, *expected):
    """Do something with bad input; return the message that refuses it, or None if it is taken.

    Args:
        action: is called.
        expected: types of further exceptions that say no, e.g. ValueError of a parser of messages.

    Raises:
        AssertionError: if it is refused in more than a line, or not in time. Any other exception
            goes through: it is the finding.
    """
    start = clock()
    message = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except (FootfallError, *expected) as error:
            message = str(error)
    assert clock() - start < SECONDS, "took too long"
    if message is not None:
        assert message, "says nothing"
        assert message.isprintable(), f"not one line: {message!r}"
        assert len(message) <= LONGEST_MESSAGE, "too long a message"
    return message


def simulated(scene, overrides=None):
    """Load a scene and make a few steps; what is computed must be finite, or the step refused.

    No steps are made of more than ``JAMMED`` pairs of shapes that start inside each other.
    """
    sim = footfall.load(scene, overrides)
    if len(deep_starts(sim)) > JAMMED:
        return
    for _ in range(STEPS):
        sim.step()
    assert np.isfinite(sim.q).all(), "a step computed what is no number"
    assert np.isfinite(sim.v).all(), "a step computed what is no number"
