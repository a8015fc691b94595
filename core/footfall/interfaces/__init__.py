"""The abstract classes that plugins implement, one file a role."""
