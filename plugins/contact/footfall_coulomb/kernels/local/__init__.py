"""One contact solved with the others fixed."""
