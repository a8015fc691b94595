"""The controller ``trot``: legs step by a clock, and Raibert's rule places the feet."""
