"""What an environment refuses, in one line; and what it costs not to have Gymnasium."""

import subprocess
import sys

import numpy as np
import pytest
from tests.cases import each

from footfall.errors import FootfallError

pytest.importorskip("gymnasium")

import footfall_gym
from footfall_gym import PostureNoise, SceneEnv

RRBOT = {"scene": "rrbot/swing", "bound": 5.0}


@each(
    ("arguments", "message"),
    [
        ({"scene": "rrbot/swung"}, "rrbot/swing"),
        (
            {"scene": "rrbot/swing"},
            r"^bound: the robot has no torque limit for joint1: .*N m or",
        ),
        ({**RRBOT, "action": "postur"}, "^action: .*'posture'"),
        ({**RRBOT, "action": "posture"}, 'controller "zero" commands none for joint1'),
        ({**RRBOT, "bound": {"joint3": 1.0}}, "^bound: .*'joint3', did you mean 'joint"),
        ({**RRBOT, "bound": -1.0}, "^bound: joint1 got -1.0, allowed is a number above 0"),
        ({**RRBOT, "bound": float("nan")}, "^bound: joint1 got nan"),
        ({**RRBOT, "joints": ["jiont1"]}, "^joints: .*'jiont1', did you mean 'joint1'"),
        ({**RRBOT, "joints": []}, "^joints: the scene has no joint"),
        ({"scene": "cube/drop"}, "^joints: the scene has no joint"),
        ({**RRBOT, "observe": ["*/imu/*"]}, r"^observe: .*there are: rrbot/joint_positions"),
        ({**RRBOT, "observe": []}, "^observe: got no pattern"),
        ({**RRBOT, "layout": "list"}, '^layout: .*"flat" or "dict"'),
        ({**RRBOT, "frame_skip": 0}, "^frame_skip: got 0"),
        ({**RRBOT, "duration": 0.01}, "^duration: got 0.01 s"),
        ({**RRBOT, "duration": float("nan")}, "^duration: got nan s"),
        ({**RRBOT, "start": "nowhere.state"}, "^no such state file: nowhere.state"),
        ({**RRBOT, "render_mode": "rgb_array"}, "^render_mode: .*no pictures"),
    ],
)
def test_a_bad_argument_is_one_line_that_names_it(arguments, message):
    with pytest.raises(FootfallError, match=message) as caught:
        SceneEnv(**arguments)
    assert len(str(caught.value).splitlines()) == 1


def test_a_bad_action_or_option_is_refused():
    env = SceneEnv(**RRBOT)
    env.reset(seed=0)
    for action in (np.zeros(3), np.array([0.0, np.nan])):
        with pytest.raises(FootfallError, match=r"^action: .*expected 2 finite numbers"):
            env.step(action)
    with pytest.raises(FootfallError, match=r"^options: no option 'states', did you mean 'state'"):
        env.reset(options={"states": 1})


@each("value", [None, float("nan"), [1.0, 2.0], "much"])
def test_a_reward_that_is_no_number_is_refused(value):
    env = SceneEnv(**RRBOT, reward=lambda sim, action: value)
    env.reset(seed=0)
    with pytest.raises(FootfallError, match=r"^reward returned .*, not a finite number"):
        env.step(np.zeros(2))


def test_noise_of_the_posture_is_not_negative_and_opens_no_loop():
    with pytest.raises(FootfallError, match=r"^PostureNoise: position: got -1.0"):
        PostureNoise(-1.0)
    env = SceneEnv("fourbar/swinging", bound=1.0, randomize=PostureNoise(0.1))
    with pytest.raises(FootfallError, match=r"^PostureNoise: fourbar has closed loops"):
        env.reset(seed=0)


def test_make_needs_no_import_of_the_package():
    """Gymnasium imports what stands before the colon."""
    code = (
        "import gymnasium\nscene = 'pendulum/swing'\n"
        "env = gymnasium.make('footfall_gym:footfall/Scene-v0', scene=scene, bound=1.0)\n"
        "print(env.action_space.shape, env.spec.id)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(1,) footfall/Scene-v0\n"


def test_importing_the_package_loads_no_simulator():
    code = "import sys, footfall_gym\nprint([n for n in sys.modules if n.startswith('footfall')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['footfall_gym']\n"
    with pytest.raises(AttributeError, match="no attribute 'Scene'"):
        footfall_gym.Scene  # noqa: B018


def test_without_gymnasium_the_import_says_what_to_install():
    code = "import sys; sys.modules['gymnasium'] = None\nimport footfall_gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        'ImportError: footfall_gym needs "gymnasium": pip install -e ".[gym]"'
    )
