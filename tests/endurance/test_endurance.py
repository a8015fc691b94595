"""A process that runs for hours: its memory stays, steps cost what they cost, nothing creeps.

``FOOTFALL_HOURS=1 pytest -s -m long tests/endurance`` simulates an hour of each and prints the
figures. Without the variable the runs are short: they show that figures are measured, and what
grows at once.
"""

import os
from dataclasses import replace

import pytest
from tests.endurance import long_runs, page_user

HOURS = float(os.environ.get("FOOTFALL_HOURS", "0"))
"""Simulated time of each run, [h]; 0: the shortest that measures."""
TOLERANCE = 1e-6
"""Largest residual of a walk, [m/s]: ten times the law's tolerance."""


def reported(parts, hours):
    """Return the parts of a run; tell about twenty of them, and the summary."""
    found, told = [], 0.0
    for part in parts:
        found.append(part)
        if len(found) == 1 or part.simulated - told > 180.0 * hours:
            told = part.simulated
            print(part.line(), flush=True)
    print(long_runs.summary(found))
    return found


@pytest.mark.long
def test_a_walk_goes_on_for_hours_without_growing_or_creeping(tmp_path):
    hours = HOURS or 0.02
    parts = reported(long_runs.walking(hours, tmp_path), hours)
    assert len(parts) >= 5
    assert parts[-1].simulated >= 3600.0 * hours
    assert sum(part.failures for part in parts) == 0
    assert max(part.residual for part in parts) < TOLERANCE
    assert max(abs(part.balance) for part in parts) < 1e-8
    assert max(abs(part.drift) for part in parts) < 1e-7
    assert long_runs.growth(parts) < 30.0


@pytest.mark.long
def test_a_pile_that_is_thrown_up_every_minute_comes_to_rest_every_time(tmp_path):
    hours = HOURS or 0.02
    parts = reported(long_runs.piled(hours, tmp_path), hours)
    assert max(part.drift for part in parts) < 1e-6
    assert max(abs(part.balance) for part in parts) < 1e-6
    assert max(part.penetration for part in parts) < 0.01
    assert long_runs.growth(parts) < 60.0 * max(1.0, 4.0 * hours)


def test_parts_of_a_long_run_are_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(long_runs, "SETTLES", 0.45)
    monkeypatch.setattr(long_runs, "RESTS", 0.1)
    (part,) = long_runs.piled(1e-4, tmp_path)
    assert part.simulated == pytest.approx(0.6)
    assert part.step > 0.0
    assert part.memory > 50.0
    assert 0.0 < part.drift < 0.5  # still falling
    grown = replace(part, memory=part.memory + 7.0, step=2.0 * part.step)
    assert "+7.0 MB at the end" in long_runs.summary([part, part, grown])


@pytest.mark.long
def test_a_page_has_a_user_who_pulls_and_whom_the_run_answers():
    user, memory = page_user.measure(HOURS or 0.003, 6.0)
    print(page_user.summary(user, memory))
    assert user.sent["move"] > 100
    assert user.sent["tune"] > 50
    assert user.sent["shown"] > 5
    assert user.refused == []
    assert memory[-1] - (memory[1:] or memory)[0] < 60.0
