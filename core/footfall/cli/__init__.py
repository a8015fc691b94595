"""The command ``footfall``: the frame of all commands, which are plugins."""
