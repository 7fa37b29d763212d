"""Stand-ins for PySpark's and py4j's parts let modules load, and refuse to be used."""

import pytest

from puredelta.engine.bridge import jvm_parts, no_jvm
from puredelta.engine.exceptions import DeltaRuntimeException


@pytest.mark.parametrize(
    "use",
    [
        lambda: no_jvm.SparkContext._active_spark_context,
        no_jvm.SparkContext,
        lambda: no_jvm.JavaObject("o1", None),
        lambda: no_jvm.ClassicDataFrame.explain,
        lambda: no_jvm.ensure_callback_server_started(None),
    ],
)
def test_use_is_refused_with_the_remedy(use):
    with pytest.raises(DeltaRuntimeException) as refused:
        use()

    assert refused.value.getCondition() == "PUREDELTA_PYSPARK_CLIENT"


def test_nothing_is_an_instance_of_a_stand_in():
    assert not isinstance(object(), no_jvm.JavaObject)
    assert issubclass(no_jvm.Py4JJavaError, no_jvm.Py4JError)


def test_each_part_has_a_stand_in():
    assert [name for name in jvm_parts.__all__ if not hasattr(no_jvm, name)] == []
