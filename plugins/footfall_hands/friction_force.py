"""The force of a spring and damper that may pull sideways no harder than friction holds."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats


def rubbing(
    wanted: Floats, W: Floats, d: Floats, give: float, friction: float
) -> tuple[Floats, bool]:
    """Return the force that a ball presses and rubs with, and whether it slides.

    While it sticks the force is that of the spring and damper at the end of the step,

        ``f = wanted - give W f``,

    in all three directions. Where that pulls on the surface, or is outside of the friction cone,
    the ball slides: ``f = s (d + friction t)`` with ``t`` the sideways direction of the force that
    would be needed to stick, and ``s >= 0`` from the equation along ``d`` (Coulomb's law, as
    Harwin & Melder, "Improved haptic rendering for multi-finger manipulation using friction cone
    based god-objects", 2002, have it for a ball without inertia). Where ``d`` and ``t`` are coupled
    so that pushing sideways pulls back harder than it gives way, the sideways part is left out.

    Args:
        wanted: shape (3,), force if the point went on as it would without, [N].
        W: shape (3, 3), mobility of the point, [1/kg].
        d: shape (3,), unit, into the surface.
        give: ``dt (dt k + c)``, [kg].
        friction: coefficient, [-]; 0: none.
    """
    size = max(0.0, float(d @ wanted) / (1.0 + give * float(d @ W @ d)))
    straight: Floats = size * d
    if friction == 0.0:
        return straight, True
    stuck = np.asarray(np.linalg.solve(np.eye(3) + give * W, wanted), np.float64)
    press = float(d @ stuck)
    side = stuck - press * d
    size = float(np.linalg.norm(side))
    if press > 0.0 and size <= friction * press:
        return stuck, False
    if size == 0.0:
        return straight, True
    cone = d + (friction / size) * side
    resists = 1.0 + give * float(d @ W @ cone)
    if resists <= 0.0:
        return straight, True
    slid: Floats = max(0.0, float(d @ wanted) / resists) * cone
    return slid, True
