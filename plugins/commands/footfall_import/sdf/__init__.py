"""SDF files: models and worlds as URDFs."""
