"""Recorded motions are thinned out without losing their ends, and checked against the scene."""

import numpy as np
import pytest
from tests.scene_graphs import motion, primitives

from footfall.errors import RecordingError
from footfall_meshcat.recorded.motion import ROWS, Motion


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 0.003, 0.02, 0.1])
def test_decimation_keeps_at_most_the_rate_and_both_ends(dt):
    whole = Motion(*motion(frames=501, dt=dt))
    thin = whole.decimated(50.0)
    assert (thin.time[0], thin.time[-1]) == (whole.time[0], whole.time[-1])
    assert len(thin.time) <= 50.0 * 500 * dt + 2
    # Nothing is further from a shown frame than a tick and a step of the recording.
    assert np.diff(thin.time).max() <= 1 / 50 + dt
    assert all(len(getattr(thin, name)) == len(thin.time) for name in ROWS)


def test_decimation_keeps_all_of_a_slow_recording():
    whole = Motion(*motion(frames=100, dt=0.02))
    assert np.array_equal(whole.decimated(50.0).time, whole.time)


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (1, np.zeros((5, 3, 7)), r"poses has shape \(5, 3, 7\), the scene needs \(5, 4, 7\)"),
        (2, np.zeros((4, 4, 3)), "contact_position has shape"),
        (4, np.zeros((5, 2)), "com has shape"),
        (0, np.array([0.0, 1.0, 1.0, 2.0, 3.0]), "increase"),
        (0, np.array([0.0, 1.0, 2.0, 3.0, np.nan]), "finite"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(index, value, message):
    arrays = motion(frames=5)
    arrays[index] = value
    with pytest.raises(RecordingError, match=message):
        Motion(*arrays).check(primitives())


def test_a_motion_without_frames_is_refused():
    with pytest.raises(RecordingError, match="without frames"):
        Motion(*(array[:0] for array in motion())).check(primitives())
