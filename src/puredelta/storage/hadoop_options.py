"""Options of Hadoop's file systems under the names that obstore has for them.

One set of options opens the data, which Spark reads through Hadoop, and the log, which we read
through obstore. What is not in the tables below concerns only Spark's side and is left out.
"""

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit

from puredelta.storage.location import scheme_of

HADOOP_PREFIXES = ("fs.", "dfs.")
"""How the names of a Hadoop file system's options start."""

_ALSO_HADOOP = (*HADOOP_PREFIXES, "google.cloud.auth.")

_S3_SCHEMES = frozenset({"s3", "s3a", "s3n"})
_AZURE_SCHEMES = frozenset({"az", "abfs", "abfss", "wasb", "wasbs"})
_GOOGLE_SCHEMES = frozenset({"gs", "gcs"})

_S3 = {
    "access.key": "aws_access_key_id",
    "secret.key": "aws_secret_access_key",
    "session.token": "aws_session_token",
    "endpoint.region": "aws_region",
    "requester.pays.enabled": "aws_request_payer",
    "connection.establish.timeout": "connect_timeout",
    "connection.request.timeout": "timeout",
}
_S3_ENCRYPTION = {"SSE-KMS": "aws:kms", "DSSE-KMS": "aws:kms:dsse", "AES256": "AES256"}

_AZURE = {
    "fs.azure.account.key": "azure_storage_account_key",
    "fs.azure.sas.fixed.token": "azure_storage_sas_token",
    "fs.azure.account.oauth2.client.id": "azure_client_id",
    "fs.azure.account.oauth2.client.secret": "azure_client_secret",
    "fs.azure.account.oauth2.msi.tenant": "azure_tenant_id",
    "fs.azure.account.oauth2.msi.endpoint": "azure_msi_endpoint",
    "fs.azure.account.oauth2.token.file": "azure_federated_token_file",
}
# The keys that each kind of log-in uses; the session may have settings of the other kinds too.
_AZURE_OF_KIND = {
    "sharedkey": ("fs.azure.account.key",),
    "sas": ("fs.azure.sas.fixed.token",),
    "oauth": tuple(key for key in _AZURE if "oauth2" in key),
}

_GOOGLE = {
    "google.cloud.auth.service.account.json.keyfile": "google_service_account",
    "fs.gs.auth.service.account.json.keyfile": "google_service_account",
    "fs.gs.storage.root.url": "google_base_url",
}

_OWN = {
    "fs.puredelta.retry.limit": "max_retries",
    "fs.puredelta.retry.timeout": "retry_timeout",
    "fs.puredelta.request.timeout": "timeout",
    "fs.puredelta.connect.timeout": "connect_timeout",
}


