"""shimgen: forwarding methods for the composition wrappers of LLM serving stacks, as patches."""

__version__ = "0.1.0"
