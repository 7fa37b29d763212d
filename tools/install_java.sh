#!/usr/bin/env bash
# See that there is a Java that Spark 4 runs on (17 or newer); install one where apt-get may, else say how.
set -euo pipefail

major_of() { # "17.0.15" from `java -version`, then its first number
  "$1" -version 2>&1 | sed -nE 's/.*version "([0-9]+).*/\1/p' | head -n 1
}

java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
major=0
if command -v "$java" >/dev/null; then major=$(major_of "$java"); fi
if [ "${major:-0}" -ge 17 ]; then exit 0; fi
if [ -n "${JAVA_HOME:-}" ]; then
  echo "JAVA_HOME ($JAVA_HOME) holds no Java 17 or newer, which Spark 4 needs: point it at one, or unset it." >&2
  exit 1
fi

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
  echo "no Java 17: installing openjdk-17-jre-headless with apt-get (once)"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless >/dev/null \
    || as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless >/dev/null
  exit 0
fi
echo "Spark 4 needs Java 17 or newer. Install it with: sudo apt-get install openjdk-17-jre-headless" >&2
exit 1
