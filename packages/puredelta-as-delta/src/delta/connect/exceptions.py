"""`puredelta.exceptions` under the name that delta-spark gives to those for Spark Connect."""

from puredelta.exceptions import *  # noqa: F403  # the same names, all of them
from puredelta.exceptions import __all__ as __all__  # noqa: PLC0414  # re-exported
