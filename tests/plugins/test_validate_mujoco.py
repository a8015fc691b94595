"""``footfall validate mujoco``: MuJoCo beside its law in Footfall."""

import pytest

from footfall.cli.main import main
from footfall_validate.simulators.mujoco_command import SCENES, compare_with_mujoco

pytest.importorskip("mujoco", reason='needs the extra "mujoco"')


def test_mujocos_law_goes_nearer_to_mujoco_than_the_default_law():
    """A humanoid that settles, 0.3 s: the rest comes from its first steps, in the air."""
    apart = compare_with_mujoco("humanoid/standing", 0.3)
    assert 2.0 * apart.most["mujoco_soft"] < apart.most["coulomb"]
    assert apart.natural_map["coulomb"] < 1e-8 < apart.natural_map["mujoco_soft"]


def test_the_page_has_a_row_a_scene(tmp_path, monkeypatch):
    monkeypatch.setitem(SCENES, "box/slope", 0.05)
    with pytest.raises(SystemExit) as stopped:
        main(["validate", "mujoco", "--scene", "box/slope", "--output", str(tmp_path)])
    assert not stopped.value.code
    assert "| `box/slope` | 0.05 |" in (tmp_path / "mujoco.md").read_text()


def test_a_scene_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["validate", "mujoco", "--scene", "box/slop"])
    assert stopped.value.code
    assert "box/slope" in capsys.readouterr().err
