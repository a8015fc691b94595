"""Models of servos predict motions of a real arm that they were not fitted to."""

from pathlib import Path

import numpy as np
import pytest
from tests.benchmarks import servos

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "servos"


@pytest.mark.long
@pytest.mark.skipif(not FOLDER.exists(), reason="the arm's motions are not beside the project")
def test_friction_that_grows_with_load_predicts_held_out_motions_better(tmp_path):
    held = servos.motions(FOLDER, servos.names_of(FOLDER)[1], 30.0)
    errors = {"none": np.mean([np.abs(one.target - one.q).mean() for one in held])}
    for model in ("plain", "load"):
        _, values = servos.fit(FOLDER, tmp_path, model, seconds=8.0)
        scene = servos.scene_of(FOLDER, tmp_path, held)
        errors[model] = np.abs(servos.errors_of(scene, values, held)).mean()
    assert errors["load"] < 0.8 * errors["plain"] < 0.8 * errors["none"]
