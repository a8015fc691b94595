"""Hand-made contact problems, and a yardstick for their answers that shares no code with a law."""
