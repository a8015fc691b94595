"""The simulator role: plugins that make a simulator of a scene, and the choice of one by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from footfall.config.toml import Where
from footfall.config.validate import given, plain
from footfall.errors import SceneError, SimulationError
from footfall.interfaces.plugin import Plugin, PluginConfig
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.choose import make
from footfall.scene.load import load_scene
from footfall.scene.scene import Scene
from footfall.simulator.simulator import Simulator
from footfall.whole_file import path_of


class SimulatorPlugin(Plugin):
    """Makes simulators of scenes; ``[simulator] plugin`` names one.

    Under another one than the default, the scene's contact law, impact model and integrator are set
    aside: ``Scene.set_aside`` says so.
    """

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    @abstractmethod
    def assemble(self, scene: Scene, registry: Registry, *, tell_deep: bool = True) -> Simulator:
        """Make a simulator of a scene.

        Args:
            scene: validated, from ``load_scene``.
            registry: the plugins that the scene was validated with.
            tell_deep: whether to warn of bodies that start inside each other. False for a start
                that another state will replace.

        Raises:
            SceneError: for what the simulator cannot honour (``scene.error`` names the key).
            RobotError: if a robot cannot be loaded.
            PluginError: if a plugin cannot be loaded or constructed.
        """

    def restore(
        self, path: Path, registry: Registry, scene: Scene | None, *, trust: bool
    ) -> Simulator:
        """Make the simulator again that a state was saved from; see ``footfall.restore``.

        Raises:
            SimulationError: if the simulator saves no states.
        """
        raise SimulationError(f'simulator "{self.name}" restores no saved states')


def load(scene: str | Path, overrides: Mapping[str, Any] | None = None) -> Simulator:
    """Load a scene and make its simulator.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        overrides: values by dotted key, or nested; they replace those of the file.

    Raises:
        FootfallError: names file and key, what was given and what is allowed.
    """
    registry, changes = discover(), {} if overrides is None else overrides
    try:
        changes = plain(changes, Where(None, {}), ())
    except RecursionError as error:
        raise SceneError("the overrides are nested too deeply, or contain themselves") from error
    if not isinstance(changes, dict):
        raise SceneError(f"overrides must be a table (dict), got {given(changes)}")
    return assemble(load_scene(path_of(scene), changes, registry), registry)


def assemble(
    scene: Scene, registry: Registry | None = None, *, tell_deep: bool = True
) -> Simulator:
    """Make the simulator of a scene, by the plugin that ``[simulator]`` names.

    Args:
        scene: validated, from ``load_scene``.
        registry: the plugins that the scene was validated with; by default those installed.
        tell_deep: whether to warn of bodies that start inside each other. False for a start that
            another state will replace.

    Raises:
        SceneError: if it is no scene, the chosen plugins cannot honour what it needs, or names of
            robots, joints or pairs in it do not exist.
        RobotError: if a robot cannot be loaded.
        PluginError: if a plugin cannot be loaded or constructed.
    """
    if not isinstance(scene, Scene):
        raise SceneError(f"assemble takes a Scene (from tables: scene_from_dict), got {scene!r}")
    registry = registry if registry is not None else discover()
    plugin: SimulatorPlugin = make(scene.simulator, registry)
    return plugin.assemble(scene, registry, tell_deep=tell_deep)


def restore(
    path: str | Path,
    registry: Registry | None = None,
    scene: Scene | None = None,
    *,
    trust: bool = False,
) -> Simulator:
    """Make the simulator again that a state was saved from, and go on from there, bit for bit.

    The scene is in the file, with the objects that came while it ran and the settings that were
    tuned.

    Args:
        path: of a file written by ``Simulator.save`` or ``footfall run --save``.
        registry: the plugins to choose from; by default those that are installed.
        scene: that the state goes back to; it goes on with this one's viewer, duration and hands.
            By default nothing is shown: the saved scene's viewer is left out, and the file is one
            of the default simulator or of a guest of it.
        trust: whether functions that the file names (``module:function``) may be imported, which
            runs code. Those that ``scene`` names as well need no trust.

    Raises:
        SceneError: if it names functions and is not trusted; lists them.
        SimulationError: if the file is no saved state, or holds no scene, or is of another scene
            than the one given, or the installed versions or the robots' files are others than those
            it was saved with; says what differs.
        FootfallError: if the scene cannot be assembled any more; says why.
    """
    registry = registry if registry is not None else discover()
    if scene is not None:
        plugin: SimulatorPlugin = make(scene.simulator, registry)
    else:
        role = "simulator"
        cls: Any = registry.find(role, registry.default(role)).load()
        plugin = cls(cls.Config())
    return plugin.restore(path_of(path), registry, scene, trust=trust)
