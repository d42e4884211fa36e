from tests.gitrepo import only_default_settings

__all__ = ["only_default_settings"]
