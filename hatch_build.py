"""Build hook: a wheel that brings native objects, if FOOTFALL_OBJECTS names their folder."""

import os
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Objects(BuildHookInterface):
    """Adds what ``footfall warm --objects FOLDER`` has made, and the platform's name."""

    def initialize(self, version, build_data):
        """Change what is built; without the variable the wheel stays one for any platform."""
        folder = os.environ.get("FOOTFALL_OBJECTS")
        if not folder or version == "editable":
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][folder] = "footfall/jit/native"
