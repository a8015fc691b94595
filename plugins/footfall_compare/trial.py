"""The scenes of a comparison, validated before the first of them runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.config.toml_lines import dotted, parse_key
from footfall.errors import FootfallError, SceneError
from footfall.registry.registry import Registry
from footfall.scene.load import load_scene
from footfall.scene.scene import Scene
from footfall_compare.variation import Combination, Variation, combinations

UNSEEN = {"visualizer.plugin": "none"}
"""A comparison shows nothing while it runs, unless it is told to."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A combination and the scene that it makes.

    Attributes:
        combination: the values.
        scene: None if it is refused.
        error: why it is refused, None if it is not.
    """

    combination: Combination
    scene: Scene | None
    error: FootfallError | None = None


def make_trials(
    reference: str | Path,
    variations: Sequence[Variation],
    overrides: Mapping[str, Any],
    registry: Registry,
) -> list[Trial]:
    """Load the scene of every combination.

    A combination whose values do not go together is refused, and the others are made. A value that
    is wrong wherever it is used is the user's mistake, and so is a scene that no combination fits.

    Raises:
        SceneError: for such a mistake; names the key, what is allowed and the nearest name.
        PluginError: if every combination asks for plugins that cannot be loaded.
    """
    _check_overrides(variations, overrides)
    trials = [
        _trial(reference, combination, overrides, registry)
        for combination in combinations(variations)
    ]
    for variation in variations:
        for value in variation.values:
            its = [t for t in trials if t.combination.values[variation.key] is value]
            if all(isinstance(t.error, SceneError) and t.error.key == variation.key for t in its):
                raise _error(its[0])
    if all(trial.error for trial in trials):
        raise _error(trials[0])
    return trials


def refusal(error: FootfallError) -> str:
    """Return why a combination is refused, in one line, without the place of the scene's file."""
    text = " ".join(str(error).split())
    if isinstance(error, SceneError) and error.file:
        return text.removeprefix(error.file).removeprefix(f":{error.line}").removeprefix(": ")
    return text


def _error(trial: Trial) -> FootfallError:
    assert trial.error is not None
    return trial.error


def _check_overrides(variations: Sequence[Variation], overrides: Mapping[str, Any]) -> None:
    """Refuse a key that is both set and varied."""
    varied = {variation.key for variation in variations}
    for key in overrides:
        try:
            name = dotted(parse_key(key))
        except ValueError:  # reported when the scene is loaded
            continue
        if name in varied:
            raise SceneError("is both set and varied", key=name)


def _trial(
    reference: str | Path,
    combination: Combination,
    overrides: Mapping[str, Any],
    registry: Registry,
) -> Trial:
    chosen = {**overrides, **combination.values}
    if "visualizer" not in chosen:
        chosen = {**UNSEEN, **chosen}
    try:
        return Trial(combination, load_scene(reference, chosen, registry))
    except FootfallError as error:
        return Trial(combination, None, error)
