#!/usr/bin/env bash
# Make a virtual environment with Python 3.11 or newer at $1, even where ensurepip is missing.
set -euo pipefail
target=${1:?usage: make_venv.sh FOLDER}

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

python=""
for candidate in "${PYTHON:-}" python3.12 python3.11 python3 python; do
  if [ -n "$candidate" ] && fits "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
  echo "worldgauge needs Python 3.11 or newer: install it, or name one with 'make PYTHON=/path/to/python3.12 ...'" >&2
  exit 1
fi

if [ -x "$target/bin/python" ] && fits "$target/bin/python" && "$target/bin/python" -m pip --version >/dev/null 2>&1; then exit 0; fi
rm -rf "$target"
if "$python" -m venv "$target" >/dev/null 2>&1; then exit 0; fi
# Debian and Ubuntu ship Python without ensurepip; an existing pip can fill the new environment instead.
rm -rf "$target"
if "$python" -m venv --without-pip "$target" && "$python" -m pip --python "$target/bin/python" install --quiet pip; then exit 0; fi
rm -rf "$target"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq python3-venv && "$python" -m venv "$target" && exit 0
fi
echo "this Python has neither ensurepip nor pip: install the package python3-venv, then run the same command again" >&2
exit 1
