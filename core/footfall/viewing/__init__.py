"""Showing a scene in a page: what goes into it, recorded motions, the page itself."""
