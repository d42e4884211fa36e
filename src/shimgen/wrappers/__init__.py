"""wrappers stage."""
