"""Featherstone's compliant ground as a contact law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from footfall.api.contact import ContactProblem, ForceLaw, LawState
from footfall.api.kernels import bind
from footfall.api.plugin import Capability, Floats, PluginConfig, SolverError, StatePart, Tunable
from footfall_compliant import kernels
from footfall_compliant.law import recovery_time, stiffness

STIFFNESS = 1e6
"""Default K, [N/m^1.5]: 1 mm under 32 N per point."""
RECOVERY_TIME = 2e-3
"""Default D/K, [s]."""


class CompliantConfig(PluginConfig):
    """Settings of the law: the ground's stiffness under a point and its recovery time."""

    stiffness: Annotated[float | None, Tunable(1e3, 1e8, logarithmic=True, otherwise="K")] = Field(
        default=None, gt=0.0
    )
    """Stiffness K of a point, [N/m^1.5]: the force ``K d^1.5`` presses it in by d. Default: 1e6, or
    from ``force`` and ``compression``."""
    force: float | None = Field(default=None, gt=0.0)
    """Force F on a point, [N]. Give it with ``compression`` instead of ``stiffness``."""
    compression: float | None = Field(default=None, gt=0.0)
    """Depth d at which a point rests under ``force``, [m]: ``K = F / d^1.5``."""
    damping: Annotated[float | None, Tunable(1.0, 1e6, logarithmic=True, otherwise="D")] = Field(
        default=None, gt=0.0
    )
    """Damping D of a point, [N s/m^1.5]. Give either this or ``recovery_time``."""
    recovery_time: float | None = Field(default=None, gt=0.0)
    """Time constant D/K in which unloaded ground recovers, [s]. Default: 0.002. With a smaller
    value bodies bounce higher and need shorter steps."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""

    @model_validator(mode="after")
    def _one_way(self) -> CompliantConfig:
        """Reject keys that would have no effect, and incomplete pairs."""
        if (self.force is None) != (self.compression is None):
            raise ValueError("force and compression go together: K = force / compression^1.5")
        if self.stiffness is not None and self.force is not None:
            raise ValueError("give stiffness, or force and compression, not both")
        if self.damping is not None and self.recovery_time is not None:
            raise ValueError("give damping or recovery_time, not both: damping = recovery_time * K")
        return self

    def in_units(self, of: Callable[[float, str], float]) -> dict[str, Any]:
        """Return the defaults in a scene's units, with the ground's own stiffness."""
        found = super().in_units(of)
        if self.stiffness is None and self.force is None:
            found["stiffness"] = of(STIFFNESS, "N/m^1.5")
        return found

    @property
    def K(self) -> float:  # noqa: N802 - the letters of the law
        """Stiffness of one point, [N/m^1.5]."""
        if self.force is not None and self.compression is not None:
            return stiffness(self.force, self.compression)
        return STIFFNESS if self.stiffness is None else self.stiffness

    @property
    def D(self) -> float:  # noqa: N802
        """Damping of one point, [N s/m^1.5]."""
        if self.damping is not None:
            return self.damping
        return self.K * (RECOVERY_TIME if self.recovery_time is None else self.recovery_time)

    @property
    def time_constant(self) -> float:
        """Time D/K in which the deformation of free ground falls to 1/e, [s]."""
        return recovery_time(self.K, self.D)


class Compliant(ForceLaw):
    """A nonlinear spring and damper under each point, and a spring and damper along the ground.

    Its contact state is the deformation along the ground. The law does not use the coefficient of
    restitution.
    """

    name = "compliant"
    Config = CompliantConfig
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.CONTACT_STATE,
            Capability.IMPLICIT_GAINS,
        }
    )
    state_parts = (StatePart("deformation", "contact", 2, "continuous", "m"),)
    needs = frozenset()
    absorbs_impacts = True

    def __init__(self, config: CompliantConfig) -> None:
        self.config = config
        self._bound: ContactProblem | None = None

    def retune(self, config: PluginConfig) -> None:
        """Use another stiffness and damping; the core then binds the kernels again."""
        assert isinstance(config, CompliantConfig)
        self.config, self._bound = config, None

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def rest_depth(self, force: float) -> float:
        """Return the depth [m] of a point that rests under a force [N]: ``(F / K)^(2/3)``."""
        return float((force / self.config.K) ** (2.0 / 3.0))

    def softness(
        self, force: Floats, speed: Floats, mobility: Floats
    ) -> tuple[Floats, Floats, float]:
        """Return ``1.5 K sqrt(d)`` along the normal, ``K sqrt(d)`` across it, and ``D sqrt(d)``.

        d is the rest depth plus the depth that stops a landing, ``2/5 K d^2.5 = v^2/(2 W)``. A
        sticking point's deformation is advanced with the velocity at the start of the step, which
        is stable for steps up to ``D/K``, for any mass.
        """
        K, ratio = self.config.K, self.config.time_constant
        caught = (1.25 * speed**2 / (K * np.maximum(mobility, 1e-300))) ** 0.4
        root = np.sqrt((force / K) ** (2.0 / 3.0) + caught)
        stiffness = K * root[:, None] * np.array([1.0, 1.0, 1.5])
        return stiffness, ratio * K * root[:, None] * np.ones(3), ratio

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Stiffness, damping and recovery time, for the summary of a run."""
        K, D, tau = self.config.K, self.config.D, 1e3 * self.config.time_constant
        text = f"K {K:.4g} N/m^1.5, D {D:.4g} N s/m^1.5, recovers in D/K = {tau:.4g} ms"
        return (("compliant ground", text),)

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Write the forces and the rate of the deformation; see ``kernels.forces``.

        Raises:
            SolverError: if the problem or the deformation holds NaN or infinity.
        """
        if self.bound(problem, state, rate, out)():
            self.go_on()

    def bound(
        self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats
    ) -> Callable[[], object]:
        """Bind the kernel of ``force`` to arrays that never move."""
        config, u, du = self.config, state["deformation"], rate["deformation"]
        return bind(kernels.forces, problem.table, float(config.K), float(config.D), u, du, out)

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...]:
        """Return the derivatives of the force, with the deformation at the start of the step."""
        K, D, n, i = self.config.K, self.config.D, problem.n_blocks, np.arange(problem.n_blocks)
        u, mu, depth = problem.velocity.reshape(n, 3), problem.mu, np.maximum(-problem.gap, 0.0)
        root, pressing = np.sqrt(depth), K * depth - D * u[:, 2]
        touches = (depth > 0.0) & (pressing > 0.0)
        f, half = np.where(touches, root * pressing, 0.0), np.zeros(n)
        half[touches] = 0.5 / root[touches]
        pull = -K * state["deformation"][problem.candidate] - D * u[:, :2]
        size = np.maximum(root * np.hypot(*pull.T), 1e-300)
        slips = touches & (size > mu * f)
        # Force along the ground: the sticking force, scaled down to mu times the normal force.
        along = np.where(slips, 1.0 / size, 0.0)[:, None] * (root[:, None] * pull)
        share = np.where(slips, mu * f / size, 1.0) * touches
        kept = share[:, None, None] * (np.eye(2) - along[:, :, None] * along[:, None])
        of_u, of_gap, of_mu = np.zeros((n, 3, n, 3)), *np.zeros((2, n, 3, n))
        by_gap, by_speed = -half * pressing - K * root * touches, -D * root * touches
        of_gap[i, 2, i], of_u[i, 2, i, 2] = by_gap, by_speed
        of_gap[i, :2, i] = np.einsum("nab,nb->na", kept, -half[:, None] * pull)
        of_gap[i, :2, i] += (mu * by_gap)[:, None] * along
        of_u[i, :2, i, :2] = -(D * root)[:, None, None] * kept
        of_u[i, :2, i, 2] = (mu * by_speed)[:, None] * along
        of_mu[i, :2, i] = f[:, None] * along
        rows = 3 * n
        by = of_u.reshape(rows, rows), of_gap.reshape(rows, n), of_mu.reshape(rows, n)
        return np.eye(rows), np.zeros((rows, rows)), *(-problem.dt * d for d in by)

    def go_on(self) -> None:
        """Raise the error that explains why there is no force.

        Raises:
            SolverError: always.
        """
        raise SolverError(
            'contact "compliant": the contact problem holds values that are not finite'
        )

    def switching(self, problem: ContactProblem, state: LawState, out: Floats) -> None:
        """Write the switching function of contact, and the friction demand minus 1.

        The first is ``min(-K z, -K z - D zd)``: positive in contact, and linear at its zeros, where
        the point touches and leaves.
        """
        if problem is not self._bound:
            self._bind(problem)
        self._switches(state["deformation"], out)

    def stored_energy(self, problem: ContactProblem, state: LawState) -> float:
        """Return ``sum of 2/5 K d^2.5 + 1/2 K sqrt(d) |u|^2`` over the contacts, [J]."""
        if problem is not self._bound:
            self._bind(problem)
        return float(self._energy(state["deformation"]))

    def bound_energy(
        self, problem: ContactProblem, state: LawState, out: Floats
    ) -> Callable[[], object]:
        """Bind the kernel that writes ``stored_energy``."""
        K, u = float(self.config.K), state["deformation"]
        return bind(kernels.write_energy, problem.table, K, u, out)

    def _bind(self, problem: ContactProblem) -> None:
        """Bind the kernels to a problem's arrays, which a simulator never moves."""
        table, K, D = problem.table, float(self.config.K), float(self.config.D)
        pairs = np.zeros((1, 2))
        self._switches = bind(kernels.switches, table, K, D, like=(pairs, pairs))
        self._energy = bind(kernels.elastic_energy, table, K, like=(pairs,))
        self._bound = problem
