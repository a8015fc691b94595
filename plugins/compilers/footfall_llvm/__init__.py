"""The compiler of kernels: it translates their Python source and lets LLVM optimise it."""
