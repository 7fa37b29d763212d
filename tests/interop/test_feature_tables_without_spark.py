"""Tables that delta-spark made with each feature: `puredelta.log` tells what it tells, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
import pytest

from puredelta.log import open_table
from puredelta.schema.codec import schema_to_json
from puredelta.storage.location import absolute
from tests.interop.features.catalogue import READABLE

if TYPE_CHECKING:
    from puredelta.log import TableReader
    from tests.interop.conftest import FeatureTables

# The first test reads every table.
pytestmark = pytest.mark.timeout(1200)

# Every table at its latest version, then at the older ones that were read.
READINGS = [(name, version) for name, one in READABLE.items() for version in (None, *one.at)]


def _open(tables: FeatureTables, name: str, version: int | None = None) -> TableReader:
    return open_table(str(tables.folder / name), version)


def _told(tables: FeatureTables, name: str, version: int | None) -> dict[str, Any]:
    told = tables.told(name)
    return told["table"] if version is None else told["tables"][str(version)]


def _types(value: Any) -> Any:
    """A schema's names and types alone.

    Spark's reader makes columns nullable, hides metadata, and leaves VOID columns out.
    """
    if isinstance(value, dict):
        hidden = {"metadata", "nullable", "containsNull", "valueContainsNull"}
        return {k: _types(v) for k, v in value.items() if k not in hidden}
    if isinstance(value, list):
        return [_types(item) for item in value if item.get("type") != "void"]
    return value


def _plain(uri: str) -> str:
    return unquote(uri).replace("file://", "file:").replace("file:", "")


@pytest.mark.parametrize("name", READABLE)
def test_version_and_history(feature_tables: FeatureTables, name: str) -> None:
    expected = feature_tables.told(name)["history"]["rows"]

    table = _open(feature_tables, name)

    assert table.version == expected[0]["version"]
    assert table.history() == expected


@pytest.mark.parametrize(("name", "version"), READINGS)
def test_schema(feature_tables: FeatureTables, name: str, version: int | None) -> None:
    expected = _told(feature_tables, name, version)["schema"]

    schema = _open(feature_tables, name, version).schema

    assert _types(msgspec.json.decode(schema_to_json(schema))) == _types(expected)


@pytest.mark.parametrize("name", READABLE)
def test_detail(feature_tables: FeatureTables, name: str) -> None:
    expected = feature_tables.told(name)["detail"]["rows"][0]

    detail = _open(feature_tables, name).detail()

    assert _comparable(detail) == _comparable(expected)


def _comparable(detail: dict[str, Any]) -> dict[str, Any]:
    return {
        **detail,
        "location": _plain(detail["location"]),
        "tableFeatures": sorted(detail["tableFeatures"]),
    }


@pytest.mark.parametrize(("name", "version"), READINGS)
def test_files(feature_tables: FeatureTables, name: str, version: int | None) -> None:
    expected = _told(feature_tables, name, version)["files"]

    reader = _open(feature_tables, name, version)
    root = reader.detail()["location"]
    uris = [absolute(root, path) for path in reader.files()["path"].to_pylist()]

    assert sorted(map(_plain, uris)) == sorted(map(_plain, expected))


@pytest.mark.parametrize("name", READABLE)
def test_row_counts(feature_tables: FeatureTables, name: str) -> None:
    rows = len(feature_tables.told(name)["latest"]) - 1

    files = _open(feature_tables, name).files()

    counted = [n for n in files["num_records"].to_pylist() if n is not None]
    if len(counted) == files.num_rows:
        assert sum(counted) - sum(files["num_deleted"].to_pylist()) == rows


@pytest.mark.parametrize("name", READABLE)
def test_nothing_of_the_log_is_passed_over(
    feature_tables: FeatureTables, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    feature_tables.told(name)

    with caplog.at_level("WARNING", "puredelta"):
        _ = _open(feature_tables, name).snapshot.files

    assert [record.getMessage() for record in caplog.records] == []
