"""The controller ``policy``: observation, network, targets or torques of joints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from footfall.api.device import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import (
    DataFile,
    Floats,
    FootfallError,
    PluginConfig,
    SettingError,
    SimulationError,
    StatePart,
)
from footfall_policy.kernels import Base, Setting, TickArrays, drive, look, tick
from footfall_policy.network import read_network
from footfall_policy.policy_file import read_policy, values
from footfall_policy.terms import PLANAR, Entries, indices, place_terms


class PolicyConfig(PluginConfig):
    """Settings: the policy's file, and the command."""

    file: DataFile
    """A file ``NAME.policy.toml``, or an ``.onnx`` file with mjlab's metadata."""
    command: tuple[float, ...] | None = None
    """Command to the network, instead of the one in the file. Usually velocities forwards and left
    [m/s], and turn rate [rad/s]."""
    trusted: bool = False
    """Run any ONNX network in Footfall's process. By default, a network that is not a chain of
    plain layers runs in another process, with limits of memory, time and files."""
    seed: int = 0
    """Seed of the noise on observations."""


ACTION, FILTERED, MEMORY, SEEN, TICKS = "action", "filtered", "memory", "seen", "ticks"
"""Names of the parts of the state."""


class PolicyController(Controller):
    """Run a trained network from an ONNX or NumPy file.

        a = network(observation), tau = -K (s+ - default - scale a) - D s_dot+

    Gains, ``default`` and ``scale`` are in its file. The network is called at the rate in this
    file, unless the scene sets ``rate``. The gains act at every step.
    """

    name = "policy"
    Config = PolicyConfig

    def __init__(self, config: PolicyConfig) -> None:
        self.config = config
        try:
            self.policy, path = read_policy(Path(config.file))
            self.network = read_network(path, self.policy.activation, trusted=config.trusted)
        except SettingError:
            raise
        except FootfallError as error:
            raise SettingError(str(error), "file") from error
        n, network = len(self.policy.joints), self.network
        if network.outputs != n:
            raise SettingError(
                f"{path} gives {network.outputs} actions, {config.file} names {n} joints", "file"
            )
        command = self.policy.command if config.command is None else config.command
        if len(command) != len(self.policy.command):
            told = f"the policy takes {len(self.policy.command)} numbers, got {len(command)}"
            raise SettingError(told, "command")
        self._command = np.array(command, float)
        self.rate, self.delay = self.policy.rate, self.policy.delay
        self.state_parts = (
            *(StatePart(name, "global", n) for name in (ACTION, FILTERED)),
            *([StatePart(MEMORY, "global", network.memory)] if network.memory else ()),
            StatePart(SEEN, "global", network.inputs),
            StatePart(TICKS, "global", low=0.0, whole=True),
        )

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Find joints and terms in the body.

        Raises:
            SettingError: if the body lacks one, or the sizes are not the network's.
        """
        policy = self.policy
        at = indices(policy.joints, model, "joints")
        base = len(PLANAR) * (model.joint_names[: len(PLANAR)] == PLANAR)
        others = [k for k in range(base, len(model.joint_names)) if k not in at]
        if base and min(at) < base:
            raise SettingError(f"joints: {policy.joints[np.argmin(at)]} is no motor", "file")
        if others and policy.others is None:
            told = f"{len(others)} joints are not driven, e.g. {model.joint_names[others[0]]}"
            raise SettingError(f"joints: {told}: hold them with a table [others]", "file")
        if policy.others is not None and not others:
            told = "has no effect, since the policy drives all joints: leave it out"
            raise SettingError(f"others: {told}", "file")
        self._at, self._hold = np.array(at, np.int64), posture.copy()
        n = len(model.joint_names)
        self._stiffness, self._damping = np.full(n, 0.0), np.full(n, 0.0)
        if policy.others is not None:
            self._stiffness[others] = policy.others.stiffness
            self._damping[others] = policy.others.damping
        gains = [values(getattr(policy, k), policy.joints, k) for k in ("stiffness", "damping")]
        self._stiffness[at], self._damping[at] = gains
        self._default = values(policy.default, policy.joints, "default")
        self._scale = values(policy.action.scale, policy.joints, "action.scale")
        self._zero = np.where(self._stiffness > 0.0, posture, 0.0)
        self._zero[at] = self._default
        self._model = model
        self._entries(None)
        self._bound_to: tuple[Observation, Command] | None = None
        self._call: Callable[[float], object]

    def _entries(self, seen: Observation | None) -> Entries:
        """Return the entries of the observation; without sensors and contacts if None."""
        policy, network = self.policy, self.network
        found = place_terms(policy, self._model, self._zero, seen)
        sizes = [n * t.history for n, t in zip(found.sizes, policy.observation, strict=True)]
        total = policy.frames * sum(sizes)
        if total != network.inputs and not (seen is None and found.outside):
            parts = [f"{t.term} {n}" for t, n in zip(policy.observation, sizes, strict=True)]
            told = f"{policy.frames} x ({' + '.join(parts)}) = {total} numbers"
            raise SettingError(f"observation: {told}, the network takes {network.inputs}", "file")
        return found

    def command(self, observation: Observation, command: Command) -> None:
        """Call the network and command the joints.

        Raises:
            SimulationError: if an observation or an action is not finite; names it and the time.
        """
        seen, commanded = self._bound_to or (None, None)
        if seen is not observation or commanded is not command:
            self._bound_to = observation, command
            self._call = self.bound(observation, command)
        self._call(observation.time)

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel of a plain network; Python makes the others' ticks."""
        entries, plain = self._entries(observation), self.network.arrays
        arrays = self._arrays(observation, command, entries)
        noisy = any(term.noise for term in self.policy.observation)
        if plain is not None and not entries.outside and not noisy:
            own = plain._replace(given=arrays.given, result=arrays.result)
            return bind(tick, table_of(arrays, own), like=(0.0,))
        table = table_of(arrays)
        see, act = bind(look, table, like=(0.0,)), bind(drive, table)

        def call(time: float) -> None:
            start = 0
            for read in entries.outside:
                part = read(observation)
                arrays.outside[start : start + len(part)] = part
                start += len(part)
            number = int(arrays.ticks[0])
            see(time)
            if noisy:
                self._add_noise(arrays, number)
            result = self.network.run(arrays.given.astype(np.float32)).astype(float)
            bad = np.flatnonzero(~np.isfinite(result))
            if len(bad):
                self._tell(arrays, result, int(bad[0]), time)
            arrays.result[:] = result
            act()

        return call

    def _add_noise(self, arrays: TickArrays, number: int) -> None:
        rng, last = np.random.default_rng([self.config.seed, number]), len(arrays.seen)
        last -= last // self.policy.frames
        rows = zip(self.policy.observation, arrays.start, arrays.size, strict=True)
        for table, start, size in rows:
            begin = last + start + (table.history - 1) * size
            noise = rng.uniform(-table.noise, table.noise, size)
            arrays.seen[begin : begin + size] += noise
        arrays.given[: len(arrays.seen)] = arrays.seen

    def _tell(self, arrays: TickArrays, result: Floats, k: int, time: float) -> None:
        names = self.policy.joints
        what = f"the network's action for {names[k]}" if k < len(names) else "its memory"
        odd = np.flatnonzero(~np.isfinite(arrays.given))
        told = f" (its input {odd[0]} is {arrays.given[odd[0]]})" if len(odd) else ""
        raise SimulationError(f"policy: {what} is {result[k]} at t = {time:.6g} s{told}")

    def _arrays(self, seen: Observation, command: Command, entries: Entries) -> TickArrays:
        policy, network, action = self.policy, self.network, self.policy.action
        floating, n = self._model.base == "floating", len(policy.joints)
        lengths = [k * t.history for k, t in zip(entries.sizes, policy.observation, strict=True)]
        clocks = np.array(entries.clocks, float).reshape(-1, 2)
        beside = Base.SIZE * floating + n + len(self._command) + len(clocks) + entries.n_outside
        setting = np.zeros(Setting.SIZE, np.int64)
        setting[Setting.FLOATING], setting[Setting.FRAMES] = floating, policy.frames
        setting[Setting.TORQUE] = action.kind == "torque"
        times = [table.history for table in policy.observation]
        places = [0, *np.cumsum(lengths)[:-1]], entries.sizes, times, entries.origin
        state = {name: part.reshape(-1) for name, part in seen.state.items()}
        state.setdefault(MEMORY, np.zeros(0))
        arrays = (
            setting,
            *(np.array(part, np.int64) for part in places),
            *(np.array(part, float) for part in (entries.shift, entries.scale, entries.bound)),
            *(np.ascontiguousarray(clocks.T)),
            *(self._command, np.zeros(entries.n_outside)),
            *(np.zeros(len(seen.q) + len(seen.v) + beside), seen.q, seen.v),
            *(np.zeros(network.inputs + network.memory), np.zeros(n + network.memory)),
            *(state[name] for name in (ACTION, FILTERED, MEMORY, SEEN, TICKS)),
            np.full(n, np.inf if action.clip is None else action.clip),
            np.array([action.filter]),
            *(self._at, self._default, self._scale),
            *(self._stiffness, self._damping, self._hold),
            *(command.tau, command.stiffness, command.damping),
            *(command.target, command.target_rate),
        )
        return TickArrays._make(arrays)
