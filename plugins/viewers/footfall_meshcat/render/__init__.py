"""The command ``render``: pictures and films of recordings, drawn without a display."""
