"""MuJoCo as a simulator."""
