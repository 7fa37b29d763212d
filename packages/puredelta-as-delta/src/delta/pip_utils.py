"""`puredelta.session` under the name that delta-spark gives to its helper for pip."""

from puredelta.session import configure_spark_with_delta_pip

__all__ = ["configure_spark_with_delta_pip"]
