"""Bundled scenes with other laws, engines and integrators than theirs: each runs, or says why not.

A hundred combinations with a seed of the day, chosen so that as many pairs as possible (scene and
law, law and integrator ...) are tried: ``FOOTFALL_FUZZ_SEED=N pytest -m long tests/fuzz``.
"""

import itertools
import random
import warnings

import numpy as np
import pytest
from tests.fuzz.outcome import SEED

import footfall
from footfall.errors import LONGEST_MESSAGE, FootfallError
from footfall.registry.discover import discover

COMBINATIONS, TESTS = 100, 20
CANDIDATES = 30
"""Combinations of which the one with the most new pairs is taken."""
SECONDS = 2.0


def choices():
    """Return the names that may be chosen, by what they choose."""
    registry = discover()
    names = {"scene": [listing.name for listing in footfall.list_scenes()]}
    for role in ("engine", "contact", "integrator"):
        catalog = registry.catalog(role)
        names[role] = [name for name in catalog.names() if not catalog[name].missing]
    return names


def combinations():
    """Return combinations that hold many pairs; the same ones for the same seed."""
    rng, names = random.Random(SEED), choices()
    taken, seen = [], set()
    for _ in range(COMBINATIONS):
        drawn = [tuple(rng.choice(names[key]) for key in names) for _ in range(CANDIDATES)]
        best = max(drawn, key=lambda one: len(set(itertools.combinations(one, 2)) - seen))
        seen |= set(itertools.combinations(best, 2))
        taken.append(best)
    return taken


def outcome(scene, engine, contact, integrator):
    """Simulate a combination; return the line that refuses it or ends it, or None."""
    changes = {
        "engine.plugin": engine,
        "contact.plugin": contact,
        "integrator.plugin": integrator,
    }
    try:
        sim = footfall.load(scene, changes)
        sim.record(SECONDS)
    except FootfallError as error:
        return str(error)
    assert np.isfinite(sim.q).all()
    assert np.isfinite(sim.v).all()
    return None


@pytest.mark.long
@pytest.mark.parametrize("part", range(TESTS))
def test_a_combination_runs_or_says_why_not(part):
    for combination in combinations()[part::TESTS]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                message = outcome(*combination)
            except Exception as error:
                error.add_note(f"{' + '.join(combination)}, seed {SEED}")
                raise
        print(*combination, "|", message or "runs")
        assert message is None or (message.isprintable() and len(message) <= LONGEST_MESSAGE)


def test_combinations_hold_many_pairs():
    drawn = combinations()
    assert len(drawn) == COMBINATIONS
    pairs = {pair for one in drawn for pair in itertools.combinations(one, 2)}
    assert len(pairs) > 3 * COMBINATIONS
