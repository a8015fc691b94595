"""Exit codes of the command line beside 0, 1 (an error) and 2 (wrong usage)."""

INTERRUPTED = 130
"""After Ctrl-C: 128 + SIGINT."""
