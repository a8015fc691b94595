import re

import pytest
from tests.cases import each
from tests.core.scene_plugins import MINIMAL, make_registry

from footfall.errors import PluginError, SceneError
from footfall.scene.load import load_scene, scene_from_dict

FULL = """\
description = "A box on a slope"
[simulation]
duration = 2
time_step = 1e-3
max_impact_splits = 0
impact_order = "after_contact"
[world]
gravity = [0, 0, -3.7]
[world.terrain]
plugin = "plane"
normal = [1, 0, 1]
friction = 0.5
[bodies.box]
robot = "box"
base = "floating"
base_position = [0, 0, 1]
base_orientation = [0.1, 0, 0]
base_linear_velocity = [1, 0, 0]
base_angular_velocity = [0, 0, 1]
friction = 0.4
restitution = 0.1
[bodies.arm]
robot = "../arm/robot.toml"
base = "fixed"
joint_positions = { "shoulder_.*" = 0.5 }
joint_velocities.elbow = -1
controller.plugin = "posture"
controller.stiffness = { "*" = 10 }
[engine]
plugin = "other"
[contact]
plugin = "gauss"
failures = 3
solver.plugin = "osqp"
solver.eps_abs = 1e-6
[impact]
plugin = "inelastic"
[impact.solver]
eps_abs = 1e-7
[integrator]
plugin = "explicit_euler"
[visualizer]
plugin = "meshcat"
[recorder]
interval = 10
[pairs."terrain/box"]
friction = 0.3
"""


@pytest.fixture
def load(tmp_path):
    registry = make_registry()

    def load(text, overrides=None):
        path = tmp_path / "scene.toml"
        path.write_text(text)
        return load_scene(path, overrides, registry)

    return load


@pytest.fixture
def message(load):
    def message(text, error=SceneError, overrides=None):
        with pytest.raises(error) as caught:
            load(text, overrides)
        assert "\n" not in str(caught.value)
        return re.sub(r"^.*scene\.toml: ?", "", str(caught.value))

    return message


def test_every_key_of_a_full_scene_arrives(load, tmp_path):
    scene = load(FULL)
    assert (scene.name, scene.description) == ("scene", "A box on a slope")
    assert scene.folder == tmp_path
    assert (scene.simulation.duration, scene.simulation.time_step) == (2.0, 1e-3)
    assert (scene.simulation.max_impact_splits, scene.simulation.impact_order) == (
        0,
        "after_contact",
    )
    assert scene.world.gravity == (0.0, 0.0, -3.7)
    assert scene.world.terrain.config.friction == 0.5
    assert scene.world.terrain.config.normal == pytest.approx((0.5**0.5, 0.0, 0.5**0.5))
    box, arm = scene.bodies["box"], scene.bodies["arm"]
    assert (box.name, box.robot, box.base, box.friction, box.restitution) == (
        "box",
        "box",
        "floating",
        0.4,
        0.1,
    )
    assert (box.base_position, box.base_orientation) == ((0.0, 0.0, 1.0), (0.1, 0.0, 0.0))
    assert (box.base_linear_velocity, box.base_angular_velocity) == (
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
    )
    assert box.controller.plugin == "zero"
    assert (arm.joint_positions, arm.joint_velocities) == ({"shoulder_.*": 0.5}, {"elbow": -1.0})
    assert (arm.controller.plugin, arm.controller.config.stiffness) == ("posture", {"*": 10.0})
    assert (scene.engine.plugin, scene.contact.plugin, scene.impact.plugin) == (
        "other",
        "gauss",
        "inelastic",
    )
    assert scene.contact.config.failures == 3
    assert (scene.contact.solver.plugin, scene.contact.solver.config.eps_abs) == ("osqp", 1e-6)
    assert (scene.impact.solver.plugin, scene.impact.solver.config.eps_abs) == ("proxqp", 1e-7)
    assert (scene.integrator.plugin, scene.visualizer.plugin) == ("explicit_euler", "meshcat")
    assert scene.recorder.interval == 10
    assert scene.pair("box", "terrain").friction == 0.3
    assert scene.pair("terrain", "box") is scene.pair("box", "terrain")
    assert scene.pair("box", "arm") is None


def test_a_minimal_scene_takes_the_documented_defaults():
    scene = scene_from_dict(MINIMAL, make_registry())
    chosen = {key: choice.plugin for key, choice in scene.choices()}
    assert chosen == {
        "world.terrain": "plane",
        "bodies.box.controller": "zero",
        "simulator": "footfall",
        "engine": "featherstone",
        "contact": "coulomb",
        "impact": "none",
        "integrator": "semi_implicit_euler",
        "visualizer": "none",
    }
    assert scene.world.gravity == (0.0, 0.0, -9.81)
    assert (scene.simulation.time_step, scene.simulation.max_impact_splits) == (1e-3, 4)
    assert scene.simulation.impact_order == "before_contact"
    assert scene.recorder.interval == 1
    assert (scene.bodies["box"].base, scene.bodies["box"].friction) == (None, None)
    assert scene.file is None


