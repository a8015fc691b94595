"""Checks that reject a scene before it is compiled: keys without effect, and contradictions."""

from __future__ import annotations

from fnmatch import fnmatchcase

from footfall.api.contact import ForceLaw, Need
from footfall.api.plugin import Capability, nearest
from footfall.api.world import Continuous, Integrator, OneStep
from footfall_stepper.api import Assembly

GROUND = "terrain"
"""Name of the ground in pairs."""
LENGTHS = ("torsional_friction", "rolling_friction")


def check_contacts(made: Assembly) -> None:
    """Reject features that the ground cannot touch, and coefficients of unknown contacts.

    Raises:
        SceneError: names the feature and the kinds that the ground can touch; or the key, and the
            nearest name.
    """
    scene, terrain = made.scene, made.physics.terrain
    names: dict[str, list[str]] = {name: [] for name in scene.bodies}
    for body in made.world.bodies:
        for feature in body.features:
            foot = [] if feature.foot is None else [feature.foot.name]
            names[body.name] += [feature.name, *foot, body.model.link_names[feature.link]]
            if feature.kind not in terrain.kinds:
                raise scene.error(
                    f"meets only {' and '.join(sorted(terrain.kinds))} features: a {feature.kind} "
                    "takes the ground below it as one plane, and "
                    f"{body.name}/{feature.name} is one",
                    *("world", "terrain", "plugin"),
                )
    collider = made.world.collider
    for shape in collider.shapes if collider is not None else ():
        one, _, rest = shape.name.partition("/")
        if one in names:
            names[one].append(rest.rpartition("/")[0])  # names of links may have slashes
    for name, table in scene.bodies.items():
        known = list(dict.fromkeys(names[name]))
        for pattern in table.contacts:
            if not any(fnmatchcase(each, pattern) for each in known):
                hint = nearest(pattern, known) or f" (there are {', '.join(known) or 'none'})"
                where = "bodies", name, "contacts", pattern
                raise scene.error(f"no contact, foot or link of {name} has this name{hint}", *where)


def check_moments(made: Assembly) -> None:
    """Reject torsional and rolling friction that has no effect.

    Raises:
        SceneError: if the ground moves, as its rotation is not known; or if the body has neither
            contact points nor shapes that touch others.
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
            raise scene.error(f"{ground}, and its rotation is not known", *path)
        if path[0] == "bodies" and name not in declare | shaped:
            why = f"{name} declares no contact points, and no shape of it touches anything"
            raise scene.error(f"has no effect: {why}", *path)


def check_effects(made: Assembly) -> None:
    """Reject controllers of bodies without joints, and fixed objects that nothing can touch.

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
    """Reject an acceleration-level law if surfaces can be curved, as it lacks their curvature.

    Raises:
        SceneError: names the laws that can be used.
    """
    scene, law = made.scene, made.physics.contact
    if Need.JDOT_V not in law.needs:
        return
    if made.world.collider is not None:
        here = "bodies' surfaces can be curved: set [collisions] detect = false, or take"
    elif Capability.CURVED_TERRAIN in made.physics.terrain.capabilities:
        here = f'the ground "{scene.world.terrain.plugin}" can be curved: take'
    else:
        return
    others = [
        name for name, cls in made.registry.contact.loadable() if Need.JDOT_V not in cls.needs
    ]
    raise scene.error(
        f'contact "{scene.contact.plugin}" needs flat surfaces, but '
        f"{here} {', '.join(others[:-1])} or {others[-1]}",
        *("contact", "plugin"),
    )


def check_continuous_time(made: Assembly) -> None:
    """Reject features that a continuous-time integrator does not support.

    Raises:
        SceneError: for limits and friction of joints, contacts between bodies, an active impact
            model, or a setting of time steps.
    """
    scene, registry = made.scene, made.registry
    if not isinstance(made.physics.integrator, Continuous):
        return
    integrator, world = f'integrator "{scene.integrator.plugin}"', made.world
    if world.joint_row_names:
        raise scene.error(
            f"{integrator} does not support limits and friction of joints "
            f"({world.joint_row_names[0]}): choose a one-step integrator",
            *("integrator", "plugin"),
        )
    if world.collider is not None:
        steps = [n for n, cls in registry.integrator.loadable() if not issubclass(cls, Continuous)]
        raise scene.error(
            f"{integrator} does not support contacts between bodies "
            f"(integrators that do: {', '.join(steps)})",
            *("integrator", "plugin"),
        )
    if made.physics.impact.acts:
        raise scene.error(
            f'{integrator} supports no impacts, but impact is "{scene.impact.plugin}": choose '
            f'impact.plugin = "none" or a time-stepping integrator',
            *("impact", "plugin"),
        )
    for key in scene.simulation.OF_TIME_STEPPING:
        if key in scene.simulation.model_fields_set:
            raise scene.error(
                f"has no effect: it is for time stepping, not for {integrator}; leave it out",
                *("simulation", key),
            )


def check_scheme(made: Assembly) -> None:
    """Reject explicit positions with a law that needs positions moved by the new velocity.

    Raises:
        SceneError: names the integrators that move them so.
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
        and not _is_explicit(other(other.Config.model_construct()))
    ]
    raise scene.error(
        f'integrator "{name}" moves positions with the old velocity, which does not suit '
        f'contact "{scene.contact.plugin}" (integrators that do: {", ".join(sound) or "none"})',
        *("integrator", "plugin"),
    )


def _is_explicit(scheme: Integrator) -> bool:
    return isinstance(scheme, OneStep) and scheme.theta == 0.0


def check_delassus(made: Assembly) -> None:
    """Reject a Delassus method that does not support a feature of the scene.

    Raises:
        SceneError: names the feature.
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
            told = f'"{method}" does not support {what}: choose "sparse"'
            raise scene.error(told, "simulation", "delassus")


def check_order(made: Assembly) -> None:
    """Reject impacts after the contact forces if the forces are found at the middle of the step.

    The impact would pair the velocity of the start with the positions of the middle.

    Raises:
        SceneError: names the key.
    """
    scheme, table = made.physics.integrator, made.scene.simulation
    if isinstance(scheme, OneStep) and scheme.by_middle and table.impact_order == "after_contact":
        raise made.scene.error(
            f'integrator "{scheme.name}" finds forces at the middle of a step, which does not fit '
            'an impact after them: leave it at "before_contact"',
            *("simulation", "impact_order"),
        )
