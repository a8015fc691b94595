"""Robots and objects as specified: robot.toml, contact features, loops, actuators, sensors."""
