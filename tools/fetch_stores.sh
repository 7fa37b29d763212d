#!/usr/bin/env bash
# What the tests of stores need, into the user's cache: MinIO (built with Go), and from Maven Central
# the JARs by which Spark reaches S3 and a small HDFS. What is there already is left alone; what
# cannot be had is told, and its tests are skipped.
#
# usage: tools/fetch_stores.sh PYTHON
set -uo pipefail
here="$(dirname "$0")"

python="${1:-python3}"
cache="${PUREDELTA_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/puredelta}"
minio_version="v0.0.0-20260212201848-7aac2a2c5b7c"

jars="$("$python" -c 'import pyspark, pathlib; print(pathlib.Path(pyspark.__file__).parent / "jars")')"
hadoop="$(basename "$(ls "$jars"/hadoop-client-api-*.jar)" .jar)"
hadoop="${hadoop#hadoop-client-api-}"

build_minio() {
  [ -x "$cache/bin/minio" ] && return
  command -v go >/dev/null || { echo "MinIO: needs Go" >&2; return; }
  echo "building MinIO $minio_version into $cache/bin (once, some minutes)"
  GOBIN="$cache/bin" go install "github.com/minio/minio@$minio_version" || echo "MinIO: not built" >&2
}

fetch_jars() { # name
  local folder="$cache/$1-$hadoop"
  [ -e "$folder" ] && return
  command -v mvn >/dev/null || { echo "$1: needs Maven" >&2; return; }
  echo "fetching JARs of $1 for Hadoop $hadoop into $folder (once)"
  local part
  part="$(mktemp -d)"
  if mvn -q -B -f "$here/store_jars/$1.xml" "-Dhadoop=$hadoop" dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$part/jars"; then
    mkdir -p "$cache" && mv "$part/jars" "$folder"
  else
    echo "$1: not to be had for Hadoop $hadoop" >&2
  fi
  rm -rf "$part"
}

build_minio
fetch_jars s3a
fetch_jars hdfs
