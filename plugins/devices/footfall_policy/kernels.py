"""The tick of a policy as kernels: its observation, a plain network, the command of the joints."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Ints1


class Base(IntEnum):
    """Places of quantities of a floating base among the sources."""

    LINEAR = 0
    """Linear velocity along the world's axes, [m/s]."""
    ANGULAR = 3
    """Angular velocity along the world's axes, [rad/s]."""
    GRAVITY = 6
    """Unit vector of gravity in the base's axes, [-]."""
    RPY = 9
    """Roll, pitch and yaw, [rad]."""
    SIZE = 12
    """Number of them."""


class Setting(IntEnum):
    """Places in ``TickArrays.setting``."""

    FLOATING = 0
    """1 if the base floats, else 0."""
    FRAMES = 1
    """Number of whole observations."""
    TORQUE = 2
    """1 if actions are torques, 0 if they are targets."""
    SIZE = 3


class TickArrays(NamedTuple):
    """Arrays of a policy on a body.

    Attributes:
        setting: shape (3,), by ``Setting``.
        start: shape (terms,), first place of each term in a frame; size: entries of each at one
            tick; times: number of ticks that it is seen.
        origin: shape (entries,), source of each entry of one tick; shift, scale, bound: likewise,
            ``clip((source + shift) scale, bound)``.
        frequency: shape (waves,), of clocks, [Hz]; phase: likewise, in cycles.
        wish: the command; outside: readings of sensors and contacts.
        source: workspace: q, v, base, last action, command, clocks, outside.
        q, v: state of the body.
        given: shape (inputs + memory,), of the network; result: shape (outputs + memory,).
        action, filtered, memory, seen, ticks: parts of the simulation's state.
        limit: shape (outputs,), of actions; kept: share of the last filtered action.
        at: shape (outputs,), driven joints; default: their positions of a zero action; factor.
        own_stiffness: shape (joints,), gains; own_damping: likewise; hold: initial positions.
        tau: shape (joints,), the command; likewise stiffness, damping, target, target_rate.
    """

    setting: Ints1
    start: Ints1
    size: Ints1
    times: Ints1
    origin: Ints1
    shift: Floats1
    scale: Floats1
    bound: Floats1
    frequency: Floats1
    phase: Floats1
    wish: Floats1
    outside: Floats1
    source: Floats1
    q: Floats1
    v: Floats1
    given: Floats1
    result: Floats1
    action: Floats1
    filtered: Floats1
    memory: Floats1
    seen: Floats1
    ticks: Floats1
    limit: Floats1
    kept: Floats1
    at: Ints1
    default: Floats1
    factor: Floats1
    own_stiffness: Floats1
    own_damping: Floats1
    hold: Floats1
    tau: Floats1
    stiffness: Floats1
    damping: Floats1
    target: Floats1
    target_rate: Floats1


class NetArrays(NamedTuple):
    """Arrays of a plain network.

    Attributes:
        given: shape (inputs + memory,); result: shape (outputs + memory,).
        activation: shape (layers,), after each layer, an ``Activation``.
        low: shape (layers,), its factor or lower bound; high: its upper bound.
        hidden: shape (cells,), sizes of recurrent cells; gates: 4 for an LSTM, 3 for a GRU.
        width: shape (layers + 1,), inputs and outputs of the layers.
        weights: of cells and layers in turn, each matrix by columns, then its bias.
        x, y, z: workspaces.
    """

    given: Floats1
    result: Floats1
    activation: Ints1
    low: Floats1
    high: Floats1
    hidden: Ints1
    gates: Ints1
    width: Ints1
    weights: Floats1
    x: Floats1
    y: Floats1
    z: Floats1


class Activation(IntEnum):
    """Functions after layers."""

    ELU = 0
    RELU = 1
    TANH = 2
    SIGMOID = 3
    SILU = 4
    CLIP = 5
    NONE = 6


GRU, LSTM = 3, 4
"""Gates."""
open_tick, open_net = opener(TickArrays, 0), opener(NetArrays, 0)
open_second = opener(NetArrays, len(TickArrays._fields))


@inner
def put(source, at, values):
    """Copy values into the sources; return the place after them."""
    for i in range(len(values)):
        source[at + i] = values[i]
    return at + len(values)


@inner
def put_base(own, at):
    """Write the quantities of ``Base``; the quaternion is x, y, z, w."""
    x, y, z, w = own.q[3], own.q[4], own.q[5], own.q[6]
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    out, v = own.source, own.v
    for i in range(3):
        a, b, c = rows[i]
        out[at + Base.LINEAR + i] = a * v[0] + b * v[1] + c * v[2]
        out[at + Base.ANGULAR + i] = a * v[3] + b * v[4] + c * v[5]
        out[at + Base.GRAVITY + i] = -rows[2][i]
    out[at + Base.RPY] = math.atan2(rows[2][1], rows[2][2])
    out[at + Base.RPY + 1] = -math.asin(min(max(rows[2][0], -1.0), 1.0))
    out[at + Base.RPY + 2] = math.atan2(rows[1][0], rows[0][0])
    return at + Base.SIZE


@inner
def put_sources(own, time):
    """Write all sources."""
    at = put(own.source, put(own.source, 0, own.q), own.v)
    if own.setting[Setting.FLOATING] == 1:
        at = put_base(own, at)
    at = put(own.source, put(own.source, at, own.action), own.wish)
    for i in range(len(own.frequency)):
        turn = (own.frequency[i] * time + own.phase[i]) % 1.0
        own.source[at + i] = math.sin(2.0 * math.pi * turn)
    put(own.source, at + len(own.frequency), own.outside)


