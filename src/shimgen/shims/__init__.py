"""shims stage."""
