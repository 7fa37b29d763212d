"""Who reads a table, and who no longer does when its protocol rises."""

import pytest

from puredelta.log.actions import Protocol
from puredelta.table.protocol.known_readers import KNOWN_READERS, reader_features, readers_lost
from puredelta.table.protocol.protocol import normal_form

BASIC = normal_form(["appendOnly", "invariants"])


def names(readers):
    return [str(one) for one in readers]


def test_everybody_reads_the_usual_protocol():
    assert all(one.reads(BASIC) for one in KNOWN_READERS)


def test_features_for_writers_keep_no_reader_out():
    after = normal_form(["appendOnly", "invariants", "checkConstraints", "allowColumnDefaults"])

    assert readers_lost(BASIC, after) == ()


def test_mapped_columns_need_delta_spark_from_2_on():
    assert names(readers_lost(BASIC, normal_form(["columnMapping"]))) == ["delta-spark 1.0"]


def test_widened_types_keep_deltalake_out():
    lost = names(readers_lost(BASIC, normal_form(["typeWidening"])))

    assert "deltalake 1.6" in lost
    assert "delta-spark 3.3" in lost
    assert "delta-spark 4.0" not in lost


def test_who_could_not_read_before_loses_nothing():
    before = normal_form(["typeWidening"])

    assert readers_lost(before, normal_form(["typeWidening", "columnMapping"])) == ()


def test_listed_features_need_a_reader_that_knows_of_lists():
    listed = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["columnMapping"],
        writer_features=["columnMapping"],
    )

    assert "delta-spark 2.0" in names(readers_lost(BASIC, listed))
    assert "delta-spark 2.3" not in names(readers_lost(BASIC, listed))


@pytest.mark.parametrize("name", ["columnMapping", "deletionVectors", "somethingNew"])
def test_reader_features_are_those_that_readers_must_know(name):
    listed = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=[name],
        writer_features=[name, "rowTracking", "domainMetadata"],
    )

    assert reader_features(listed) == {name}
