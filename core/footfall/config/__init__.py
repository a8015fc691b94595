"""TOML tables with line numbers, validated against models; messages with file and key."""
