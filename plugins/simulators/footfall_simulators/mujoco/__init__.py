"""MuJoCo as a backend."""
