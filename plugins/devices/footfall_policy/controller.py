"""The controller ``policy``: observation, network, targets or torques of joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.api.device import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import (
    DataFile,
    Floats,
    FootfallError,
    PluginConfig,
    SettingError,
    SimulationError,
    StatePart,
)
from footfall_policy.network import read_network
from footfall_policy.policy_file import read_policy, values
from footfall_policy.terms import Inputs, indices, place_terms


class PolicyConfig(PluginConfig):
    """Settings: the policy's file, and the command."""

    file: DataFile
    """A side file ``NAME.policy.toml``; or an ``.onnx`` that holds mjlab's metadata."""
    command: tuple[float, ...] | None = None
    """Command instead of the file's; usually velocity forwards and to the left [m/s] and turn rate
    [rad/s]."""
    trusted: bool = False
    """Whether an ONNX network runs in this process. By default it has one of its own, with limits
    of memory, files and time."""
    seed: int = 0
    """Seed of the noise of the terms."""


ACTION, FILTERED, MEMORY, SEEN, TICKS = "action", "filtered", "memory", "seen", "ticks"
"""Names of the parts of the state."""


class PolicyController(Controller):
    """A trained policy.

        ``a = network(terms)``, ``tau = -K (s+ - default - scale a) - D s_dot+``

    Gains act implicitly at every step, the network at its own rate; between two of its calls no
    Python runs. Memory, history and last action are part of the simulation's state.
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
            StatePart(TICKS, "global"),
        )

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Find joints and terms in the body.

        Raises:
            SettingError: if the body lacks one, or the sizes are not the network's.
        """
        policy = self.policy
        at = indices(policy.joints, model, "joints")
        others = [k for k in range(len(model.joint_names)) if k not in at]
        if others and policy.others is None:
            told = f"{len(others)} joints are not driven, e.g. {model.joint_names[others[0]]}"
            raise SettingError(f"joints: {told}: hold them with a table [others]", "file")
        self._at, self._hold = np.array(at), posture.copy()
        n = len(model.joint_names)
        self._stiffness, self._damping = np.full(n, 0.0), np.full(n, 0.0)
        if policy.others is not None:
            self._stiffness[:], self._damping[:] = policy.others.stiffness, policy.others.damping
        gains = [values(getattr(policy, k), policy.joints, k) for k in ("stiffness", "damping")]
        self._stiffness[at], self._damping[at] = gains
        self._default = values(policy.default, policy.joints, "default")
        self._scale = values(policy.action.scale, policy.joints, "action.scale")
        zero = posture.copy()
        zero[at] = self._default
        self._terms = place_terms(policy, model, zero)
        known = [term.size for term in self._terms]
        sizes = [(s or 0) * t.table.history for s, t in zip(known, self._terms, strict=True)]
        if None not in known and sum(sizes) * policy.frames != self.network.inputs:
            raise SettingError(self._sum(sizes), "file")

    def _sum(self, sizes: list[int]) -> str:
        parts = [f"{t.table.term} {n}" for t, n in zip(self._terms, sizes, strict=True)]
        frames = f"{self.policy.frames} x ({' + '.join(parts)})"
        total = sum(sizes) * self.policy.frames
        return f"observation: {frames} = {total} numbers, the network takes {self.network.inputs}"

    def command(self, observation: Observation, command: Command) -> None:
        """Call the network and command the joints.

        Raises:
            SimulationError: if an observation or an action is not finite; names it and the time.
        """
        state = {name: part.reshape(-1) for name, part in observation.state.items()}
        seen = self._look(observation, state)
        memory = state.get(MEMORY, np.zeros(0))
        given = np.concatenate([seen, memory]).astype(np.float32)
        out = self.network.run(given).astype(float)
        n = len(self._at)
        self._check(out[:n], observation.time, "the network's action for", self.policy.joints)
        memory[:] = out[n:]
        self._drive(out[:n], state, command)
        state[TICKS] += 1.0

    def _drive(self, action: Floats, state: dict[str, Floats], command: Command) -> None:
        table, at = self.policy.action, self._at
        if table.clip is not None:
            action = np.clip(action, -table.clip, table.clip)
        kept = table.filter if state[TICKS][0] else 0.0
        state[ACTION][:] = action
        state[FILTERED][:] = (1.0 - kept) * action + kept * state[FILTERED]
        moved = self._scale * state[FILTERED]
        command.stiffness[:], command.damping[:] = self._stiffness, self._damping
        command.target[:], command.target_rate[:], command.tau[:] = self._hold, 0.0, 0.0
        command.target[at] = self._default
        if table.kind == "position":
            command.target[at] += moved
        else:
            command.tau[at] = moved

    def _look(self, observation: Observation, state: dict[str, Floats]) -> Floats:
        """Return the observation, with the history that the state holds."""
        inputs, tick, past = Inputs(state[ACTION], self._command), state[TICKS][0], state[SEEN]
        noisy = any(term.table.noise for term in self._terms)
        rng = np.random.default_rng([self.config.seed, int(tick)]) if noisy else None
        parts, start = [], len(past) - len(past) // self.policy.frames
        for term in self._terms:
            x = term.at(observation, inputs, rng)
            if not np.isfinite(x).all():
                self._check(x, observation.time, f"the term {term.table.term}, entry")
            times = term.table.history
            before = past[start + len(x) : start + times * len(x)] if tick else np.tile(x, times)
            row = np.concatenate([before, x])[-times * len(x) :]
            start += len(row)
            parts.append(row)
        seen = np.concatenate(parts)
        if len(seen) * self.policy.frames != len(past):
            raise SimulationError(f"policy: {self._sum([len(part) for part in parts])}")
        frames = [past[len(seen) :], seen] if tick else [seen] * self.policy.frames
        past[:] = np.concatenate(frames)
        return past

    @staticmethod
    def _check(x: Floats, time: float, what: str, names: tuple[str, ...] = ()) -> None:
        bad = np.flatnonzero(~np.isfinite(x))
        if len(bad):
            name = names[bad[0]] if names else bad[0]
            raise SimulationError(f"policy: {what} {name} is {x[bad[0]]} at t = {time:.6g} s")
