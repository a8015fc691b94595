"""One scene in several simulators."""
