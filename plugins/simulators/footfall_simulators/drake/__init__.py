"""Drake as a simulator."""
