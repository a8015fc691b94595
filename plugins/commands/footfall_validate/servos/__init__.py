"""Models of servos on measured motions of a real arm."""
