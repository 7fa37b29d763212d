#!/usr/bin/env bash
# Make a virtual environment with a pip that knows dependency groups: make_venv.sh PYTHON FOLDER
set -euo pipefail
python=$1 folder=$2

make_it() { "$python" -m venv "$folder" >/dev/null 2>&1; }

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

if ! make_it; then
  # Debian and Ubuntu keep venv in a package of its own.
  rm -rf "$folder"
  if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq python3-venv >/dev/null
  fi
  make_it || { echo "'$python -m venv' does not work here; on Debian: apt-get install python3-venv" >&2; exit 1; }
fi
"$folder/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
