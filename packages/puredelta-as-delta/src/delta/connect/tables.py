"""`puredelta.tables` under the name that delta-spark gives to its classes for Spark Connect."""

from puredelta.tables import *  # noqa: F403  # the same names, all of them
from puredelta.tables import __all__ as __all__  # noqa: PLC0414  # re-exported