@inner
def see(own, time):
    """Write the observation of a tick, with its history, and the numbers for the network."""
    put_sources(own, time)
    seen, first = own.seen, own.ticks[0] == 0.0
    wide = len(seen) // own.setting[Setting.FRAMES]
    last = len(seen) - wide
    for i in range(last):
        seen[i] = seen[i + wide]
    k = 0
    for term in range(len(own.size)):
        begin, n = last + own.start[term], own.size[term]
        end = begin + n * (own.times[term] - 1)
        for i in range(begin, end):
            seen[i] = seen[i + n]
        for i in range(n):
            x = (own.source[own.origin[k]] + own.shift[k]) * own.scale[k]
            seen[end + i] = min(max(x, -own.bound[k]), own.bound[k])
            if first:
                for j in range(begin + i, end, n):
                    seen[j] = seen[end + i]
            k += 1
    if first:
        for i in range(last):
            seen[i] = seen[last + i % wide]
    put(own.given, put(own.given, 0, seen), own.memory)


@kernel
def look(table, time):
    """Write the observation of a tick."""
    see(open_tick(table), time)


@inner
def affine(weights, at, x, n, y, m):
    """Write ``y = W x + b`` of the matrix at a place; return the place after it."""
    for i in range(m):
        y[i] = weights[at + n * m + i]
    for j in range(n):
        for i in range(m):
            y[i] += weights[at + j * m + i] * x[j]
    return at + (n + 1) * m


@inner
def sigmoid(x):
    """Return ``1 / (1 + exp(-x))``."""
    return 0.5 * (1.0 + math.tanh(0.5 * x))


@inner
def activate(kind, x, low, high):
    """Return an ``Activation`` of a number; ``low`` is the factor of negative ones, or a bound."""
    if kind == Activation.ELU:
        return x if x > 0.0 else low * math.expm1(x)
    if kind == Activation.TANH:
        return math.tanh(x)
    if kind == Activation.CLIP:
        return min(max(x, low), high)
    if kind == Activation.SIGMOID or kind == Activation.SILU:
        return sigmoid(x) * (x if kind == Activation.SILU else 1.0)
    return x if x > 0.0 or kind == Activation.NONE else low * x


@inner
def recur(net, k, at, n, m):
    """Step a cell in PyTorch's order of gates; return the places after weights and memory."""
    h, gates, y, z = net.hidden[k], net.gates[k], net.y, net.z
    at = affine(net.weights, at, net.x, n, y, gates * h)
    for i in range(h):
        net.x[i] = net.given[m + i]
    at = affine(net.weights, at, net.x, h, z, gates * h)
    out = m - (len(net.given) - len(net.result))
    for i in range(h):
        a, b = sigmoid(y[i] + z[i]), sigmoid(y[h + i] + z[h + i])
        if gates == LSTM:
            g, o = math.tanh(y[2 * h + i] + z[2 * h + i]), sigmoid(y[3 * h + i] + z[3 * h + i])
            c = b * net.given[m + h + i] + a * g
            net.result[out + h + i] = c
            net.x[i] = o * math.tanh(c)
        else:
            g = math.tanh(y[2 * h + i] + a * z[2 * h + i])
            net.x[i] = (1.0 - b) * g + b * net.given[m + i]
        net.result[out + i] = net.x[i]
    return at, m + (2 * h if gates == LSTM else h)


@inner
def evaluate(net):
    """Write the result of a network."""
    memory = 0
    for k in range(len(net.hidden)):
        memory += net.hidden[k] * (2 if net.gates[k] == LSTM else 1)
    n, at, m = len(net.given) - memory, 0, len(net.given) - memory
    for i in range(n):
        net.x[i] = net.given[i]
    for k in range(len(net.hidden)):
        at, m = recur(net, k, at, n, m)
        n = net.hidden[k]
    for k in range(len(net.width) - 1):
        at = affine(net.weights, at, net.x, net.width[k], net.y, net.width[k + 1])
        kind, low, high = net.activation[k], net.low[k], net.high[k]
        for i in range(net.width[k + 1]):
            net.x[i] = activate(kind, net.y[i], low, high)
    for i in range(net.width[len(net.width) - 1]):
        net.result[i] = net.x[i]


@kernel
def think(table):
    """Evaluate a network on its own."""
    evaluate(open_net(table))


@inner
def command(own):
    """Command the joints by the network's result."""
    for i in range(len(own.tau)):
        own.stiffness[i], own.damping[i] = own.own_stiffness[i], own.own_damping[i]
        own.target[i], own.target_rate[i], own.tau[i] = own.hold[i], 0.0, 0.0
    kept = own.kept[0] if own.ticks[0] > 0.0 else 0.0
    for k in range(len(own.at)):
        own.action[k] = min(max(own.result[k], -own.limit[k]), own.limit[k])
        own.filtered[k] = (1.0 - kept) * own.action[k] + kept * own.filtered[k]
        i, moved = own.at[k], own.factor[k] * own.filtered[k]
        own.target[i] = own.default[k]
        if own.setting[Setting.TORQUE] == 1:
            own.tau[i] = moved
        else:
            own.target[i] += moved
    for i in range(len(own.memory)):
        own.memory[i] = own.result[len(own.at) + i]
    own.ticks[0] += 1.0


@kernel
def drive(table):
    """Command the joints."""
    command(open_tick(table))


@kernel
def tick(table, time):
    """Make a whole tick of a plain network."""
    own = open_tick(table)
    see(own, time)
    evaluate(open_second(table))
    command(own)
