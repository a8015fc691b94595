"""The checks of roles other than contact laws."""
