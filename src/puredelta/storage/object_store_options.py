"""How an object store is entered: its options sorted into those of the store, client and retries.

The options are secret: nothing here shows them, and `without_secrets` removes them from messages
that quote them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from puredelta.errors import DeltaIllegalArgumentError

# The options of obstore's HTTP client; all others are options of the store.
_CLIENT_OPTIONS = frozenset(
    {
        "allow_http",
        "allow_invalid_certificates",
        "connect_timeout",
        "default_content_type",
        "http1_only",
        "http2_keep_alive_interval",
        "http2_keep_alive_timeout",
        "http2_keep_alive_while_idle",
        "http2_only",
        "pool_idle_timeout",
        "pool_max_idle_per_host",
        "proxy_ca_certificate",
        "proxy_excludes",
        "proxy_url",
        "randomize_addresses",
        "read_timeout",
        "root_certificate",
        "timeout",
        "user_agent",
    }
)
# Other libraries write them like the store's own, as in AWS_ALLOW_HTTP.
_STORE_PREFIX = re.compile(r"^(aws|azure|google)_")
_DURATIONS = frozenset(
    {
        "connect_timeout",
        "http2_keep_alive_interval",
        "http2_keep_alive_timeout",
        "pool_idle_timeout",
        "read_timeout",
        "retry_timeout",
        "timeout",
    }
)
# Longer waits overflow in the client, as do numbers of more digits.
_LONGEST = timedelta(days=365)
_DIGITS = 6
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d+)\s*(ms|s|m|h|d)?")

MAX_RETRIES = 10
RETRY_TIMEOUT = "60s"

_NOT_SECRET = re.compile(
    r"region|endpoint|timeout|retries|account_name|virtual_hosted|allow_|skip_|http|pool_"
)
_SIGNATURE = re.compile(r"(?i)((?:sig|signature|token|x-amz-[a-z-]+)=)[^&\s\"')]+")
_HIDDEN = "***"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Options as obstore takes them.

    Attributes:
        config: Options of the store.
        client: Options of its HTTP client.
        max_retries: How often a request is tried again at most.
        retry_timeout: For how long after the first try.
    """

    config: tuple[tuple[str, str], ...] = field(repr=False)
    client: tuple[tuple[str, str | timedelta], ...] = field(repr=False)
    max_retries: int
    retry_timeout: timedelta


def access_of(url: str, options: Mapping[str, str]) -> Access:
    """Sort options, in the names of obstore.

    Args:
        url: The table, for messages.
        options: Of the store and of its client, with `max_retries` and `retry_timeout`. Those of
            the client may have the store's prefix, as in `aws_allow_http`. Durations
            have a unit (`500ms`, `30s`, `2m`) or are in milliseconds, as in Hadoop.

    Raises:
        DeltaIllegalArgumentError: A duration or a number that is none.
    """
    given = {_plain_name(key.lower()): value for key, value in options.items()}
    retries = given.pop("max_retries", str(MAX_RETRIES))
    if not (retries.isascii() and retries.isdigit() and len(retries.lstrip("0")) <= _DIGITS):
        raise _refused(url, "max_retries", retries)
    timeout = _duration(url, "retry_timeout", given.pop("retry_timeout", RETRY_TIMEOUT))
    return Access(
        config=tuple(sorted((k, v) for k, v in given.items() if k not in _CLIENT_OPTIONS)),
        client=tuple(
            sorted(
                (k, _duration(url, k, v) if k in _DURATIONS else v)
                for k, v in given.items()
                if k in _CLIENT_OPTIONS
            )
        ),
        max_retries=int(retries),
        retry_timeout=timeout,
    )


def without_secrets(text: str, options: Mapping[str, str]) -> str:
    """Remove secret values of options, and signatures in URLs, from a text.

    >>> without_secrets("GET https://a/c?sv=1&sig=Zm9v failed with hunter22", {"key": "hunter22"})
    'GET https://a/c?sv=1&sig=*** failed with ***'
    """
    # Values of up to three characters occur in ordinary words.
    secret = (v for k, v in options.items() if len(v) > 3 and not _NOT_SECRET.search(k.lower()))
    # Longer values first: a shorter one may be a part of a longer one.
    for value in sorted(secret, key=len, reverse=True):
        text = text.replace(value, _HIDDEN)
    return _SIGNATURE.sub(rf"\1{_HIDDEN}", text)


def _plain_name(name: str) -> str:
    plain = _STORE_PREFIX.sub("", name)
    return plain if plain in _CLIENT_OPTIONS else name


def _duration(url: str, name: str, text: str) -> timedelta:
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise _refused(url, name, text)
    seconds = float(found[1]) * _UNITS[found[2] or "ms"]
    if seconds > _LONGEST.total_seconds():
        raise _refused(url, name, text)
    return timedelta(seconds=seconds)


def _refused(url: str, name: str, text: str) -> DeltaIllegalArgumentError:
    return DeltaIllegalArgumentError(
        "DELTA_STORAGE_OPTION_VALUE_INVALID", url=url, name=name, value=text
    )
