#!/usr/bin/env bash
# Each adapter's tests with the real library, each in an environment of its own under .adapters/, so that one conflict
# breaks one: test_adapters.sh PYTHON [NAME …]. Exit code 1 where one fails; the others are run all the same. Packages
# of npm (npm:NAME@VERSION) go into the same folder, where there is an npm; else the tests that want them are skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

python=$1
shift
failed=()
while read -r name libraries <&3; do
  case $name in '' | \#*) continue ;; esac
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  echo "== $name: $libraries"
  place=$PWD/.adapters/$name
  wheels=(pytest pytest-asyncio pytest-timeout pytest-xdist hypothesis)
  nodes=()
  for one in $libraries; do
    case $one in npm:*) nodes+=("${one#npm:}") ;; *) wheels+=("$one") ;; esac
  done
  if ! command -v npm >/dev/null; then nodes=(); fi
  { [ -x "$place/bin/pip" ] || "$python" -m venv "$place"; } &&
    "$place/bin/pip" install --quiet -e . "${wheels[@]}" &&
    { [ ${#nodes[@]} -eq 0 ] || npm install --loglevel error --no-save --prefix "$place" "${nodes[@]}"; } &&
    PATH=$place/node_modules/.bin:$PATH "$place/bin/python" -m pytest -q -rs -p no:cacheprovider -n 0 \
      tests/adapters/test_"$name"*.py || failed+=("$name")
done 3<scripts/adapters.txt

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
