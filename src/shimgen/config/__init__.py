"""`shimgen.toml` and the command line, as one frozen `Settings`."""

from shimgen.config.faults import SEVERITIES
from shimgen.config.loading import AGAIN, FILE_NAME, load_settings
from shimgen.config.settings import Carried, Options, Pin, Settings

__all__ = ["AGAIN", "FILE_NAME", "SEVERITIES", "Carried", "Options", "Pin", "Settings", "load_settings"]
