"""The version of this package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("puredelta")
except PackageNotFoundError:
    __version__ = "0+unknown"
