"""A move of the hand is answered soon, with what it did."""

import numpy as np
import pytest
from tests.benchmarks import hand_latency


def test_a_move_acts_and_its_frame_comes_back_soon():
    answers = hand_latency.measure("cube/drop", 2.0, 60.0)
    assert answers.held == "cube/cube"
    assert len(answers.latency) >= 119  # of 120, more or less: all are answered
    # The best quarter, since the machine may be busy; the benchmark says what an idle one does.
    assert np.percentile(answers.latency, 25) < 50.0
    assert max(answers.latency) < 5000.0


@pytest.mark.long
def test_the_benchmark_prints_percentiles(capsys):
    arguments = ["--scene", "cube/drop", "--seconds", "0.5", "--moves", "50", "--repeats", "1"]
    arguments += ["--warm", "0"]
    assert hand_latency.main(arguments) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("cube/drop: ")
    assert "median" in first
    assert "held cube/cube, real-time factor" in second
