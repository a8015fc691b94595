"""The contract for plugin authors, by subject. Nothing else of core is theirs to import."""
