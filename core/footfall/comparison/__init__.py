"""A scene run in several variations, compared figure by figure and curve by curve."""
