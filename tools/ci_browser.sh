#!/usr/bin/env bash
# On a CI machine run as root, install Debian's Chromium for the browser tests. Elsewhere they use a browser that is
# there, or skip: a test command must not install a browser on somebody's own machine.
set -uo pipefail
if [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromium >/dev/null; then
  apt-get update -qq && apt-get install -y -qq chromium >/dev/null || echo "no Chromium: the browser tests will skip"
fi
exit 0
