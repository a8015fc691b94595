"""Schedules and bodies for the balancing controller's tests."""

import json

import footfall
from footfall_controllers.balance.settings import MomentumBalanceConfig

TWO_FEET = ("l_sole", "r_sole")
WEIGHT_SHIFT = [
    {"start": 0.0, "feet": ["l_sole", "r_sole"]},
    {
        "start": 0.2,
        "feet": ["l_sole", "r_sole"],
        "over": {"l_sole": 1.0},
        "transition": 1.2,
    },
    {"start": 1.6, "feet": ["l_sole"], "lift": {"r_sole": [0.0, 0.0, 0.05]}, "transition": 0.8},
]


def balance(scene="humanoid/standing", phases=None, **settings):
    """Return a simulator whose (only) body balances on its feet."""
    body = scene.split("/")[0]
    controller = {"plugin": "momentum_balance", "phases": phases or WEIGHT_SHIFT, **settings}
    return footfall.load(scene, {f"bodies.{body}.controller": controller})


def standing(feet):
    """Return the schedule of a body that stands still on some feet."""
    return [{"start": 0.0, "feet": list(feet)}]


def config_of(phases, **settings):
    """Return the controller's settings as a scene file gives them."""
    return MomentumBalanceConfig.model_validate_json(json.dumps({"phases": phases, **settings}))
