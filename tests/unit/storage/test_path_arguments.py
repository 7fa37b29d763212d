"""Paths as text and as objects, in every public function that needs no Spark."""

import inspect
from pathlib import Path, PurePosixPath

import pytest

import puredelta.log
from puredelta import check_table
from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.storage.location import path_text


@pytest.mark.parametrize("take", [puredelta.log.open_table, check_table])
@pytest.mark.parametrize("kind", [str, Path, PurePosixPath])
def test_functions_of_the_log_take_paths(take, kind, tmp_path):
    with pytest.raises(DeltaAnalysisError, match="DELTA_PATH_DOES_NOT_EXIST"):
        take(kind(tmp_path / "none"))

    assert "PathLike" in str(inspect.signature(take).parameters["path"].annotation)


def test_url_that_became_a_path_is_refused():
    with pytest.raises(DeltaIllegalArgumentError, match="as text") as caught:
        path_text(PurePosixPath("s3://bucket/table"))

    assert caught.value.condition == "PUREDELTA_URL_IN_PATH"


@pytest.mark.parametrize("given", [None, 5, b"/tmp/t", ["/tmp/t"]])
def test_what_is_no_path_is_refused_with_its_type(given):
    with pytest.raises(TypeError, match="needs to be a string"):
        path_text(given)
