"""Commands of a controller with a rate of its own: on their way to the joints, and held there."""

from __future__ import annotations

from footfall.jit.compiling import kernel
from footfall.kernels import tables as the
from footfall.world.hold_arrays import HoldArrays

hold = the.opener(HoldArrays, 0)


@kernel
def send(table, tick):
    """Put the command given at ``tick`` on its way; it takes the place of one that has arrived."""
    held = hold(table)
    slot = tick // held.timing[0] % len(held.line)
    for i in range(len(held.command)):
        held.line[slot, i] = held.command[i]


@kernel
def arrive(table, tick):
    """Let the command act that has arrived by ``tick``; before the first nothing is asked.

    It is the last that was given ``delay`` ticks ago or earlier, ``m = (tick - delay) // period``.
    """
    held = hold(table)
    n, since = len(held.tau), tick - held.timing[1]
    if since < 0:
        for k in range(n):
            held.tau[k] = held.stiffness[k] = held.damping[k] = 0.0
        return
    slot = since // held.timing[0] % len(held.line)
    for k in range(n):
        held.tau[k] = held.line[slot, k]
        held.stiffness[k] = held.line[slot, n + k]
        held.damping[k] = held.line[slot, 2 * n + k]
        held.target[k] = held.line[slot, 3 * n + k]
        held.target_rate[k] = held.line[slot, 4 * n + k]
