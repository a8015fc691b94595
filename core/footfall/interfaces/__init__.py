"""The abstract classes that plugins implement, one file per role."""
