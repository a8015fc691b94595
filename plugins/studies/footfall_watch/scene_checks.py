"""What is refused of a scene before it is compiled for: keys without effect, what cannot be."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from footfall.api.contact import ForceLaw, Need
from footfall.api.errors import nearest
from footfall.api.integrator import Continuous, Integrator, OneStep
from footfall.api.plugin import Capability

if TYPE_CHECKING:
    from footfall_stepper.api import Assembly


GROUND = "terrain"
"""What the ground is called in pairs."""
LENGTHS = ("torsional_friction", "rolling_friction")


def check_contacts(made: Assembly) -> None:
    """Refuse features that the ground cannot meet, and coefficients of contacts that do not exist.

    Raises:
        SceneError: names the feature and what the ground can meet; or the key, and the nearest
            name that there is.
    """
    scene, terrain = made.scene, made.physics.terrain
    names: dict[str, list[str]] = {name: [] for name in scene.bodies}
    for body in made.world.bodies:
        for feature in body.features:
            foot = [] if feature.foot is None else [feature.foot.name]
            names[body.name] += [feature.name, *foot, body.model.link_names[feature.link]]
            if feature.kind not in terrain.kinds:
                raise scene.error(
                    f"meets {' and '.join(sorted(terrain.kinds))} features alone: a {feature.kind} "
                    "takes the ground below it as one plane, and "
                    f"{body.name}/{feature.name} is one",
                    *("world", "terrain", "plugin"),
                )
    collider = made.world.collider
    for shape in collider.shapes if collider is not None else ():
        one, link, _ = shape.name.split("/")
        if one in names:
            names[one].append(link)
    for name, table in scene.bodies.items():
        known = list(dict.fromkeys(names[name]))
        for pattern in table.contacts:
            if not any(fnmatchcase(each, pattern) for each in known):
                hint = nearest(pattern, known) or f" (there are {', '.join(known) or 'none'})"
                where = "bodies", name, "contacts", pattern
                raise scene.error(f"no contact, foot or link of {name} is called so{hint}", *where)


def check_moments(made: Assembly) -> None:
    """Refuse torsional and rolling friction where it would not act.

    Raises:
        SceneError: on a ground that moves, how it turns is not known; and what has neither contact
            points nor shapes that touch others has no contacts.
    """
    scene, collider = made.scene, made.world.collider
    moves = Capability.MOVING_GROUND in made.physics.terrain.capabilities
    declare = {name.split("/")[0] for name in made.world.contact_names}
    shaped = {shape.name.split("/")[0] for shape in (collider.shapes if collider else ())}
    for path, _ in scene.coefficients():
        name = str(path[1])
        if path[-1] not in LENGTHS:
            continue
        if moves and (name in declare or GROUND in name.split("/")):
            ground = f"the ground {scene.world.terrain.plugin} moves"
            raise scene.error(f"{ground}, and how it turns is not known", *path)
        if path[0] == "bodies" and name not in declare | shaped:
            why = f"{name} declares no contact points, and no shape of it touches anything"
            raise scene.error(f"has no effect: {why}", *path)


def check_effects(made: Assembly) -> None:
    """Refuse controllers of bodies that have nothing to be driven, and objects nothing can touch.

    Raises:
        SceneError: for the first one.
    """
    scene = made.scene
    joints = {body.name: len(body.model.joint_names) for body in made.world.bodies}
    for name, body in scene.bodies.items():
        driven = body.controller.plugin != "zero" or body.pace.model_fields_set
        if driven and not joints.get(name):
            why = "on a fixed object" if body.fixed else f": {name} has no joints"
            told = f"has no effect{' ' if body.fixed else ''}{why}"
            raise scene.error(told, "bodies", name, "controller")
        if body.fixed and not scene.detects:
            raise scene.error(
                "has no effect: nothing touches it with [collisions] detect = false",
                *("bodies", name, "fixed"),
            )


def check_accelerations(made: Assembly) -> None:
    """Refuse a law that is stated with accelerations where surfaces are curved.

    Raises:
        SceneError: names the laws that can; it would need the surfaces' curvature.
    """
    scene, law = made.scene, made.physics.contact
    if Need.JDOT_V not in law.needs:
        return
    if made.world.collider is not None:
        here = "bodies can touch each other: [collisions] detect = false leaves that out, or take"
    elif Capability.CURVED_TERRAIN in made.physics.terrain.capabilities:
        here = f'the ground "{scene.world.terrain.plugin}" can be curved: take'
    else:
        return
    others = [
        name for name, cls in made.registry.contact.loadable() if Need.JDOT_V not in cls.needs
    ]
    raise scene.error(
        f'contact "{scene.contact.plugin}" knows contacts with a flat ground alone, and here '
        f"{here} {', '.join(others[:-1])} or {others[-1]}",
        *("contact", "plugin"),
    )


def check_continuous_time(made: Assembly) -> None:
    """Refuse what an integrator of continuous time has no place for.

    Raises:
        SceneError: for limits and friction of joints, contacts between bodies, an impact model that
            acts, or a setting of time steps.
    """
    scene, registry = made.scene, made.registry
    if not isinstance(made.physics.integrator, Continuous):
        return
    integrator, world = f'integrator "{scene.integrator.plugin}"', made.world
    if world.joint_row_names:
        raise scene.error(
            f"{integrator} has no place for limits and friction of joints "
            f"({world.joint_row_names[0]}): choose a one-step integrator",
            *("integrator", "plugin"),
        )
    if world.collider is not None:
        steps = [n for n, cls in registry.integrator.loadable() if not issubclass(cls, Continuous)]
        raise scene.error(
            f"{integrator} knows no contacts between bodies "
            f"(integrators that do: {', '.join(steps)})",
            *("integrator", "plugin"),
        )
    if made.physics.impact.acts:
        raise scene.error(
            f'{integrator} makes no impacts, and impact "{scene.impact.plugin}" acts: choose '
            f'impact.plugin = "none" or a time-stepping integrator',
            *("impact", "plugin"),
        )
    for key in scene.simulation.OF_TIME_STEPPING:
        if key in scene.simulation.model_fields_set:
            raise scene.error(
                f"has no effect: it belongs to time stepping, not {integrator}; leave it out",
                *("simulation", key),
            )


def check_scheme(made: Assembly) -> None:
    """Refuse explicit positions beside a law that needs them to move with the new velocity.

    Raises:
        SceneError: names the integrators that do.
    """
    scene, law = made.scene, made.physics.contact
    name = scene.integrator.plugin
    if law.explicit_position or not _is_explicit(made.physics.integrator):
        return
    sound = [
        each
        for each, other in made.registry.integrator.loadable()
        if each != name
        and not (issubclass(other, Continuous) and not isinstance(law, ForceLaw))
        and not _is_explicit(other(other.Config.model_construct()))  # type: ignore[call-arg]
    ]
    raise scene.error(
        f'integrator "{name}" moves positions with the old velocity, which does not suit '
        f'contact "{scene.contact.plugin}" (integrators that do: {", ".join(sound) or "none"})',
        *("integrator", "plugin"),
    )


def _is_explicit(scheme: Integrator) -> bool:
    return isinstance(scheme, OneStep) and scheme.theta == 0.0


def check_delassus(made: Assembly) -> None:
    """Refuse a method of the Delassus matrix that does not know all that is in the problem.

    Raises:
        SceneError: says what.
    """
    scene, world = made.scene, made.world
    method = scene.simulation.delassus
    if method == "sparse" or not made.registry.find("delassus", method).load().open_chains_only:
        return
    there = {
        "closed loops": bool(world.loop_names),
        "limits or friction of joints": bool(world.joint_row_names)
        and bool(world.joint_rows.active.any()),
        "drives that couple joints": bool(len(world.joints.coupling)),
        "torsional or rolling friction": world.moments,
    }
    for what, found in there.items():
        if found:
            told = f'"{method}" does not know {what}: choose "sparse"'
            raise scene.error(told, "simulation", "delassus")


def check_order(made: Assembly) -> None:
    """Refuse impacts after the forces where the forces are those of the middle of the step.

    The velocity of an impact is that of the start, and would meet the middle's positions.

    Raises:
        SceneError: if so; names the key.
    """
    scheme, table = made.physics.integrator, made.scene.simulation
    if isinstance(scheme, OneStep) and scheme.by_middle and table.impact_order == "after_contact":
        raise made.scene.error(
            f'integrator "{scheme.name}" finds forces in the middle of a step, which an impact '
            'after them does not know of: leave it at "before_contact"',
            *("simulation", "impact_order"),
        )
