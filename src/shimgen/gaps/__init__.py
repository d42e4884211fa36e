"""gaps stage."""
