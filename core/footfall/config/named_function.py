"""Functions of the user's that a scene names."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any


def load_function(reference: str) -> Callable[..., Any]:
    """Import what ``module:function`` names; the current folder is searched as well.

    Raises:
        ValueError: if there is no such module or function, or it cannot be called.
    """
    module, name = reference.split(":")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{reference}: {error}") from error
    if not callable(function):
        raise ValueError(f"{reference} is not callable")
    loaded: Callable[..., Any] = function
    return loaded
