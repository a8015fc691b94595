"""Write a contact law as a kernel, which Footfall compiles into its step.
You see a cube slide to a stop under your law, and the time of a compiled step."""

import footfall
from footfall.api.contact import ForceLaw, ProblemSize, problem_from_arrays
from footfall.api.kernels import bind, kernel
from footfall.api.plugin import Capability


@kernel
def forces(table, k, c, creep, out):
    """Write the forces [N]: f_n = k depth - c u_n, and friction mu f_n against the sliding."""
    problem = problem_from_arrays(table)
    for i in range(problem.size[ProblemSize.BLOCKS]):
        row = 3 * i  # two tangents, then the normal
        x, y, z = problem.velocity[row], problem.velocity[row + 1], problem.velocity[row + 2]
        f = max(-k * problem.gap[i] - c * z, 0.0) if problem.gap[i] < 0.0 else 0.0
        friction = problem.mu[i] * f / max((x * x + y * y) ** 0.5, creep)
        out[row], out[row + 1], out[row + 2] = -friction * x, -friction * y, f


class Springs(ForceLaw):
    name, capabilities = "springs", frozenset({Capability.FRICTION})
    absorbs_impacts = True  # no impact model is needed

    def bound(self, problem, state, rate, out):  # once: the step calls the kernel without Python
        return bind(forces, problem.table, 2e4, 100.0, 0.01, out)  # [N/m], [N s/m], [m/s]

    def force(self, problem, state, rate, out):
        self.bound(problem, state, rate, out)()


registry = footfall.discover()
registry.contact.add("springs", lambda: Springs, summary="springs and dampers")
scene = footfall.load_scene("cube/sliding", {"contact.plugin": "springs"}, registry)
sim = footfall.assemble(scene, registry)
report = sim.record()
print(f"stops after {sim.q[0]:.3f} m; a step takes {1e6 * report.typical_step:.0f} us")
