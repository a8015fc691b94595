"""The participants of a simulation: controllers, drives, pushes, sensors, hands, a viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footfall.interfaces.controller import Controller
from footfall.interfaces.interaction import Interaction
from footfall.interfaces.visualizer import Visualizer
from footfall_stepper.devices.external_forces import Push
from footfall_stepper.devices.joint_torques import DriveGroup
from footfall_stepper.devices.motions import Motion
from footfall_stepper.devices.rates import ControllerRate
from footfall_stepper.devices.recorded_signals import RecordedSignal
from footfall_stepper.devices.sensors import Sensing


@dataclass(frozen=True, slots=True)
class Participants:
    """The parts that act in and watch a simulation.

    Attributes:
        controllers: by body name.
        drives: groups of joints with actuators; other joints get the commanded torque.
        visualizer: shows the run.
        pushes: external pushes on bodies.
        sensors: the sensors to simulate.
        seed: of their noise.
        rates: of controllers not called in every step, by body name.
        signals: the recorded signals of bodies.
        interaction: the hands that reach into it, None if the scene has none.
        certificates: records each step's margins, see ``Registry.certificate``.
        motions: prescribed motions of bodies.
    """

    controllers: Mapping[str, Controller] = field(default_factory=dict)
    visualizer: Visualizer | None = None
    drives: Sequence[DriveGroup] = ()
    pushes: tuple[Push, ...] = ()
    sensors: Sequence[Sensing] = ()
    seed: int = 0
    rates: Mapping[str, ControllerRate] = field(default_factory=dict)
    signals: Sequence[RecordedSignal] = ()
    interaction: Interaction | None = None
    certificates: Sequence[Any] = ()
    motions: Sequence[Motion] = ()


def hand_part(hand: str) -> str:
    """Return the name of the part of the state that belongs to a hand."""
    return f"hand.{hand}"


def own_state(body: str) -> str:
    """Return the prefix of the names of the state's parts owned by a body's controller."""
    return f"controller.{body}."
