"""MJCF files: read directly by a scene, or converted to a URDF by an import."""
