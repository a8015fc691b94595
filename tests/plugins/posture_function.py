"""A torque for the controller ``function``: a spring on every joint."""


def spring(time, q, v):
    return -2.0 * q[-3:] - 0.1 * v[-3:]
