"""Exporters ``mjcf`` and ``urdf``: scenes for other programs."""
