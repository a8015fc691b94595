"""Recordings: their motion and signals, pages that play them."""
