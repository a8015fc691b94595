"""The bundled four-bar linkage by its one coordinate, without Footfall.

Bars of lengths a, b, c on pivots d apart; t2, t3, t4 are their angles from the line of the pivots:
``a e^(i t2) + b e^(i t3) = d + c e^(i t4)``.
"""

import numpy as np
from scipy.integrate import solve_ivp

A, B, C, D = 0.2, 0.5, 0.4, 0.45
"""[m]"""
MASS = np.array([0.4, 1.0, 0.8])
"""[kg]"""
SIDE, G = 0.02, 9.81
INERTIA = MASS * (np.array([A, B, C]) ** 2 + SIDE**2) / 12.0
"""About the centres of mass, [kg m^2]."""


def close(t2, guess):
    """Return t3 and t4 near a guess, by Newton's method."""
    x = np.array(guess, float)
    for _ in range(50):
        across = A * np.cos(t2) + B * np.cos(x[0]) - D - C * np.cos(x[1])
        up = A * np.sin(t2) + B * np.sin(x[0]) - C * np.sin(x[1])
        step = np.linalg.solve(jacobian(x), [across, up])
        x = x - step
        if np.abs(step).max() < 1e-14:
            break
    return x


def jacobian(x):
    return np.array([[-B * np.sin(x[0]), C * np.sin(x[1])], [B * np.cos(x[0]), -C * np.cos(x[1])]])


def slopes(t2, x):
    """Return d(t3, t4)/dt2 and the second derivatives."""
    J = jacobian(x)
    k = np.linalg.solve(J, A * np.array([np.sin(t2), -np.cos(t2)]))
    turning = np.array(
        [
            [-B * np.cos(x[0]) * k[0], C * np.cos(x[1]) * k[1]],
            [-B * np.sin(x[0]) * k[0], C * np.sin(x[1]) * k[1]],
        ]
    )
    return k, np.linalg.solve(J, A * np.array([np.cos(t2), np.sin(t2)]) - turning @ k)


def reduced(t2, x):
    """Return the inertia I of ``I t2'' + 1/2 dI t2'^2 + dV = 0``, dI and dV."""
    (k3, k4), (l3, l4) = slopes(t2, x)
    m, e = MASS, t2 - x[0]
    swing = m[2] * C**2 / 4 + INERTIA[2]
    inertia = m[0] * A**2 / 4 + INERTIA[0] + INERTIA[1] * k3**2 + swing * k4**2
    inertia += m[1] * (A**2 + B**2 * k3**2 / 4 + A * B * k3 * np.cos(e))
    slope = 2 * INERTIA[1] * k3 * l3 + 2 * swing * k4 * l4
    slope += m[1] * (B**2 * k3 * l3 / 2 + A * B * (l3 * np.cos(e) - k3 * np.sin(e) * (1 - k3)))
    weight = m[0] * A / 2 * np.cos(t2) + m[2] * C / 2 * np.cos(x[1]) * k4
    weight += m[1] * (A * np.cos(t2) + B / 2 * np.cos(x[0]) * k3)
    return inertia, slope, G * weight


def swing(angles, duration):
    """Return a function of time that gives t2, its rate, t3 and t4, from rest at the angles."""

    def rate(_, y):
        x = close(y[0], y[2:])
        inertia, slope, weight = reduced(y[0], x)
        k = slopes(y[0], x)[0]
        return [y[1], -(weight + 0.5 * slope * y[1] ** 2) / inertia, *(k * y[1])]

    start = [angles[0], 0.0, *angles[1:]]
    solution = solve_ivp(rate, (0.0, duration), start, rtol=1e-11, atol=1e-12, dense_output=True)
    return solution.sol
