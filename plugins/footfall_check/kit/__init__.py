"""The checks of roles other than engines and contact laws."""
