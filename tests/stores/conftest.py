"""Servers for the marked tests, started when the first test asks; skipped where there is none."""

import uuid

import pytest

from tests.stores import hdfs
from tests.stores.jars import for_hdfs, for_s3a
from tests.stores.minio import BUCKET, find_program, running


@pytest.fixture(scope="session")
def minio(tmp_path_factory):
    program, why = find_program()
    if program is None:
        pytest.skip(why)
    with running(program, tmp_path_factory.mktemp("minio") / "data") as server:
        yield server


@pytest.fixture
def place():
    """URL of a table that no other test has."""
    return f"s3a://{BUCKET}/{uuid.uuid4().hex}/t ä#%41"


@pytest.fixture(scope="session")
def hdfs_root(tmp_path_factory):
    """URL of the root of an HDFS."""
    jars, why = for_hdfs()
    if not jars:
        pytest.skip(why)
    with hdfs.running(jars, tmp_path_factory.mktemp("hdfs")) as root:
        yield root


@pytest.fixture(scope="session")
def s3a_jars():
    jars, why = for_s3a()
    if not jars:
        pytest.skip(why)
    return jars
