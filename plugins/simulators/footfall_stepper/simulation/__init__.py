"""The simulator, its runs and their reports, tuning while it runs."""
