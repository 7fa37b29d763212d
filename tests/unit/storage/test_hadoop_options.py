"""Options of Hadoop's file systems in the names of obstore."""

import pytest
from obstore.store import from_url

from puredelta.storage.hadoop_options import obstore_names

S3 = "s3a://bucket/t"
AZURE = "abfss://box@acct.dfs.core.windows.net/t"
HOST = "acct.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            {"access.key": "k", "secret.key": "s", "session.token": "t"},
            {
                "aws_access_key_id": "k",
                "aws_secret_access_key": "s",
                "aws_session_token": "t",
            },
        ),
        ({"endpoint.region": "eu-west-1"}, {"aws_region": "eu-west-1"}),
        ({"endpoint": "minio:9000"}, {"aws_endpoint": "https://minio:9000"}),
        (
            {"endpoint": "minio:9000", "connection.ssl.enabled": "false"},
            {"aws_endpoint": "http://minio:9000", "allow_http": "true"},
        ),
        ({"endpoint": "s3.amazonaws.com"}, {}),
        (
            {"endpoint": "oss.example", "path.style.access": "false"},
            {
                "aws_endpoint": "https://bucket.oss.example",
                "aws_virtual_hosted_style_request": "true",
            },
        ),
        (
            {"aws.credentials.provider": "org.apache.x.AnonymousAWSCredentialsProvider"},
            {"aws_skip_signature": "true"},
        ),
        ({"aws.credentials.provider": "x.Environment,x.Anonymous"}, {}),
        (
            {"encryption.algorithm": "SSE-KMS", "encryption.key": "arn"},
            {"aws_server_side_encryption": "aws:kms", "aws_sse_kms_key_id": "arn"},
        ),
        (
            {"encryption.algorithm": "SSE-C", "encryption.key": "a2V5"},
            {"aws_server_side_encryption": "sse-c", "aws_sse_customer_key_base64": "a2V5"},
        ),
        ({"encryption.algorithm": "AES256"}, {"aws_server_side_encryption": "AES256"}),
        ({"attempts.maximum": "3"}, {"max_retries": "2"}),
        ({"connection.establish.timeout": "5s"}, {"connect_timeout": "5s"}),
        (
            {
                "proxy.host": "p",
                "proxy.port": "80",
                "proxy.username": "u",
                "proxy.password": "a@b",
            },
            {"proxy_url": "http://u:a%40b@p:80"},
        ),
        ({"threads.max": "64"}, {}),
    ],
)
def test_option_of_s3a_has_its_name_in_obstore(given, wanted):
    assert obstore_names(S3, {f"fs.s3a.{key}": value for key, value in given.items()}) == wanted


def test_option_of_a_bucket_covers_the_general_one():
    given = {
        "fs.s3a.access.key": "general",
        "fs.s3a.secret.key": "general",
        "fs.s3a.bucket.bucket.access.key": "own",
        "fs.s3a.bucket.other.access.key": "of another",
    }

    assert obstore_names(S3, given) == {
        "aws_access_key_id": "own",
        "aws_secret_access_key": "general",
    }


def test_name_of_obstore_covers_the_name_of_hadoop():
    given = {"fs.s3a.access.key": "hadoop", "aws_access_key_id": "obstore"}

    assert obstore_names(S3, given) == {"aws_access_key_id": "obstore"}


@pytest.mark.parametrize("suffix", ["", f".{HOST}", ".acct.blob.core.windows.net"])
def test_key_of_an_account_is_found_under_each_of_its_names(suffix):
    given = {f"fs.azure.account.key{suffix}": "k", "fs.azure.account.key.other.dfs": "x"}

    assert obstore_names(AZURE, given) == {"azure_storage_account_key": "k"}


def test_signature_for_an_account_loses_its_question_mark():
    given = {
        f"fs.azure.account.auth.type.{HOST}": "SAS",
        f"fs.azure.sas.fixed.token.{HOST}": "?sv=1&sig=abc",
        "fs.azure.account.key": "left over from another account",
    }

    assert obstore_names(AZURE, given) == {"azure_storage_sas_token": "sv=1&sig=abc"}


def test_client_of_azure_logs_in_with_its_tenant():
    given = {
        "fs.azure.account.auth.type": "OAuth",
        "fs.azure.account.oauth2.client.id": "id",
        "fs.azure.account.oauth2.client.secret": "secret",
        "fs.azure.account.oauth2.client.endpoint": "https://login.example/tenant/oauth2/token",
    }

    assert obstore_names(AZURE, given) == {
        "azure_client_id": "id",
        "azure_client_secret": "secret",
        "azure_tenant_id": "tenant",
        "azure_authority_host": "https://login.example",
    }


@pytest.mark.parametrize(
    "name",
    ["google.cloud.auth.service.account.json.keyfile", "fs.gs.auth.service.account.json.keyfile"],
)
def test_key_file_of_google(name):
    assert obstore_names("gs://bucket/t", {name: "/k.json"}) == {
        "google_service_account": "/k.json"
    }


def test_public_bucket_of_google_is_not_signed_for():
    given = {"fs.gs.auth.type": "UNAUTHENTICATED"}

    assert obstore_names("gs://bucket/t", given) == {"google_skip_signature": "true"}


def test_retries_and_timeouts_have_names_of_our_own_for_every_store():
    given = {
        "fs.puredelta.retry.limit": "1",
        "fs.puredelta.retry.timeout": "2s",
        "fs.puredelta.request.timeout": "3s",
        "fs.puredelta.connect.timeout": "4s",
    }

    assert obstore_names("gs://bucket/t", given) == {
        "max_retries": "1",
        "retry_timeout": "2s",
        "timeout": "3s",
        "connect_timeout": "4s",
    }


def test_options_of_another_family_are_left_out():
    assert obstore_names("gs://b/t", {"fs.s3a.access.key": "k", "dfs.replication": "1"}) == {}
    assert obstore_names("memory:///t", {"fs.s3a.access.key": "k"}) == {}


@pytest.mark.parametrize(
    ("url", "given"),
    [
        (
            S3,
            {
                "fs.s3a.access.key": "k",
                "fs.s3a.secret.key": "s",
                "fs.s3a.session.token": "t",
                "fs.s3a.endpoint.region": "r",
                "fs.s3a.requester.pays.enabled": "true",
                "fs.s3a.encryption.algorithm": "SSE-KMS",
                "fs.s3a.encryption.key": "arn",
                "fs.s3a.aws.credentials.provider": "Anonymous",
                "fs.s3a.endpoint": "h",
                "fs.s3a.path.style.access": "false",
            },
        ),
        (
            AZURE,
            {
                "fs.azure.account.key": "a2V5",
                "fs.azure.account.oauth2.client.id": "id",
                "fs.azure.account.oauth2.client.secret": "secret",
                "fs.azure.account.oauth2.client.endpoint": "https://login.example/tenant/x",
                "fs.azure.account.oauth2.msi.endpoint": "http://m",
                "fs.azure.account.oauth2.token.file": "/f",
            },
        ),
        ("abfss://box@acct.dfs.core.windows.net", {"fs.azure.sas.fixed.token": "sv=1&sig=a"}),
        ("gs://bucket", {"fs.gs.auth.type": "UNAUTHENTICATED", "fs.gs.storage.root.url": "h://x"}),
    ],
)
def test_obstore_knows_every_name(url, given):
    told = obstore_names(url, given)
    client = {key: told.pop(key) for key in ("allow_http",) if key in told}

    root = url.replace("s3a:", "s3:").removesuffix("/t")

    assert len(told) >= min(len(given), 2) - 1
    from_url(root, config=told, client_options=client)