def obstore_names(url: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return options in the names of obstore.

    Options that already have a name of obstore stay, and override those with names of Hadoop.

    Args:
        url: The table; it says which store and, for options of one bucket or account, which one.
        options: In either kind of names.

    >>> obstore_names("s3a://b/t", {"fs.s3a.endpoint": "http://localhost:9000"})
    {'aws_endpoint': 'http://localhost:9000', 'allow_http': 'true'}
    """
    scheme = scheme_of(url)
    plain = {key: value for key, value in options.items() if not key.startswith(_ALSO_HADOOP)}
    translate = next((known for schemes, known in _FAMILIES if scheme in schemes), None)
    translated = translate(url, options) if translate else {}
    return {**translated, **_renamed(options, _OWN), **plain}


# ------------------------------------------------------------------------------------------- S3


def _of_s3(url: str, options: Mapping[str, str]) -> dict[str, str]:
    bucket = urlsplit(url).netloc
    given = _of_bucket(bucket, options)
    return {
        **_renamed(given, _S3),
        **_s3_endpoint(bucket, given),
        **_s3_anonymous(given),
        **_s3_encryption(given),
        **_s3_attempts(given),
        **_s3_proxy(given),
    }


def _of_bucket(bucket: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return what holds for one bucket, without the prefix: its own options cover the general."""
    own = f"fs.s3a.bucket.{bucket}."
    general = _below("fs.s3a.", options)
    return {**general, **_below(own, options)}


def _s3_endpoint(bucket: str, given: Mapping[str, str]) -> dict[str, str]:
    endpoint = given.get("endpoint", "")
    if not endpoint or endpoint == "s3.amazonaws.com":
        return {}
    secure = given.get("connection.ssl.enabled", "true").lower() != "false"
    if "://" not in endpoint:
        endpoint = f"{'https' if secure else 'http'}://{endpoint}"
    options = {"aws_endpoint": endpoint}
    if given.get("path.style.access", "true").lower() == "false":
        # obstore expects the bucket in the endpoint if it is to be in the name of the host.
        protocol, _, host = endpoint.partition("://")
        options["aws_endpoint"] = f"{protocol}://{bucket}.{host}"
        options["aws_virtual_hosted_style_request"] = "true"
    if endpoint.startswith("http://"):
        options["allow_http"] = "true"
    return options


def _s3_anonymous(given: Mapping[str, str]) -> dict[str, str]:
    first = given.get("aws.credentials.provider", "").split(",")[0].strip()
    return {"aws_skip_signature": "true"} if "Anonymous" in first else {}


def _s3_encryption(given: Mapping[str, str]) -> dict[str, str]:
    kind = given.get("encryption.algorithm") or given.get("server-side-encryption-algorithm", "")
    key = given.get("encryption.key") or given.get("server-side-encryption.key", "")
    if kind == "SSE-C":
        return {"aws_server_side_encryption": "sse-c", "aws_sse_customer_key_base64": key}
    if kind not in _S3_ENCRYPTION:
        return {}
    options = {"aws_server_side_encryption": _S3_ENCRYPTION[kind]}
    return {**options, "aws_sse_kms_key_id": key} if key else options


def _s3_attempts(given: Mapping[str, str]) -> dict[str, str]:
    attempts = given.get("attempts.maximum", "")
    # Hadoop counts all attempts, obstore the repetitions.
    return {"max_retries": str(max(int(attempts) - 1, 0))} if attempts.isdigit() else {}


def _s3_proxy(given: Mapping[str, str]) -> dict[str, str]:
    host = given.get("proxy.host")
    if not host:
        return {}
    credentials = ""
    if given.get("proxy.username"):
        # A password may have characters that end this part of a URL.
        secret = quote(given.get("proxy.password", ""), safe="")
        credentials = f"{quote(given['proxy.username'], safe='')}:{secret}@"
    port = f":{given['proxy.port']}" if given.get("proxy.port") else ""
    protocol = "https" if given.get("proxy.ssl.enabled", "").lower() == "true" else "http"
    return {"proxy_url": f"{protocol}://{credentials}{host}{port}"}


# ---------------------------------------------------------------------------------------- Azure


def _of_azure(url: str, options: Mapping[str, str]) -> dict[str, str]:
    host = urlsplit(url).netloc.rpartition("@")[2]
    given = _of_account(host, options)
    kind = given.get("fs.azure.account.auth.type", "").lower()
    wanted = _AZURE_OF_KIND.get(kind, tuple(_AZURE))
    translated = _renamed(given, {key: _AZURE[key] for key in wanted})
    if "fs.azure.account.oauth2.client.endpoint" in given and kind in {"oauth", ""}:
        translated |= _azure_tenant(given["fs.azure.account.oauth2.client.endpoint"])
    if "azure_storage_sas_token" in translated:
        translated["azure_storage_sas_token"] = translated["azure_storage_sas_token"].removeprefix(
            "?"
        )
    return translated


def _of_account(host: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return what holds for one account: `KEY.ACCOUNT.dfs.core.windows.net` covers `KEY`."""
    azure = {key: value for key, value in options.items() if key.startswith("fs.azure.")}
    # The two end points of an account have one key, and either name may stand in a setting.
    hosts = {host, host.replace(".blob.", ".dfs."), host.replace(".dfs.", ".blob.")} - {""}
    own = {
        key.removesuffix(f".{each}"): value
        for each in sorted(hosts)
        for key, value in azure.items()
        if key.endswith(f".{each}")
    }
    return {**azure, **own}


def _azure_tenant(endpoint: str) -> dict[str, str]:
    """Take `https://login.microsoftonline.com/TENANT/oauth2/token` apart."""
    parts = urlsplit(endpoint)
    tenant = parts.path.strip("/").partition("/")[0]
    options = {"azure_authority_host": f"{parts.scheme}://{parts.netloc}"}
    return {**options, "azure_tenant_id": tenant} if tenant else options


# --------------------------------------------------------------------------------------- Google


def _of_google(_: str, options: Mapping[str, str]) -> dict[str, str]:
    translated = _renamed(options, _GOOGLE)
    kind = options.get("fs.gs.auth.type") or options.get("google.cloud.auth.type", "")
    if kind.upper() == "UNAUTHENTICATED":
        translated["google_skip_signature"] = "true"
    return translated


# ----------------------------------------------------------------------------------------------


def _renamed(options: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    return {name: options[key] for key, name in names.items() if options.get(key)}


def _below(prefix: str, options: Mapping[str, str]) -> dict[str, str]:
    return {
        key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)
    }


_FAMILIES: tuple[tuple[frozenset[str], Callable[[str, Mapping[str, str]], dict[str, str]]], ...] = (
    (_S3_SCHEMES, _of_s3),
    (_AZURE_SCHEMES, _of_azure),
    (_GOOGLE_SCHEMES, _of_google),
)
