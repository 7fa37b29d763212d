"""Which metadata file of an Iceberg table counts, in the histories that tables have."""

import json
import shutil

import pyarrow as pa
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ICEBERG, target_at
from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from tests.iceberg_tables import PEOPLE, IcebergTables, convert, schema


@pytest.fixture
def iceberg(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    yield tables
    tables.close()


@pytest.fixture
def created_again(iceberg):
    """The metadata folder of a table that was dropped, and of the shorter one made in its place."""
    iceberg.filled("t", PEOPLE).append(PEOPLE)
    iceberg.catalog.drop_table("d.t")
    iceberg.filled("t", pa.table({"other": ["a"]}))
    return iceberg.path("t") / "metadata"


def metadata_files(folder):
    return sorted(folder.glob("*.metadata.json"))


def current_file(iceberg, name):
    return iceberg.catalog.load_table(f"d.{name}").metadata_location.rpartition("/")[2]


def changed(file, **values):
    """Change a metadata file; keys are written with underscores, None takes one out."""
    found = json.loads(file.read_text())
    found.update({key.replace("_", "-"): value for key, value in values.items()})
    file.write_text(json.dumps({key: one for key, one in found.items() if one is not None}))


def test_table_created_again_in_its_old_place_is_refused_with_the_files_that_may_count(
    iceberg, created_again
):
    with pytest.raises(DeltaIllegalStateError) as caught:
        convert(iceberg.path("t"))

    told = str(caught.value)
    assert caught.value.condition == "DELTA_ICEBERG_METADATA_UNREADABLE"
    for file in (metadata_files(created_again)[-1].name, current_file(iceberg, "t")):
        assert file in told
        assert json.loads((created_again / file).read_text())["table-uuid"] in told
    assert f"CONVERT TO DELTA iceberg.`file://{created_again}/" in told


def test_metadata_file_that_is_named_counts(iceberg, created_again):
    named = f"{created_again}/{current_file(iceberg, 't')}"

    target = target_at(ICEBERG, named, label="t")
    report = ConvertToDeltaCommandBase(target=target).run()

    assert (report.files, report.rows) == (1, 1)
    assert [column.name for column in schema(iceberg.path("t"))] == ["other"]


@pytest.mark.parametrize("name", ["metadata/00009-x.metadata.json", "00009-x.metadata.json"])
def test_named_metadata_file_that_is_not_there_is_told(iceberg, name):
    iceberg.filled("t", PEOPLE)

    target = target_at(ICEBERG, f"{iceberg.path('t')}/{name}", label="t")
    with pytest.raises((DeltaIllegalStateError, DeltaFileNotFoundError), match="00009-x"):
        ConvertToDeltaCommandBase(target=target).run()


def test_table_of_a_folder_that_a_catalog_took_over_has_the_rows_since(iceberg):
    iceberg.filled("t", PEOPLE)
    folder = iceberg.path("t") / "metadata"
    iceberg.catalog.drop_table("d.t")
    first, second = metadata_files(folder)
    (folder / "v2.metadata.json").write_text(
        second.read_text().replace(first.name, "v1.metadata.json")
    )
    second.unlink()
    first.rename(folder / "v1.metadata.json")
    (folder / "version-hint.text").write_text("2")
    table = iceberg.catalog.register_table("d.t", f"file://{folder}/v2.metadata.json")
    table.append(PEOPLE)

    assert current_file(iceberg, "t").startswith("00000-")
    assert convert(iceberg.path("t")).rows == 4


def test_files_that_the_log_of_the_last_one_forgot_do_not_count(iceberg):
    forgets = {"write.metadata.previous-versions-max": "2"}
    table = iceberg.filled("t", PEOPLE, properties=forgets)
    for _ in range(4):
        table.append(PEOPLE)

    assert convert(iceberg.path("t")).rows == 10


def test_writers_that_keep_no_log_of_metadata_are_followed_by_numbers(iceberg):
    table = iceberg.filled("t", PEOPLE)
    table.append(PEOPLE)
    for file in metadata_files(iceberg.path("t") / "metadata"):
        changed(file, metadata_log=None)

    assert convert(iceberg.path("t")).rows == 4


def test_table_that_was_set_back_to_an_older_file_is_not_guessed(iceberg):
    iceberg.filled("t", PEOPLE).append(PEOPLE)
    first, _, last = metadata_files(iceberg.path("t") / "metadata")
    iceberg.catalog.drop_table("d.t")
    table = iceberg.catalog.register_table("d.t", f"file://{first}")
    table.append(PEOPLE)
    now = json.loads((first.parent / current_file(iceberg, "t")).read_text())["last-updated-ms"]
    changed(last, last_updated_ms=now - 3_600_000)

    with pytest.raises(DeltaIllegalStateError, match=last.name):
        convert(iceberg.path("t"))


def test_leftover_of_a_commit_that_failed_does_not_count_once_others_followed(iceberg):
    table = iceberg.filled("t", PEOPLE)
    _, file = metadata_files(iceberg.path("t") / "metadata")
    left = file.parent / "00002-left.metadata.json"
    shutil.copy(file, left)
    (file.parent / "00001-damaged.metadata.json").write_text("{")
    (file.parent / "12345678-1234-1234-1234-123456789012.metadata.json").write_text("{}")
    for _ in range(2):
        table.append(PEOPLE)

    assert convert(iceberg.path("t"), request=ConvertRequest(dry_run=True)).rows == 6
