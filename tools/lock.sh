#!/usr/bin/env bash
# Print the exact versions of what an environment has, as a requirements file: lock.sh PYTHON
set -euo pipefail
python=$1

cat <<COMMENT
# What lint and tests run with, in exact versions: $("$python" -c 'import platform; print(f"{platform.python_implementation()} {platform.python_version()}, {platform.system()}")').
# Made by \`make lock\`. To get the same environment:
#   .venv/bin/python -m pip install -r requirements-dev.lock
COMMENT
"$python" -m pip freeze --exclude-editable
