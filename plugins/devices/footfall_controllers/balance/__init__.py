"""Balance on feet: a whole-body controller of momentum."""
