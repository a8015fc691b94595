"""Why two simulators differ: the same scene in both, compared layer by layer."""
