"""The exception that ends a query is ours and PySpark's for failed queries at once."""

import pickle

import pytest
from pyspark.errors import StreamingQueryException

from puredelta.engine.exceptions import (
    DeltaAnalysisException,
    ending_query,
)
from puredelta.errors.classes import DeltaAnalysisError


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (DeltaAnalysisError("DELTA_PATH_EXISTS", path="p"), DeltaAnalysisException),
        (DeltaAnalysisException("DELTA_PATH_EXISTS", path="p"), DeltaAnalysisException),
    ],
)
def test_error_is_caught_as_either(error, kind):
    ended = ending_query(error)

    assert isinstance(ended, kind)
    assert isinstance(ended, StreamingQueryException)
    assert type(ended).__name__ == kind.__name__
    assert ended.getCondition() == "DELTA_PATH_EXISTS"
    assert ended.getMessageParameters() == {"path": "p"}
    assert str(ended) == str(error)


def test_error_survives_pickling():
    ended = ending_query(DeltaAnalysisError("DELTA_PATH_EXISTS", path="p"))

    again = pickle.loads(pickle.dumps(ended))

    assert type(again) is type(ended)
    assert again.getMessageParameters() == {"path": "p"}