def test_a_law_that_absorbs_no_impacts_gets_an_impact_model():
    scene = scene_from_dict({**MINIMAL, "contact": {"plugin": "gauss"}}, make_registry())
    assert (scene.impact.plugin, scene.impact.solver.plugin) == ("inelastic", "proxqp")
    assert scene.contact.solver.plugin == "proxqp"


def test_choices_name_the_distribution_that_they_come_from(load):
    assert load(FULL).contact.origin.distribution == "fake-plugins"


def test_the_same_tables_from_python_and_from_a_file_are_the_same_scene(load):
    import tomllib

    scene = load(FULL)
    twin = scene_from_dict(tomllib.loads(FULL), make_registry())
    assert (twin.bodies, list(twin.choices()), twin.pairs) == (
        scene.bodies,
        list(scene.choices()),
        scene.pairs,
    )


BASE = '[simulation]\nduration = 1\n[bodies.box]\nrobot = "box"\n'  # four lines


@each(
    ("text", "expected"),
    [
        ("", "bodies: is missing"),
        ("[simulation]\nduration = 1", "bodies: is missing"),
        (
            "bodies = {}\n[simulation]\nduration = 1",
            "1: bodies: must have at least 1 of these, got {}",
        ),
        ("[simulation]\nduration = 0", "2: simulation.duration: must be > 0, got 0 [s]"),
        ("[simulation]\nduration = nan", "2: simulation.duration: must be a finite number"),
        (
            "[simulation]\nduration = 1e-4",
            "1: simulation: duration must be at least one time step, and at most 2^53 of them: "
            "got 0.0001 s in steps of 0.001 s",
        ),
        (
            "[simulation]\nduration = 1\ntime_step = -1e-3",
            "3: simulation.time_step: must be > 0, got -0.001 [s]",
        ),
        (
            "[simulation]\nduration = 1\ntime_step = 0.2",
            "3: simulation.time_step: must be <= 0.1, got 0.2",
        ),
        (
            "[simulation]\nduration = 1\nmax_impact_splits = -1",
            "3: simulation.max_impact_splits: must be >= 0",
        ),
        (
            '[simulation]\nduration = 1\nimpact_order = "before"',
            "3: simulation.impact_order: must be 'before_contact' or 'after_contact', got",
        ),
        (BASE + "[world]\ngravity = [0, 0]", "6: world.gravity: must have 3 elements, got 2"),
        (BASE + "[wrld]", "5: wrld: unknown key, did you mean 'world'?"),
        (BASE + "frction = 1", "5: bodies.box.frction: unknown key, did you mean 'friction'?"),
        (BASE + "friction = -0.1", "5: bodies.box.friction: must be >= 0, got -0.1"),
        (BASE + "restitution = 1.1", "5: bodies.box.restitution: must be <= 1, got 1.1"),
        (BASE + "base = 'free'", "5: bodies.box.base: must be 'floating', 'fixed' or 'planar'"),
        (
            BASE + "base = 'fixed'\nbase_linear_velocity = [0, 0, 0]",
            "6: bodies.box.base_linear_velocity: has no effect: the base is fixed",
        ),
        (
            BASE + "base = 'planar'\nbase_angular_velocity = [0, 0, 0]",
            "6: bodies.box.base_angular_velocity: has no effect: the base is planar",
        ),
        (BASE + "joint_positions.hip = 'a'", "5: bodies.box.joint_positions.hip: must be a number"),
        (BASE + "robot = 'x'", "5: is not valid TOML: "),
        (
            BASE + "[bodies.'a b']\nrobot = 'x'",
            '5: bodies."a b": must be a simple name (letters, digits, _ and -',
        ),
        (BASE + "[bodies.terrain]\nrobot = 'x'", "5: bodies.terrain: no body may have this name"),
        (BASE + "[bodies.ball]", "5: bodies.ball: needs either robot or shape"),
        (BASE + "[engine]\nplugin = 3", "6: engine.plugin: must be the name of a plugin, got 3"),
        (BASE + "[contact]\nplugn = 'x'", "6: contact.plugn: unknown key, did you mean 'plugin'?"),
        (
            BASE + "[contact]\nplugin = 'coulom'",
            "6: contact.plugin: no contact plugin \"coulom\", did you mean 'coulomb'? "
            "(installed: absent, coulomb, gauss)",
        ),
        (
            BASE + "[contact]\ngain = 2",
            "6: contact.gain: must be <= 1, got 2",
        ),
        (
            BASE + "[contact]\nfailures = 3",
            "6: contact.failures: unknown key (allowed: tolerance, gain, plugin)",
        ),
        (
            BASE + "[contact]\nplugin = 'gauss'\nfailurs = 3",
            "7: contact.failurs: unknown key, did you mean 'failures'?",
        ),
        (
            BASE + "[contact.solver]\nplugin = 'osqp'",
            '5: contact.solver: has no effect: contact "coulomb" uses no solver',
        ),
        (
            BASE + "[contact]\nplugin = 'gauss'\nsolver = 'osqp'",
            '7: contact.solver: must be a table, got "osqp"',
        ),
        (
            BASE + "[contact]\nplugin = 'gauss'\n[contact.solver]\neps_abs = 0",
            "8: contact.solver.eps_abs: must be > 0, got 0",
        ),
        (
            BASE + "[contact]\nplugin = 'gauss'\n[contact.solver]\nplugin = 'qsop'",
            "8: contact.solver.plugin: no solver plugin \"qsop\", did you mean 'osqp'?",
        ),
        (
            BASE + "[world.terrain]\nnormal = [0, 0, 0]",
            "6: world.terrain.normal: must be a direction, not zero",
        ),
        (
            BASE + "[bodies.box.controller]\nplugin = 'postur'",
            '6: bodies.box.controller.plugin: no controller plugin "postur", did you mean',
        ),
        (
            BASE + "[bodies.box.controller]\nplugin = 'posture'\nstiffness.knee = -1",
            "7: bodies.box.controller.stiffness.knee: must be >= 0, got -1",
        ),
        (BASE + "[recorder]\ninterval = 0", "6: recorder.interval: must be >= 1, got 0"),
        (BASE + "[visualizer]\nspeed = 1", "6: visualizer.speed: unknown key (allowed: plugin)"),
        (BASE + "[pairs.box]\nfriction = 1", "5: pairs.box: must name two sides"),
        (BASE + "[pairs.'box/box']\nfriction = 1", '5: pairs."box/box": must name two sides'),
        (
            BASE + "[pairs.'bix/terrain']\nfriction = 1",
            "5: pairs.\"bix/terrain\": no body 'bix', did you mean 'box'? (bodies: box, terrain)",
        ),
        (
            BASE + "[bodies.ball]\nrobot = 'ball'\n[pairs.'ball/box']\nfriction = 1",
            '7: pairs."ball/box": has no effect: bodies touch only the terrain',
        ),
        (BASE + "[pairs.'box/terrain']", '5: pairs."box/terrain": needs a coefficient: friction'),
        (
            BASE + "[pairs]\n'box/terrain'.friction = 1\n'terrain/box'.friction = 1",
            '7: pairs."terrain/box": is given twice, once in the other order',
        ),
    ],
)
def test_a_bad_scene_is_told_with_line_key_and_what_is_allowed(message, text, expected):
    assert message(text).startswith(expected)


