import re

import pytest
from tests.cases import each
from tests.core.scene_plugins import make_registry

from footfall.errors import SceneError
from footfall.scene.load import load_scene
from footfall.scene.overrides import parse_assignments

TEXT = """\
[simulation]
duration = 1
[world]
gravity = [0,
           0,
           -9.81]
[bodies.box]
robot = "box"
[bodies.box.controller]
plugin = "posture"
stiffness.knee = 1
[contact]
plugin = "gauss"
failures = 3
[contact.solver]
plugin = "osqp"
eps_abs = 1e-6
"""


@pytest.fixture
def load(tmp_path):
    registry = make_registry()

    def load(overrides, text=TEXT):
        path = tmp_path / "scene.toml"
        path.write_text(text)
        return load_scene(path, overrides, registry)

    return load


@each(
    ("assignment", "expected"),
    [
        ("a.b=1", {"a.b": 1}),
        ("a.b = 1e-3 ", {"a.b": 1e-3}),
        ("a=[1, 2]", {"a": [1, 2]}),
        ("a=true", {"a": True}),
        ("a=coulomb", {"a": "coulomb"}),
        ('a="coulomb"', {"a": "coulomb"}),
        ("a=../my robot.toml", {"a": "../my robot.toml"}),
        ("a=module:function", {"a": "module:function"}),
        ("a={b = 1}", {"a": {"b": 1}}),
        ('pairs."a=b".friction=1', {'pairs."a=b".friction': 1}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_a_value_is_toml_and_a_bare_word_is_text(assignment, expected):
    assert parse_assignments([assignment]) == expected


@pytest.mark.parametrize("assignment", ["a", "", "a=", "a=[1, 2", 'a="x', "a=1\nb=2", "a=x\ny"])
def test_what_is_no_assignment_is_refused(assignment):
    with pytest.raises(SceneError, match=re.escape(repr(assignment))):
        parse_assignments([assignment])


def test_the_last_of_two_assignments_of_a_key_counts():
    assert parse_assignments(["a=1", "a=2"]) == {"a": 2}


@pytest.mark.parametrize("key", ["a b", "=", "a..b", "gravity[2]", ""])
def test_what_is_no_key_is_refused(load, key):
    with pytest.raises(SceneError, match="an override's key must be a dotted key, got "):
        load({key: 1})


def test_dotted_and_nested_overrides_do_the_same_as_editing_the_file(load):
    edited = load({}, TEXT.replace("failures = 3", "failures = 5").replace("1e-6", "1e-5"))
    dotted = load({"contact.failures": 5, "contact.solver.eps_abs": 1e-5})
    nested = load({"contact": {"failures": 5, "solver": {"eps_abs": 1e-5}}})
    assert edited == dotted == nested
    assert edited != load({})


def test_keys_inside_nested_overrides_are_not_split_at_dots(load):
    scene = load({"bodies": {"box": {"joint_positions": {"l_.*": 1.0}}}})
    assert scene.bodies["box"].joint_positions == {"l_.*": 1.0}


def test_tables_that_the_file_lacks_are_made(load):
    assert load({"recorder.interval": 5}).recorder.interval == 5


def test_a_body_can_be_added(load):
    assert list(load({"bodies.ball.robot": "ball"}).bodies) == ["box", "ball"]


def test_a_mistyped_body_does_not_become_a_new_one(load):
    with pytest.raises(SceneError, match=r"no body 'bix', did you mean 'box'\? \(bodies: box\)"):
        load({"bodies.bix.friction": 1})


def test_a_value_has_no_keys(load):
    with pytest.raises(SceneError, match=r"simulation\.duration is 1, which has no keys"):
        load({"simulation.duration.x": 1})


def test_replacing_a_plugin_drops_the_files_settings_of_the_old_one_with_a_note(load):
    scene = load({"contact.plugin": "coulomb"})
    assert (scene.contact.plugin, scene.contact.solver, scene.impact.plugin) == (
        "coulomb",
        None,
        "none",
    )
    assert scene.notes == (
        "contact: coulomb replaces gauss, whose settings are dropped: failures, solver",
    )


def test_settings_of_the_new_plugin_can_be_given_together_with_it_in_any_order(load):
    for overrides in (
        {"contact.plugin": "coulomb", "contact.gain": 0.5},
        {"contact.gain": 0.5, "contact.plugin": "coulomb"},
    ):
        assert load(overrides).contact.config.gain == 0.5


def test_an_overrides_own_key_that_the_new_plugin_lacks_is_refused(load):
    with pytest.raises(SceneError, match=r"^contact\.failures: unknown key .*set by an override"):
        load({"contact.plugin": "coulomb", "contact.failures": 4})


def test_naming_the_plugin_that_the_file_has_drops_nothing(load):
    assert load({"contact.plugin": "gauss"}) == load({})


def test_replacing_a_solver_drops_only_the_solvers_settings(load):
    scene = load({"contact.solver.plugin": "proxqp"})
    assert scene.contact.config.failures == 3
    assert scene.contact.solver.config.eps_abs == 1e-9
    assert scene.notes == (
        "contact.solver: proxqp replaces osqp, whose settings are dropped: eps_abs",
    )


def test_replacing_a_controller_drops_its_settings(load):
    assert load({"bodies.box.controller.plugin": "zero"}).notes == (
        "bodies.box.controller: zero replaces posture, whose settings are dropped: stiffness",
    )


def test_settings_without_a_plugin_belong_to_the_default_one(load):
    text = TEXT.split("[contact]")[0] + "[contact]\ngain = 0.5\n"
    assert load({"contact.plugin": "coulomb"}, text).contact.config.gain == 0.5
    assert load({"contact.plugin": "gauss"}, text).notes == (
        "contact: gauss replaces coulomb, whose settings are dropped: gain",
    )


def test_replacing_a_plugin_without_settings_needs_no_note(load):
    assert load({"engine.plugin": "other"}).notes == ()


def test_an_error_in_an_override_does_not_point_into_the_file(load):
    with pytest.raises(SceneError) as caught:
        load({"world.gravity": [0, 0, float("nan")]})
    assert str(caught.value) == (
        "world.gravity[2]: must be a finite number, got nan (set by an override)"
    )


def test_an_error_beside_an_override_still_points_into_the_file(load):
    with pytest.raises(SceneError, match=r"scene\.toml:14: contact\.failurs: unknown key"):
        load({"contact.solver.eps_abs": 1}, TEXT.replace("failures", "failurs"))


def test_overriding_changes_nothing_for_the_next_load(load):
    changes = {"bodies": {"box": {"friction": 0.3}}}
    load(changes)
    assert changes == {"bodies": {"box": {"friction": 0.3}}}
    assert load({}).bodies["box"].friction is None


def test_an_error_about_a_table_that_only_an_override_made_does_not_point_into_the_file(load):
    where = load({"bodies.box.joint_positions.hip": 1.0}).where
    assert where.error("x", ("bodies", "box", "joint_positions")).line is None
    assert where.error("x", ("bodies", "box", "robot")).line == 8
    assert where.error("x", ("bodies", "box", "friction")).line == 7


def test_a_key_that_an_option_sets_as_well_is_refused_before_one_of_the_values_is_lost():
    options = {"simulation.duration": 2.0, "visualizer.speed": None}
    assert parse_assignments(["a.b=1"], options) == {"a.b": 1, "simulation.duration": 2.0}
    with pytest.raises(SceneError, match=r"simulation\.duration: is set by --set and by its own"):
        parse_assignments(["simulation.duration=-1"], options)
