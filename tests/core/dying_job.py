"""A job that kills its process; alone in a file, so that processes find it quickly."""

import os


def half_or_die(number):
    """Return half of a number; of 3, die."""
    if number == 3:
        os._exit(1)
    return number / 2
