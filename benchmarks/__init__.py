"""Measurements on released serving stacks, and the means to fetch those."""
