"""Write a controller as a class that uses the dynamics of its body.
You see a double pendulum rise like critically damped oscillators."""

import numpy as np

import footfall
from footfall.api.device import Controller

FREQUENCY = 5.0  # of the wanted motion, [rad/s]


class ComputedTorque(Controller):
    """Give each joint the torque of the acceleration -2 w s' - w^2 s."""

    name = "computed_torque"

    def setup(self, model, posture):
        """Keep the friction of the joints, [N m s/rad]."""
        self.damping = model.damping.copy()

    def command(self, observation, command):
        """Command the torques, [N m], from the signals of the body at this instant."""
        body, w = observation.signals, FREQUENCY
        s, s_dot = body.joint_positions, body.nu
        wanted = -2.0 * w * s_dot - w**2 * s
        inertia = body.mass_matrix + body.motor_inertia
        command.tau[:] = inertia @ wanted + body.bias_force + self.damping * s_dot


registry = footfall.discover()
registry.controller.add("computed_torque", lambda: ComputedTorque, summary="computed torques")
changes = {"bodies.rrbot.controller.plugin": "computed_torque"}
run = footfall.assemble(footfall.load_scene("rrbot/swing", changes, registry), registry).run(2.0)

s, t = run.joint_position.values, run.time.values[:, None]
closed_form = s[0] * (1.0 + FREQUENCY * t) * np.exp(-FREQUENCY * t)
print(f"starts at {s[0].round(3)} rad, ends at {s[-1].round(4)} rad")
print(f"at most {np.abs(s - closed_form).max():.1e} rad from s0 (1 + w t) exp(-w t)")
