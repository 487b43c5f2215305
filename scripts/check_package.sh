#!/usr/bin/env bash
# Builds sdist and wheel from nothing, installs the wheel into a fresh environment away from the checkout,
# and looks there for everything that the checkout has.
#   scripts/check_package.sh .venv/bin/python
set -euo pipefail

cd "$(dirname "$0")/.."
root=$PWD
python=${1:?usage: check_package.sh PYTHON (one that has the package build)}

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT

rm -rf build dist
"$python" -m build --outdir dist . >"$away/log" 2>&1 || { cat "$away/log" >&2; exit 1; }

"$python" -m venv "$away/venv"
"$away/venv/bin/pip" install --quiet dist/*.whl -c constraints.txt

cd "$away"
"$away/venv/bin/python" -I "$root/scripts/check_package.py" "$root"
"$away/venv/bin/conqret" --help >/dev/null
echo "conqret --help runs from the wheel."
