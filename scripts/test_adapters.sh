#!/usr/bin/env bash
# Each adapter's tests with the real library, each in an environment of its own under .adapters/, so that one conflict
# breaks one: test_adapters.sh PYTHON [NAME …]. Exit code 1 where one fails; the others are run all the same.
set -uo pipefail
cd "$(dirname "$0")/.."

python=$1
shift
failed=()
while read -r name libraries; do
  case $name in '' | \#*) continue ;; esac
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  echo "== $name: $libraries"
  place=.adapters/$name
  # shellcheck disable=SC2086
  { [ -x "$place/bin/pip" ] || "$python" -m venv "$place"; } &&
    "$place/bin/pip" install --quiet -e '.[stats]' $libraries pytest pytest-asyncio pytest-xdist hypothesis &&
    "$place/bin/python" -m pytest -q -p no:cacheprovider -n 0 tests/adapters/test_"$name"*.py || failed+=("$name")
done <scripts/adapters.txt

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
