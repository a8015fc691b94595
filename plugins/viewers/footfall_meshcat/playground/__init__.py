"""Pages that simulate: the step as WebAssembly, and the memory that it works on."""
