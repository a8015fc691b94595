"""Contact force between two parts of a world, over the last step."""

from __future__ import annotations

from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import opener
from footfall.typing import Floats1, Ints1
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.contact.match import ContactWord
from footfall_stepper.world.collision_arrays import BITS


class PairForce(NamedTuple):
    """The two parts, and the force on the first.

    Attributes:
        side: shape (geometries,), by number: 1 for the first part, 2 for the other, else 0.
        dt: shape (1,), length of a step, [s].
        out: shape (9,), total, normal and tangential force on the first part, world, [N].
    """

    side: Ints1
    dt: Floats1
    out: Floats1


pair_force = opener(PairForce, 0)


@kernel
def sum_pair_force(table, carried, pair_table, row):
    """Sum the mean forces of the step of all contacts between two parts.

    Contacts without an impulse since the start of the step are left out: their force is of an
    older step. ``row`` is not used; sensors are called with it.
    """
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    state, detected, known = tables.state(table), tables.detected(table), tables.carried(carried)
    pair, f, n = pair_force(pair_table), ContactWord.FORCE, ContactWord.NORMAL
    for k in range(9):
        pair.out[k] = 0.0
    for c in range(len(candidates.link)):
        if acts(candidates.impulse, c):
            add(pair, candidates.key[c], candidates.force[c], 0, 1.0, ground.normal[c], 0)
    for d in range(state.detected[0]):
        if acts(detected.impulse, d):
            add(pair, known.key[d], detected.force[d], 0, 1.0, detected.normal[d], 0)
    for g in range(known.gone_count[0]):
        gone, key = known.gone[g], known.gone_bits[g, ContactWord.KEY]
        add(pair, key, gone, f, 1.0 / pair.dt[0], gone, n)


@inner
def acts(impulse, c):
    """Return whether a contact has an impulse."""
    return impulse[c, 0] != 0.0 or impulse[c, 1] != 0.0 or impulse[c, 2] != 0.0


@inner
def add(pair, key, force, f, scale, normal, n):
    """Add a contact's force if it is between the parts; it acts on the key's second geometry."""
    mask = (1 << BITS) - 1
    a, b = pair.side[key >> (2 * BITS)], pair.side[(key >> BITS) & mask]
    if a * b != 2:
        return
    scale = scale if b == 1 else -scale
    along = 0.0
    for k in range(3):
        along += force[f + k] * normal[n + k]
    for k in range(3):
        total, pressing = scale * force[f + k], scale * along * normal[n + k]
        pair.out[k] += total
        pair.out[3 + k] += pressing
        pair.out[6 + k] += total - pressing
