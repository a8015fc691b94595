"""Exporters ``mjcf`` and ``urdf``: what a scene resolves to, for other programs."""
