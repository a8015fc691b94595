"""Claims that a check needs of the laws; each returns None or why they do not make it."""

from __future__ import annotations

from collections.abc import Callable

from footfall.api.contact import BlockKind, ImpulseLaw
from footfall.api.plugin import Capability
from footfall_validate.combination import Combination

Claim = Callable[[Combination], str | None]


def friction(laws: Combination) -> str | None:
    """Require that the law declares friction."""
    if laws.contact.can(Capability.FRICTION):
        return None
    return 'the law does not declare "friction"'


def tilted(laws: Combination) -> str | None:
    """Require that the law, and an active impact model, declare tilted ground."""
    capability = Capability.TILTED_TERRAIN
    if not laws.contact.can(capability):
        return f'the law does not declare "{capability.value}"'
    if laws.impacts_act and not laws.impact.can(capability):
        return f'the impact model does not declare "{capability.value}"'
    return None


def isotropic(laws: Combination) -> str | None:
    """Require friction of mu in every direction."""
    excess = laws.contact.claims.anisotropy
    return f"friction up to {1.0 + excess:.2f} mu, depending on the direction" if excess else None


def slides(laws: Combination) -> str | None:
    """Require that a sliding body is slowed by mu times the normal force, and not lifted."""
    return (
        None if laws.contact.claims.slides else "declares that it does not slide by Coulomb's law"
    )


def moments(laws: Combination) -> str | None:
    """Require that law and impact model declare torsional and rolling friction."""
    for subject in (laws.contact, *((laws.impact,) if laws.impacts_act else ())):
        if BlockKind.MOMENT not in getattr(subject.cls, "blocks", ()):
            return "declares no torsional and rolling friction: such scenes are rejected"
    return None


def sticks(laws: Combination) -> str | None:
    """Require that a sticking point does not creep."""
    return f"creeps at up to {laws.creep:g} m/s while it sticks" if laws.creep else None


def exact(laws: Combination) -> str | None:
    """Require that the law solves Signorini's condition and Coulomb's law."""
    if laws.contact.claims.residual is None:
        return "solves other equations than Signorini's condition and Coulomb's law"
    return None


def velocities(laws: Combination) -> str | None:
    """Require that the law finds the impulses of a step."""
    if issubclass(laws.contact.cls, ImpulseLaw):
        return None
    return "a force law: it has no answer within a step"


def restitution(laws: Combination) -> str | None:
    """Require that the plugin that resolves impacts declares restitution."""
    return None if laws.restitutes else "declares no restitution"


def rigid(laws: Combination) -> str | None:
    """Require that points at rest are not inside the ground, so that nothing springs back."""
    if laws.contact.make().rest_depth(1.0):
        return "the law is compliant: its springs and dampers set the bounce"
    return None


def absorbed(laws: Combination) -> str | None:
    """Require that the law or an impact model stops approaching points at once."""
    if laws.impacts_act or laws.contact.cls.absorbs_impacts:
        return None
    return "nothing resolves impacts: no impact model, and the law absorbs none"


def unilateral(laws: Combination) -> str | None:
    """Require that impacts let points leave the ground, with friction inside the cone."""
    if laws.impacts_act and laws.impact.cls.bilateral:
        return "the impact model holds every touching point, also by pulling"
    return absorbed(laws)


def isotropic_impacts(laws: Combination) -> str | None:
    """Require friction of mu in every direction in impacts."""
    excess = laws.impact.claims.anisotropy if laws.impacts_act else 0.0
    if excess:
        return f"friction in impacts up to {1.0 + excess:.2f} mu, depending on the direction"
    return isotropic(laws)
