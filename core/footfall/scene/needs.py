"""The capability check: compares a scene's needs with the chosen plugins' declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from footfall.config.toml import dotted, parse_key
from footfall.interfaces.contact import ForceLaw
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability, Plugin
from footfall.problem.arrays import BlockKind
from footfall.registry.registry import Registry
from footfall.scene.scene import Scene
from footfall.scene.schema import BaseKind, Pair


def impacts_act(scene: Scene, registry: Registry) -> bool:
    """Return whether the scene's impact model is not the null model."""
    return registry.impact[scene.impact.plugin].load().acts


def check_impact_order(scene: Scene, registry: Registry) -> None:
    """Reject an order of impacts that would have no effect.

    Raises:
        SceneError: if impacts are to come after contact forces, but no impact model acts.
    """
    if scene.simulation.impact_order == "after_contact" and not impacts_act(scene, registry):
        raise scene.error(
            f'has no effect: impact "{scene.impact.plugin}" does nothing; '
            'choose another impact model or impact_order = "before_contact"',
            *("simulation", "impact_order"),
        )


def impact_notes(scene: Scene, registry: Registry) -> Iterator[str]:
    """Yield a note if both the impact model and the contact law stop approaching points."""
    absorbs = registry.contact[scene.contact.plugin].load().absorbs_impacts
    if absorbs and impacts_act(scene, registry) and not scene.set_aside:
        yield (
            f'impact "{scene.impact.plugin}" acts as well as contact "{scene.contact.plugin}", '
            "which absorbs impacts by itself"
        )


def simulator_notes(scene: Scene) -> Iterator[str]:
    """Yield a note of the unused settings if another simulator makes the steps."""
    if scene.set_aside:
        aside = [f'{name} "{getattr(scene, name).plugin}"' for name in scene.LAWS]
        table = scene.simulation
        keys = [key for key in table.OF_TIME_STEPPING[1:] if key in table.model_fields_set]
        aside += [f"simulation.{key}" for key in keys]
        yield (
            f'simulator "{scene.simulator.plugin}" makes the steps; not used: {", ".join(aside)}; '
            f'engine "{scene.engine.plugin}" describes the bodies, for signals and energies'
        )


_BASES: dict[BaseKind, Capability] = {
    "floating": Capability.FLOATING_BASE,
    "fixed": Capability.FIXED_BASE,
    "planar": Capability.PLANAR_BASE,
}


@dataclass(frozen=True, slots=True)
class Need:
    """A feature that the plugins of a role must support.

    Attributes:
        what: a capability, or a kind of block that a contact law must solve.
        role: role of the plugins.
        because: the reason in the scene, e.g. ``bodies.ball.restitution is 0.8``.
    """

    what: Capability | BlockKind
    role: str
    because: str

    @property
    def title(self) -> str:
        """The need as text."""
        if self.what is BlockKind.MOMENT:
            return "torsional and rolling friction"
        if isinstance(self.what, BlockKind):
            return f"{self.what.name.lower()} blocks"
        return self.what.value

    def is_met_by(self, cls: type[Plugin]) -> bool:
        """Return whether a plugin declares it."""
        if isinstance(self.what, BlockKind):
            return self.what in getattr(cls, "blocks", ())
        return self.what in cls.capabilities


def base_need(body: str, base: BaseKind) -> Need:
    """Return the need of a body's base for the engine."""
    return Need(_BASES[base], "engine", f"the base of {body} is {base}")


def restitution_need(scene: Scene, registry: Registry, because: str) -> Need:
    """Return the need for restitution: for the impact model if one acts, else for the law."""
    role = "impact" if impacts_act(scene, registry) else "contact"
    return Need(Capability.RESTITUTION, role, because)


def contact_needs(
    scene: Scene, registry: Registry, what: Capability | BlockKind, because: str
) -> Iterator[Need]:
    """Yield a need for the law, and for the impact model if one acts."""
    yield Need(what, "contact", because)
    if impacts_act(scene, registry):
        yield Need(what, "impact", because)


def scene_needs(scene: Scene, registry: Registry) -> Iterator[Need]:
    """Yield the needs of the scene file alone; robots and the ground may add more."""
    if len(scene.bodies) > 1:
        because = f"there are {len(scene.bodies)} bodies"
        yield from contact_needs(scene, registry, Capability.SEVERAL_BODIES, because)
    for name, body in scene.bodies.items():
        if body.base:
            yield base_need(name, body.base)
    for path, value in scene.coefficients():
        because = f"{dotted(path)} is {value:g}"
        if path[-1] in Pair.LENGTHS:
            yield from contact_needs(scene, registry, BlockKind.MOMENT, because)
        elif path[0] == "world":
            continue  # the assembled ground adds this need: patches have coefficients too
        elif path[-1] == "friction":
            yield Need(Capability.FRICTION, "contact", because)
        else:
            yield restitution_need(scene, registry, because)


def check_needs(scene: Scene, needs: Iterable[Need], registry: Registry) -> None:
    """Reject a scene whose plugins do not meet its needs.

    Args:
        scene: the scene; its own needs are checked too.
        needs: needs of its robots and its ground.
        registry: the installed plugins, to name suitable ones.

    Raises:
        SceneError: for the first need that is not met; names plugins that meet it.
    """
    for need in (*scene_needs(scene, registry), *needs):
        for key, choice in scene.choices():
            if choice.role == need.role and not need.is_met_by(
                registry.find(choice.role, choice.plugin).load()
            ):
                raise scene.error(
                    f'{choice.role} "{choice.plugin}" cannot do {need.title}, needed because '
                    f"{need.because} ({_who_can(need, registry)})",
                    *parse_key(key),
                    "plugin",
                )
    if not scene.set_aside:
        _check_integrator(scene, registry)


def _who_can(need: Need, registry: Registry) -> str:
    """Return the names of installed plugins that meet a need; two roles can give restitution."""
    roles = [need.role]
    if need.what is Capability.RESTITUTION:
        roles = ["contact", "impact"]
    found = []
    for role in roles:
        names = [name for name, cls in registry.catalog(role).loadable() if need.is_met_by(cls)]
        if names:
            found.append(f"{role} plugins that can: {', '.join(names)}")
    return "; ".join(found) or f"no installed {' or '.join(roles)} plugin can"


def _check_integrator(scene: Scene, registry: Registry) -> None:
    """Reject impulse laws in continuous time.

    Raises:
        SceneError: names the laws and integrators that fit.
    """
    law = registry.contact[scene.contact.plugin].load()
    integrator: type[Any] = registry.integrator[scene.integrator.plugin].load()
    if issubclass(integrator, Continuous) and not issubclass(law, ForceLaw):
        laws = [name for name, cls in registry.contact.loadable() if issubclass(cls, ForceLaw)]
        fit = [
            name for name, cls in registry.integrator.loadable() if not issubclass(cls, Continuous)
        ]
        raise scene.error(
            f'integrator "{scene.integrator.plugin}" integrates forces, and contact '
            f'"{scene.contact.plugin}" answers with impulses over a step (contact plugins that '
            f"fit: {', '.join(laws) or 'none'}; integrators that fit this law: "
            f"{', '.join(fit) or 'none'})",
            *("integrator", "plugin"),
        )
