"""What a streaming write may ask for, before a query starts."""

import pytest

from puredelta.commands.stream_write import options_of_stream
from puredelta.commands.write_options import WriteOptions
from puredelta.errors import DeltaIllegalArgumentError
from puredelta.frontend.streaming.sink import key_of_option


@pytest.mark.parametrize(
    ("text", "columns"),
    [("id", ("id",)), ('["id"]', ("id",)), ('["a b", "c"]', ("a b", "c")), ("a,b", ("a,b",))],
)
def test_key_is_a_column_or_a_list(text, columns):
    assert key_of_option(text) == columns


@pytest.mark.parametrize("text", ["[]", "[1]", "[id]", ' ["id"'])
def test_list_that_names_no_columns_is_refused(text):
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        key_of_option(text)

    assert caught.value.condition == "DELTA_ILLEGAL_OPTION"
    assert caught.value.parameters["input"] == text


def test_options_that_select_rows_have_no_effect():
    given = WriteOptions(
        replace_where="a = 1", dynamic_overwrite=True, data_change=False, merge_schema=True
    )

    assert options_of_stream(given) == WriteOptions(merge_schema=True)


def test_dry_run_is_refused():
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        options_of_stream(WriteOptions(dry_run=True))

    assert caught.value.parameters["name"] == "dryRun"
