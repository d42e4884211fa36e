"""checkout stage."""
