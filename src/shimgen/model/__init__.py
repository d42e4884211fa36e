"""Frozen domain types. Every stage depends on this package and on no other stage."""
