"""Options of writers: what their texts mean, and which are refused."""

from types import SimpleNamespace

import pytest

from puredelta.commands.write.overwrite_options import check_new_table, check_options
from puredelta.commands.write_options import WriteOptions
from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.options import write_options
from puredelta.settings import Settings

CONTEXT = SimpleNamespace(session=None, settings=Settings())
USING = WriteOptions(replace_using="id")


def test_names_of_options_have_any_case():
    found = write_options(
        {
            "REPLACEUSING": "a , b",
            "optimizewrite": "True",
            "useNullIntolerantEqualityWithDPO": "false",
        }
    )

    assert found.using_columns == ("a", "b")
    assert found.replace_using == "a , b"
    assert found.optimize_write is True
    assert found.null_intolerant is False
    assert found.matches_data


def test_options_that_nobody_gave_say_nothing():
    assert write_options({}) == WriteOptions()
    assert not WriteOptions().matches_data


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("replaceUsing", ""),
        ("replaceUsing", " "),
        ("replaceUsing", "a,,b"),
        ("optimizeWrite", "maybe"),
        ("dataChange", "no"),
        ("useNullIntolerantEqualityWithDPO", "1"),
        ("partitionOverwriteMode", "sometimes"),
    ],
)
def test_texts_that_are_no_value_are_refused(name, text):
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        write_options({name: text})

    assert caught.value.condition == "DELTA_ILLEGAL_OPTION"
    assert caught.value.parameters["name"] == name


@pytest.mark.parametrize("version", ["-1", "1.5", "x", "9223372036854775808", "٣"])
def test_version_of_an_application_is_a_long(version):
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        write_options({"txnAppId": "a", "txnVersion": version})

    assert caught.value.condition == "DELTA_ILLEGAL_OPTION"
    assert write_options({"txnAppId": "a", "txnVersion": str(2**63 - 1)}).app == ("a", 2**63 - 1)


@pytest.mark.parametrize(
    ("options", "given", "condition"),
    [
        (
            WriteOptions(replace_using="id", dynamic_overwrite=False),
            {},
            "DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING",
        ),
        (
            USING,
            {"by_partitions": True},
            "DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING",
        ),
        (
            USING,
            {"by_filter": True},
            "DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING",
        ),
        (
            WriteOptions(replace_using="id", replace_on="true"),
            {},
            "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
        ),
        (
            WriteOptions(replace_on="true", overwrite_schema=True),
            {},
            "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
        ),
        (
            WriteOptions(replace_on="true", data_change=False),
            {},
            "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
        ),
    ],
)
def test_options_that_exclude_each_other_are_refused_for_an_overwrite_only(
    options, given, condition
):
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        check_options(options, CONTEXT, overwrites=True, **given)

    assert caught.value.condition == condition
    check_options(options, CONTEXT, overwrites=False, **given)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (USING, Settings(replace_using_allowed=False)),
        (WriteOptions(replace_on="true"), Settings(replace_on_allowed=False)),
    ],
)
def test_options_that_are_switched_off_are_refused(options, settings):
    context = SimpleNamespace(session=None, settings=settings)

    with pytest.raises(DeltaAnalysisError) as caught:
        check_options(options, context, overwrites=False)

    assert caught.value.condition == "DELTA_OPERATION_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("options", "named", "condition"),
    [
        (USING, True, "DELTA_DFV2_CREATE_REPLACE_INCOMPATIBLE_REPLACE_ON_OR_USING"),
        (USING, False, "DELTA_PATH_DOES_NOT_EXIST"),
        (WriteOptions(data_change=False), False, "DELTA_DATA_CHANGE_FALSE"),
    ],
)
def test_options_for_tables_that_are_there_do_not_make_one(options, named, condition):
    with pytest.raises(DeltaAnalysisError) as caught:
        check_new_table(options, CONTEXT, "file:/t", named=named)

    assert caught.value.condition == condition
