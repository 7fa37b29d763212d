"""`puredelta.tables` under the name of delta-spark."""

from puredelta.tables import *  # noqa: F403  # the same names, all of them
from puredelta.tables import __all__ as __all__  # noqa: PLC0414  # re-exported
