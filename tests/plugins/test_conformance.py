"""Every bundled plugin passes every check of its role."""

from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from tests.cases import first, long, missing, run
from tests.plugins.policies import small
from tests.plugins.solver_cases import settings_of

import footfall.testing
from footfall.registry.discover import discover
from footfall.testing.check import subject_of

REGISTRY = discover()
BUNDLED = [
    (catalog.role, entry.name)
    for catalog in REGISTRY.roles
    for entry in catalog
    if entry.origin is not None and entry.origin.distribution == "footfall"
]
CONFIGS = {
    ("controller", "function"): {"function": "tests.plugins.posture_function:spring"},
    ("controller", "policy"): {
        "file": str(
            small(
                Path(mkdtemp()),
                ["joint0"],
                [{"term": "joint_positions"}, {"term": "joint_velocities"}],
                np.array([[0.5, -0.1]]),
                stiffness=10.0,
                others={"stiffness": 5.0, "damping": 1.0},
            )
        ),
    },
    ("controller", "torque_table"): {"file": str(Path(__file__).parent / "no_torque.csv")},
    ("controller", "trajectory"): {
        "file": str(Path(__file__).parent / "joint0.csv"),
        "max_jump": 1.0,
    },
    ("terrain", "heightmap"): {"function": "tests.plugins.ground_functions:waves", "friction": 0.5},
    ("terrain", "steps"): {
        "friction": 0.5,
        "yaw": 0.3,
        "stairs": [{"count": 5, "rise": 0.1, "run": 0.3, "width": 1.0}],
        "boxes": [{"position": (-1.0, 0.0, 0.2), "size": (0.5, 0.7, 0.1), "friction": 0.2}],
        "patches": [{"x": (0.0, 1.0), "friction": 0.1}],
    },
    ("actuator", "second_order"): {"natural_frequency": 60.0},
    ("actuator", "series_elastic"): {"stiffness": 300.0, "damping": 3.0},
    ("actuator", "parallel_elastic"): {"stiffness": 300.0, "rest": 0.1},
    ("actuator", "tendon_elastic"): {"stiffness": 300.0, "rest": 0.1},
    ("actuator", "servo_friction"): {"load_friction": (0.1, 0.2), "stribeck_friction": 0.1},
    ("actuator", "dc_motor"): {"voltage": 12.0, "torque_constant": 1.0, "resistance": 1.0},
    ("sensor", "imu"): {"frame": "trunk"},
    ("sensor", "ray"): {
        "frame": "trunk",
        "scan": {"azimuth": (-1.0, 1.0), "elevation": (-1.0, 0.0), "count": (4, 3)},
    },
    ("input_device", "scripted"): {
        "waypoints": (
            {"time": 0.5, "position": (0.0, 0.0, 1.0), "force": (1.0, 0.0, 0.0)},
            {"time": 1.5, "position": (0.0, 0.5, 1.0), "force": (0.0, 0.0, 0.0), "holds": False},
        ),
        "interpolation": "cubic",
        "link": "cube",
    },
    ("input_device", "network"): {"port": 0},
    **{
        ("sensor", name): {"foot": "foot"}
        for name in ("force_torque", "contact_switch", "center_of_pressure")
    },
}
"""Settings of plugins that cannot be made without."""
SCENES = {
    ("controller", "trot"): "quadruped/trot",
    ("controller", "momentum_balance"): "humanoid/balancing",
}
"""Where controllers are looked at that need a robot of their kind."""


def skip_what_is_not_installed(role, name):
    if reason := missing(REGISTRY.find(role, name)):
        pytest.skip(reason)


LONG = {"moreau_midpoint", "trot", "momentum_balance"}
"""Plugins whose checks take longest; of each role others are looked at in every run."""
IN_TURN = [long(one, names=2) if one[1] in LONG else one for one in BUNDLED]
SLOW = {"friction_level", "friction_tilted"}
"""Checks that take most of a law's time: of these laws in every run, of others as long tests."""
ALWAYS = {"gauss_discrete", "coulomb"}


