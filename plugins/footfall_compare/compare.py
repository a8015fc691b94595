"""Compare variations of a scene in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from footfall.registry.discover import discover
from footfall.scene.find import find_scene
from footfall_compare.conduct import conduct
from footfall_compare.folder import claim_folder
from footfall_compare.outcome import Comparison
from footfall_compare.trial import make_trials
from footfall_compare.variation import check_variations


def compare(
    scene: str | Path,
    vary: Mapping[str, Sequence[Any]],
    overrides: Mapping[str, Any] | None = None,
    *,
    duration: float | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
) -> Comparison:
    """Run a scene in every combination of values, and compare the runs.

    ``footfall.compare("cube/sliding", {"contact.plugin": ["coulomb", "gauss"]})``. A combination
    that does not go together (a law and an integrator) is refused with its reason, the others run.
    Before each run one step is made and taken back, so that times of steps are without compiling.

    Args:
        scene: ``robot/scene`` of a bundled scene, or path of a scene file.
        vary: values by dotted key; every combination is run, the last key changing fastest.
        overrides: what all runs change in the file, by dotted key or nested.
        duration: [s]; by default what the scene says.
        output: folder of the recordings; by default a temporary one, removed when the process ends.
        overwrite: whether an earlier comparison at ``output`` may be replaced.

    Raises:
        SceneError: for a key that does not exist, or a value that is wrong in every combination.
        RecordingError: if the folder exists or cannot be written.
    """
    from footfall.simulation.run import temporary_output

    registry = discover()
    shared = dict(overrides or {})
    if duration is not None:
        shared["simulation.duration"] = duration
    variations = check_variations(vary.items())
    trials = make_trials(scene, variations, shared, registry)
    folder = Path(output) if output is not None else temporary_output().parent / "comparison"
    claim_folder(folder, overwrite)
    outcomes = tuple(conduct(trials, folder, registry))
    return Comparison(find_scene(scene)[0], variations, outcomes, folder)
