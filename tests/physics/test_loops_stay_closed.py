"""Every scene with loops keeps them closed; what closing them costs is recorded and small."""

import pytest
from tests.benchmarks.loops import SCENES, long_run

SECONDS = 5.0
"""For 60 s see ``tests.benchmarks.loops``, and docs/how-to/close-a-loop.md for its figures."""


@pytest.mark.parametrize("scene", SCENES)
def test_loops_stay_closed_and_projections_change_little_energy(scene):
    if scene.startswith("icub"):
        pytest.importorskip("icub_models", reason="needs icub-models: pip install -e '.[icub]'")
    done = long_run(scene, SECONDS)
    assert done.gap < 1e-8
    assert abs(done.projected) < 1e-4 * done.energy
