"""demands stage."""
