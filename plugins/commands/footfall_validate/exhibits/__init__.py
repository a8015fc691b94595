"""Exhibits: single impacts that can be written out, and their gallery."""