@pytest.mark.parametrize(("role", "name"), IN_TURN)
def test_a_bundled_plugin_conforms(role, name):
    left_out(role, name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for role, name in BUNDLED if role == "contact"])
def test_friction_of_a_bundled_law_holds_in_every_direction(name):
    passes("contact", name, [c for c in footfall.testing.checks("contact") if c.name in SLOW])


@cache
def left_out(role, name):
    """Run the checks of a bundled plugin that are not slow; return the names of those left out."""
    slow = set() if name in ALWAYS else SLOW
    checks = [check for check in footfall.testing.checks(role) if check.name not in slow]
    return passes(role, name, checks)


def passes(role, name, checks):
    """Run some checks of a bundled plugin; return the names of those that are not about it."""
    skip_what_is_not_installed(role, name)
    where, others = SCENES.get((role, name)), set()

    def conforms(check):
        subject = subject_of(role, name, REGISTRY, CONFIGS.get((role, name)), scene=where)
        try:
            finding = check.examine(subject)
        except footfall.testing.NotApplicable:
            others.add(check.name)
            return
        assert finding.passed, footfall.testing.check.describe(finding)

    run([(str(check), partial(conforms, check)) for check in checks])
    return others


def adapters():
    """Settings of the solvers that offer several backends, one of each; all but one are long."""
    for entry in REGISTRY.solver:
        found = [] if entry.missing else [keys for keys in settings_of(entry.load()) if keys]
        yield from first(
            *(
                pytest.param(entry.name, keys, id=f"{entry.name}-{next(iter(keys.values()))}")
                for keys in found
            )
        )


@pytest.mark.parametrize(("name", "config"), list(adapters()))
def test_every_backend_of_an_adapter_conforms(name, config):
    footfall.testing.assert_conforms("solver", name, config=config)


@pytest.mark.long
def test_a_law_conforms_with_another_qp_solver():
    skip_what_is_not_installed("solver", "casadi")
    footfall.testing.assert_conforms("contact", "gauss_discrete", solver="casadi")


def test_tilted_and_lifted_planes_conform():
    config = {"normal": (0.3, -0.2, 0.9), "offset": 0.4, "friction": 0.5}
    footfall.testing.assert_conforms("terrain", "plane", config=config)


@pytest.mark.parametrize(
    "motion",
    [
        {"kind": "constant", "velocity": (1.0, 0.0, 0.2), "angular_velocity": (0.1, 0.2, 0.5)},
        {"kind": "sine", "frequency": 1.0, "rotation_amplitude": (0.2, 0.1, 0.0)},
        {"kind": "function", "function": "tests.plugins.ground_functions:roll"},
    ],
    ids=lambda motion: motion["kind"],
)
def test_moving_planes_conform(motion):
    config = {"normal": (0.1, 0.0, 1.0), "pivot": (0.3, 0.2, -0.4), "motion": motion}
    patches = [{"y": (0.0, 1.0), "restitution": 0.3}]
    settings = {**config, "friction": 0.5, "patches": patches}
    footfall.testing.assert_conforms("terrain", "moving", config=settings)


def test_explicit_gains_conform():
    footfall.testing.assert_conforms("controller", "posture", config={"method": "explicit"})


def test_every_role_has_a_bundled_plugin():
    assert {role for role, _ in BUNDLED} == set(footfall.testing.roles())


@pytest.mark.parametrize(
    ("role", "name", "checks"),
    [
        ("contact", "coulomb", {"equality", "slopes"}),
        (
            "contact",
            "gauss_discrete",
            {
                "natural_map",
                "natural_map_singular",
                "natural_map_mass_ratio",
                "natural_map_limits",
                "reported_residual",
                "complementarity",
                "rotation",
                "sliding",
                "restitution",
                "bounce",
                "slopes",
            },
        ),
        ("engine", "pinocchio", set()),
        ("solver", "proxqp", set()),
    ],
)
def test_only_what_a_plugin_does_not_declare_is_left_out(role, name, checks):
    assert left_out(role, name) == checks
