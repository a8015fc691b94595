"""Scene files: schema, overrides, choice of plugins, needs and capabilities, resolved scenes."""
