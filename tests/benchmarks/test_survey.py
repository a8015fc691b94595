"""The survey of robot files says what became of each."""

import pytest
from tests.benchmarks.survey import Row, look_at, models_of, reason, step_ratio, summary, table
from tests.core.walker_urdf import walker

ARM = """
<mujoco model="arm"><worldbody>
  <body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size="0.1"/>
    <body pos="0.3 0 0"><joint axis="1 0 0"/><geom type="box" size="0.1 0.2 0.3"/></body>
  </body>
</worldbody></mujoco>
"""


def looked_at(folder, name, text):
    (folder / name).write_text(text)
    return look_at(str(folder / name), run=False)


@pytest.mark.parametrize(("name", "text"), [("walker.urdf", walker()), ("arm.xml", ARM)])
def test_dynamics_of_a_model_are_compared(tmp_path, name, text):
    pytest.importorskip("mujoco")
    row = looked_at(tmp_path, name, text)
    assert (row.state, row.why) == ("imported", "")
    assert max(row.dM, row.dh) < 1e-12


def test_a_file_without_a_body_is_no_model(tmp_path):
    pytest.importorskip("mujoco")
    row = looked_at(tmp_path, "assets.xml", "<mujoco><asset/></mujoco>")
    assert row.state == "no model"


def test_what_is_refused_says_why(tmp_path):
    row = looked_at(tmp_path, "walker.urdf", walker().replace('mass value="1"', 'mass value="-1"'))
    assert row.state == "refused"
    assert row.why.startswith("FILE: ")
    assert reason(row.why) in summary([row, Row("other", "no model")])
    assert "2 files, 1 models, 0 imported" in summary([row, Row("other", "no model")])


def test_models_of_a_folder_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.urdf").write_text("")
    (tmp_path / "b.xml").write_text("<mujoco/>")
    (tmp_path / "c.xml").write_text("<package/>")
    assert [name.rpartition("/")[2] for name in models_of(str(tmp_path))] == ["b.xml", "a.urdf"]


def test_reasons_are_without_names_and_numbers():
    assert reason('FILE: link "a": weighs 1.5 kg') == reason('FILE: link "b": weighs 2 kg')


def test_the_table_has_a_line_for_each_model_and_none_for_what_is_none():
    rows = [
        Row("/a/arm.xml", "imported", joints=2, base="fixed", dM=1e-16, dh=3e-15, ran="holds"),
        Row("pack:leg", "imported", base="floating", sinks=2e-3, tilts=0.1, step=1.25),
        Row("pack:bad", "refused", why="FILE: no mass"),
        Row("/a/assets.xml", "no model"),
    ]
    lines = table(rows, "/a").splitlines()
    assert len(lines) == 2 + 3
    assert "| `arm.xml` | 2 | fixed | 3e-15 | holds |" in lines[2]
    assert "| 2 | 6° | 1.25 |" in lines[3]
    assert "refused" in lines[4]
    assert "no mass" in lines[4]


def test_a_step_is_timed_beside_mujocos(tmp_path):
    pytest.importorskip("mujoco")
    scene = tmp_path / "scene.toml"
    scene.write_text(
        '[world.terrain]\nplugin = "plane"\n[bodies.rrbot]\nrobot = "rrbot"\n'
        '[bodies.rrbot.controller]\nplugin = "posture"\n'
    )
    with pytest.warns(match="left out"):
        ratio = step_ratio(scene, tmp_path / "it.xml")
    assert 0.01 < ratio < 100.0
