"""Choose the controller of a body, and its pace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footfall.config.validate import validate
from footfall.scene.choose import Chooser
from footfall.scene.models import Pace
from footfall.scene.scene import Choice
from footfall.scene.slots import CONTROLLER


def choose_controller(body: str, table: Mapping[str, Any], chooser: Chooser) -> tuple[Choice, Pace]:
    """Return what drives the joints of a body, and its pace.

    Raises:
        SceneError: if there is no such plugin, or a key or value is not allowed.
        PluginError: if the plugin cannot be loaded; says why.
    """
    path, common = ("bodies", body, "controller"), list(Pace.model_fields)
    own = {key: value for key, value in table.items() if key not in common}
    choice = chooser.choose(CONTROLLER, own, path=path, common=common)
    pace = validate(
        Pace,
        {key: value for key, value in table.items() if key in common},
        file=chooser.where.file,
        lines=chooser.where.lines,
        prefix=path,
    )
    return choice, pace
