"""Controllers, drives, sensors, signals and external forces of a simulation, each at its rate."""
