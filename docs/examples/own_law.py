"""Write a contact law in Python and run a scene with it.
You see a cube slide to a stop where the closed form predicts."""

import numpy as np

import footfall
from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Capability


class Sweeps(ImpulseLaw):  # Signorini's condition and Coulomb's cone, contact by contact
    name, margin = "sweeps", 1e-3  # points up to this gap [m] take part
    capabilities = frozenset({Capability.FRICTION, Capability.TILTED_TERRAIN})

    def solve(self, problem, state):
        """Find the impulses r [N s]: u = W r + b, for each contact two tangents and the normal."""
        problem.correction[:] = problem.offset[:] = 0.0
        if not problem.impulsive:  # a point may close its gap within the step
            problem.offset[2::3] = np.maximum(problem.gap, 0.0) / problem.dt
        W, b, r = problem.delassus(), problem.free_velocity + problem.offset, problem.impulse
        sweeps, change = 0, 1.0  # largest change of a velocity, [m/s]
        while change > 1e-9 and sweeps < 200:
            before, sweeps = r.copy(), sweeps + 1
            for i, mu in enumerate(problem.mu):
                row = slice(3 * i, 3 * i + 3)
                new = r[row] - (W[row] @ r + b[row]) / W[row, row].diagonal()
                new[2] = max(new[2], 0.0)  # the ground only pushes
                new[:2] *= min(1.0, mu * new[2] / (np.hypot(*new[:2]) + 1e-300))  # the cone
                r[row] = new
            change = np.abs(W @ (r - before)).max(initial=0.0)
        problem.report.write(sweeps, change)


registry = footfall.discover()
registry.contact.add("sweeps", lambda: Sweeps, summary="projected Gauss-Seidel")
scene = footfall.load_scene("cube/sliding", {"contact.plugin": "sweeps"}, registry)
run = footfall.assemble(scene, registry).run()
print(f"stops after {float(run.q[-1, 0]):.3f} m; v^2 / (2 mu g) = {6.0**2 / 9.81:.3f} m")
