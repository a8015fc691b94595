"""Set controllers up for their bodies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.errors import SettingError
from footfall.interfaces.controller import Controller
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.signals import BodySignals


def set_up(
    controller: Controller,
    body: str,
    model: TreeModel,
    posture: npt.NDArray[np.float64],
    signals: BodySignals,
) -> None:
    """Prepare a controller; a setting that does not suit the body is named with its whole key.

    Raises:
        SettingError: with the path of the setting in a scene.
    """
    try:
        controller.setup(model, posture)
        controller.start(signals)
    except SettingError as error:
        raise SettingError(error.reason, "bodies", body, "controller", *error.path) from error
