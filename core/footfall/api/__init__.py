"""The contract for plugin authors, by subject. Plugins import nothing else of core."""
