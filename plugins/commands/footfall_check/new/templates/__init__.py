"""The modules that ``footfall new`` copies, one a role: each is a correct plugin as it stands.

``NewPlugin`` and ``new_plugin`` are replaced by the names that were asked for.
"""
