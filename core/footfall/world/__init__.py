"""A world as kernels of plugins see it: its arrays, and the functions that open them."""
