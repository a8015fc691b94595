"""A world: bodies on packed arrays with names, its state, the keys of contacts."""
