"""Recordings: the layout of a row, the Zarr writer, the reader."""
