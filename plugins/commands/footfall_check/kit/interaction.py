"""The checks of interactions, on a ball without a simulator."""

from __future__ import annotations

import numpy as np

from footfall.api.viewer import Reading
from footfall.testing.check import Finding, Subject, checks_of
from footfall.testing.declarations import declarations
from footfall_check.kit.reached import LINK, Reached


def records(subject: Subject) -> Finding:
    """Check that variables have unique names, and each dimension has as many labels as entries."""
    made = Reached(subject).made
    variables, labels = made.variables((LINK,)), {"axis": "xyz", **made.labels}
    names = [variable.name for variable in variables]
    wrong = [name for name in names if names.count(name) > 1]
    for variable in variables:
        for dim, size in zip(variable.dims, variable.shape, strict=True):
            if len(labels.get(dim, ())) != size:
                wrong.append(f"{variable.name} along {dim}")
    return Finding(not wrong, ", ".join(wrong) or f"{len(names)} variables")


def opens_and_closes(subject: Subject) -> Finding:
    """Check that repeated opening opens devices once, and closing twice does no harm."""
    reached = Reached(subject)
    for call in ("open", "open", "close", "close"):
        getattr(reached.made, call)()
    told = f"opened {reached.device.opened} times, closed {reached.device.closed} times"
    return Finding(reached.device.opened == reached.device.closed == 1, told)


def open_hand(subject: Subject) -> Finding:
    """Check that an open hand, or one without a reading, does not act."""
    reached = Reached(subject)
    reached.made.open()
    reached.step()
    reached.close_on_ball(0.1)
    assert reached.device.reading is not None
    reached.device.reading = Reading(False, reached.device.reading.position)
    reached.step()
    count = len(reached.reach.wrenches)
    return Finding(count == 0 and reached.reach.held == 0, f"{count} wrenches")


def finite(subject: Subject) -> Finding:
    """Check that wrenches are six finite numbers, and a hand that opens lets go."""
    reached = Reached(subject)
    reached.made.open()
    for height in (0.0, 0.05, 0.1):
        reached.close_on_ball(height)
        reached.step()
    wrenches = reached.reach.wrenches
    sound = all(w.shape == (6,) and bool(np.isfinite(w).all()) for w in wrenches)
    reached.device.reading = None
    reached.step()
    told = f"{len(wrenches)} wrenches, {reached.reach.held} held after it has opened"
    return Finding(sound and reached.reach.held == 0, told)


def goes_on(subject: Subject) -> Finding:
    """Check that another object continues from the saved state bit for bit."""
    one, other = Reached(subject), Reached(subject)
    for reached in (one, other):
        reached.made.open()
    for height in (0.0, 0.05, 0.07, 0.1):
        if height == 0.1:
            for name, kept in one.reach.kept.items():
                other.reach.kept[name][:] = kept
            other.reach.time = one.reach.time
            one.reach.wrenches.clear()
        one.close_on_ball(height)
        one.step()
    other.close_on_ball(0.1)
    other.step()
    mine, theirs = (np.array(r.reach.wrenches).tobytes() for r in (one, other))
    return Finding(mine == theirs, f"{len(one.reach.wrenches)} wrenches of the next step")


CHECKS = checks_of(
    "interaction", declarations, records, opens_and_closes, open_hand, finite, goes_on
)