def test_a_plugin_without_its_dependency_is_told_with_the_pip_line(message):
    told = message(BASE + "[contact]\nplugin = 'absent'", PluginError)
    assert told == (
        '6: contact.plugin: contact "absent" needs "no_such_package": '
        'pip install "fake-plugins[absent]"'
    )


def test_an_unreadable_default_is_blamed_on_its_table(message):
    told = message(BASE + "[engine]\n", overrides={"engine.plugin": "pinochio"})
    assert told.startswith("engine.plugin: no engine plugin")
    assert told.endswith("(set by an override)")


def test_only_the_chosen_plugins_are_loaded():
    registry = make_registry()
    registry.contact.add("trap", lambda: pytest.fail("loaded"), summary="")
    scene_from_dict(MINIMAL, registry)


def test_a_description_of_two_lines_is_refused(message):
    told = message('description = """a\nb"""\n' + BASE)
    assert told.startswith("1: description: must be one line of text")


def test_a_validated_scene_cannot_be_changed():
    from dataclasses import FrozenInstanceError

    from pydantic import ValidationError

    scene = scene_from_dict(MINIMAL, make_registry())
    with pytest.raises(FrozenInstanceError):
        scene.name = "other"
    with pytest.raises(ValidationError):
        scene.simulation.duration = 2.0
    with pytest.raises(ValidationError):
        scene.bodies["box"].robot = "ball"


def test_a_scene_composed_in_python_chooses_from_the_installed_plugins_by_default():
    scene = scene_from_dict({**MINIMAL, "world": {"gravity": (0.0, 0.0, -1.6)}})
    assert scene.contact.origin.distribution == "footfall"
    assert scene.world.gravity == (0.0, 0.0, -1.6)
