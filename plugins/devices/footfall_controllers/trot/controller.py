"""The controller ``trot``: a clock decides which legs support the trunk and which step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.api.advanced import allocated
from footfall.api.device import BodySignals, Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginConfig, SettingError, StatePart, nearest
from footfall_controllers.trot.kernels import BASE, Setting, TrotArrays, trot
from footfall_controllers.trot.leg import first_dof
from footfall_controllers.trot.settings import TrotConfig

FOOTING = "footing"
"""Name of the controller's state of last standing positions, leg by leg."""


class Trot(Controller):
    """Trot with four legs, on the spot or at a given velocity.

    Standing legs move the trunk as springs and dampers would. A stepping leg moves its foot along a
    curve to a foothold chosen by Raibert's rule.
    """

    name = "trot"
    Config = TrotConfig

    def __init__(self, config: TrotConfig) -> None:
        self.config = config
        self.state_parts = (StatePart(FOOTING, "global", 3 * len(config.legs), units="m"),)
        self._setting = np.zeros(len(Setting))
        self.retune(config)

    def retune(self, config: PluginConfig) -> None:
        """Take new gains and a new step height."""
        assert isinstance(config, TrotConfig)
        self.config = config
        self._setting[:] = [getattr(config, setting.name.lower()) for setting in Setting]

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Find the legs.

        Raises:
            SettingError: if a foot does not exist or is not at the end of three joints.
        """
        legs = self.config.legs
        self._dofs = np.array([first_dof(model, leg, k) for k, leg in enumerate(legs)])
        self._commanded: Command | None = None  # what ``_call`` writes to
        self._call: Callable[[float], object]

    def start(self, signals: BodySignals) -> None:
        """Find the feet.

        Raises:
            SettingError: if a leg's frame has no contact features.
        """
        known = signals.foot_names
        for k, leg in enumerate(self.config.legs):
            if leg.foot not in known:
                hint = (
                    nearest(leg.foot, known) or f" (those that have: {', '.join(known) or 'none'})"
                )
                told = f"the frame {leg.foot!r} has no contact features{hint}"
                raise SettingError(told, "legs", k, "foot")

    def command(self, observation: Observation, command: Command) -> None:
        """Command torques of standing legs and gains of stepping legs."""
        if command is not self._commanded:
            self._commanded, self._call = command, self.bound(observation, command)
        _ = observation.signals.foot_jacobians  # evaluates what the kernel reads
        self._call(observation.time)

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel."""
        c, body, n = self.config, observation.signals, len(self.config.legs)
        signals = ("nu", "mass_matrix", "bias_force", "base_pose", "foot_poses", "foot_jacobians")
        arrays = allocated(
            TrotArrays,
            n,
            setting=self._setting,
            velocity=np.array(c.velocity),
            home=np.array(c.home),
            phase=np.array([leg.phase for leg in c.legs]),
            place=np.array([leg.place for leg in c.legs]),
            dof=self._dofs,
            foot=np.array([body.foot_names.index(leg.foot) for leg in c.legs]),
            arm=np.array([_centre(body, leg.foot) for leg in c.legs]),
            **{name: getattr(body, name) for name in signals},
            joint_positions=body.joint_positions,
            footing=observation.state[FOOTING].reshape(n, 3),
            acceleration=BASE,
            wrench=BASE,
            N=(3 * n, 3 * n),
            x=3 * n,
            pivot=3 * n,
            **{name: getattr(command, name) for name in Command.__slots__},
        )
        return bind(trot, table_of(arrays), like=(0.0,))


def _centre(body: BodySignals, foot: str) -> Floats:
    """Return the centre of a foot's contact points in its frame, shape (3,), [m]."""
    points = body.foot_points[foot].positions
    return points.mean(axis=0) if len(points) else np.zeros(3)
