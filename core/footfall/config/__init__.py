"""TOML tables with line numbers, and their validation with errors that name file and key."""
