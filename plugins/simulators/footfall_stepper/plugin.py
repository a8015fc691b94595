"""Simulators made by the stepper: ``footfall``, whose steps the scene's laws make, and guests."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from footfall.registry.registry import Registry
from footfall.scene.scene import Scene
from footfall.simulator.role import SimulatorPlugin
from footfall_stepper.assembly.assemble import Assembly, assemble
from footfall_stepper.assembly.entry import restore
from footfall_stepper.guest import Guest
from footfall_stepper.simulation.simulator import StepperSimulator


class StepperPlugin(SimulatorPlugin):
    """A simulator whose states and recordings are the stepper's."""

    def restore(
        self, path: Path, registry: Registry, scene: Scene | None, *, trust: bool
    ) -> StepperSimulator:
        """Make the simulator again that a state was saved from; see ``footfall.restore``."""
        return restore(path, registry, scene, trust=trust)


class Footfall(StepperPlugin):
    """Footfall computes the steps with the scene's engine, laws and integrator."""

    name = "footfall"

    def assemble(
        self, scene: Scene, registry: Registry, *, tell_deep: bool = True
    ) -> StepperSimulator:
        """Build the simulator of a scene."""
        return assemble(scene, registry, tell_deep=tell_deep)


class GuestSimulator(StepperPlugin):
    """A simulator that makes the steps as a guest of the stepper."""

    @abstractmethod
    def guest(self, made: Assembly) -> Guest:
        """Translate a scene.

        Args:
            made: scene, world and registry that the simulator is made of.

        Raises:
            SceneError: for what the other simulator cannot honour (``made.scene.error`` names the
                key).
        """

    def assemble(
        self, scene: Scene, registry: Registry, *, tell_deep: bool = True
    ) -> StepperSimulator:
        """Make the stepper's simulator of a scene, with the guest in it."""
        return assemble(scene, registry, tell_deep=tell_deep, guest=self.guest)
