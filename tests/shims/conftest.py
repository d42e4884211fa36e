"""A quick run for every day; SHIMGEN_EXAMPLES=2000 for a thorough one."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "shims",
    max_examples=int(os.environ.get("SHIMGEN_EXAMPLES", "200")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
