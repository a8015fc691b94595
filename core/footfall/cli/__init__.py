"""The command ``footfall``: its frame, and the commands of the core."""
