"""Drake as a backend."""
