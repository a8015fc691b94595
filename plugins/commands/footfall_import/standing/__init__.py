"""Standing of a robot: ground forces, holding torques, gains and gaits."""
