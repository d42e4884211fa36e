"""What runs in the sandbox: standard library only, loaded on its own, never the rest of shimgen."""
