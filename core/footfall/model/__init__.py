"""Specification of robots and objects: robot.toml, contact features, loops, actuators, sensors."""
