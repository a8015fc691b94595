"""The controller ``trot``: legs that step by a clock, feet placed by Raibert's rule."""
