"""Scenes with hands, and devices that say what a test lets them say."""

import numpy as np

from footfall import assemble
from footfall.interfaces.input_device import InputDevice, Reading
from footfall.interfaces.plugin import NoConfig
from footfall.scene.load import scene_from_dict

DT = 1e-3


class Told(InputDevice):
    """Says what it is given as a function of time, and keeps what it feels."""

    name = "told"

    def __init__(self, say, *, live=True):
        self.config = NoConfig()
        self.say, self.felt, self.live = say, [], live
        self.opened = 0

    def open(self):
        self.opened += 1

    def read(self, time):
        return self.say(time)

    def feel(self, time, force, moment):
        self.felt.append((time, force.copy(), moment.copy()))

    def close(self):
        self.opened -= 1


def light_box(hand, *, mass=0.05, step=DT, gravity=(0.0, 0.0, 0.0), **more):
    """Return a box of 10 cm that floats a metre above the ground, and a hand of it."""
    scene = scene_from_dict(
        {
            "simulation": {"duration": 1.0, "time_step": step},
            "world": {"gravity": gravity, "terrain": {"friction": 0.5}},
            "bodies": {
                "box": {
                    "shape": {"type": "box", "size": (0.1, 0.1, 0.1)},
                    "mass": mass,
                    "base_position": (0.0, 0.0, 1.0),
                    **more,
                }
            },
            "hands": {"right": {"device": {"plugin": "mouse"}, **hand}},
        }
    )
    return assemble(scene)


def teach(sim, say):
    """Let the hand of a simulation be moved by a function of time."""
    device = Told(say)
    sim.hands["right"].device = device
    return device


def at(position, link="object", point=(0.0, 0.0, 0.0), **more):
    """Return a reading of a closed hand."""
    where = None if point is None else np.array(point, float)
    return Reading(True, np.array(position, float), link=link, point=where, **more)
