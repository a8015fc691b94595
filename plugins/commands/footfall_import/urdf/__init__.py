"""URDF files: what stands in and beside them that no engine reads, and repairs."""
