"""Properties that no table may have, or no converted one, are told before a footer is read."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import PARQUET, ConvertTarget
from puredelta.errors import DeltaError
from puredelta.table.new_table import NewTableRules

WRONG = [
    ({"delta.appendOnly": "maybe"}, "DELTA_INVALID_TABLE_PROPERTY_VALUE"),
    ({"delta.columnMapping.mode": "name"}, "DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING"),
    ({"delta.enableRowTracking": "true"}, "DELTA_CONVERT_TO_DELTA_ROW_TRACKING_WITHOUT_STATS"),
]


@pytest.fixture
def target(tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    return ConvertTarget(provider=PARQUET, location=str(tmp_path), label="t")


def command(target, *, defaults=None, **asked):
    return ConvertToDeltaCommandBase(
        target=target,
        request=ConvertRequest(collect_stats=False, **asked),
        settings=ConversionSettings(new_tables=NewTableRules(defaults=defaults or {})),
    )


@pytest.mark.parametrize(("properties", "condition"), WRONG)
@pytest.mark.parametrize("are_defaults", [True, False])
def test_property_that_no_table_may_have_is_told_before_files_are_listed(
    target, properties, condition, are_defaults
):
    defaults = properties if are_defaults else {}
    given = {} if are_defaults else properties
    converting = command(replace(target, properties=given), defaults=defaults)
    converting.source_files = lambda *_: pytest.fail("files are listed")

    with pytest.raises(DeltaError) as raised:
        converting.run()

    assert raised.value.condition == condition


@pytest.mark.parametrize(("properties", "condition"), WRONG)
def test_dry_run_tells_of_it_with_all_that_it_finds(target, properties, condition):
    report = command(target, defaults=properties, dry_run=True).run()

    assert [one.condition for one in report.problems] == [condition]
    assert report.files == 1
