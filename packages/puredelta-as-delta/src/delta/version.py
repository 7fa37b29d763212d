"""The version of puredelta, under the name of delta-spark."""

from puredelta.version import __version__

__all__ = ["__version__"]
