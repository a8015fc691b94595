"""Says what took the place of ``footfall.gym``: a plugin, which core does not import."""

import warnings

warnings.warn(
    "footfall.gym is the package footfall_gym now: import that, or none at all with "
    'gymnasium.make("footfall_gym:footfall/Scene-v0", ...)',
    FutureWarning,
    stacklevel=2,
)
