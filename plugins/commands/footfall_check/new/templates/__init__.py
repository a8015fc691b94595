"""The modules that ``footfall new`` copies, one per role: each is a correct plugin.

``NewPlugin`` and ``new_plugin`` are replaced by the chosen names.
"""
