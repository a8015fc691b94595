"""The command ``render``: pictures and films of recordings, without a display."""
