"""What runs in the serving stack's own interpreter: standard library only, and no newer syntax than Python 3.9."""
