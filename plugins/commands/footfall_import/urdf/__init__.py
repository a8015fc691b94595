"""URDF files: data in and beside them that engines do not read, and repairs."""
