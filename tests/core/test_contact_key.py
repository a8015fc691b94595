"""A contact's key holds its geometries and feature, and is unique in a world."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall_stepper.world.collision_arrays import ENVIRONMENT, contact_key, unpack_key


@pytest.mark.parametrize("parts", [(0, 1, 0), (5, 7, 3), (2**21 - 1, 2**21 - 1, 2**21 - 1)])
def test_a_key_unpacks_to_what_was_packed(parts: tuple[int, int, int]) -> None:
    key = contact_key(*parts)
    assert unpack_key(key) == parts
    assert 0 <= key < 2**63


@pytest.mark.parametrize("parts", [(-1, 0, 0), (0, 2**21, 0)])
def test_numbers_that_do_not_fit_are_refused(parts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="contact key"):
        contact_key(*parts)


def test_keys_of_a_world_are_unique_and_name_the_terrain() -> None:
    world = footfall.load("coin/rolling").world
    keys = world.candidates.key
    assert len(np.unique(keys)) == world.n_contacts
    assert {unpack_key(int(key))[0] for key in keys} == {ENVIRONMENT}
    # Two rims of three points each: two geometries, three features.
    assert {unpack_key(int(key))[2] for key in keys} == {0, 1, 2}
