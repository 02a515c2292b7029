#!/usr/bin/env bash
# Make a virtual environment with Python 3.11 to 3.13 at $1, even where ensurepip is missing; PYTHON names the Python.
set -euo pipefail
target=${1:?usage: make_venv.sh FOLDER}

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
version() { "$1" -c 'import sys; print(*sys.version_info[:2])'; }

candidates=(python3.12 python3.11 python3.13 python3 python)
[ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
python=""
for candidate in "${candidates[@]}"; do
  if fits "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
  [ -z "${PYTHON:-}" ] || echo "PYTHON=$PYTHON does not start, or is older than Python 3.11" >&2
  echo "worldgauge needs Python 3.11 to 3.13: install one, or name it with 'make PYTHON=/path/to/python3.12 ...'" >&2
  exit 1
fi

# An environment that is there is kept, unless another Python was named than the one it was made with.
if [ -x "$target/bin/python" ] && fits "$target/bin/python" && "$target/bin/python" -m pip --version >/dev/null 2>&1; then
  if [ -z "${PYTHON:-}" ] || [ "$(version "$python")" = "$(version "$target/bin/python")" ]; then exit 0; fi
fi
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
