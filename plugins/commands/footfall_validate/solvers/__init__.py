"""QP solvers on the problems of the shipped scenes."""
