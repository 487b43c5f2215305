#!/usr/bin/env bash
# Puts a Chromium on the machine for the tests that look at the report in a real browser.
# Where that cannot be done it says so and ends well: those tests then skip, with their reason.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done

skip() {
  echo "No Chromium: $1. The browser tests will be skipped; install the package 'chromium' to run them." >&2
  exit 0
}

command -v apt-get >/dev/null || skip "this system has no apt-get"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || skip "not root, and there is no sudo"
  sudo -n true 2>/dev/null || skip "not root, and sudo asks for a password"
  as_root=(sudo -n)
fi

export DEBIAN_FRONTEND=noninteractive
echo "Installing Chromium (Debian package) for the browser tests ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -q &&
       "${as_root[@]}" apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; } >"$log" 2>&1
then
  tail -n 5 "$log" >&2
  skip "apt-get failed (its last lines are above)"
fi
