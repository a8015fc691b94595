"""MJCF files: read as they are by a scene, or converted into a URDF by an import."""
