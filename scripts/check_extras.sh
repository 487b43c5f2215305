#!/usr/bin/env bash
# Each extra by itself, beside the built wheel and nothing else: what it brings can be resolved, installed and imported.
# The others are resolved (pip install --dry-run): those that bring torch weigh gigabytes, and those of adapters, which
# go without constraints.txt, are installed and tested by scripts/test_adapters.sh.
#   scripts/check_extras.sh .venv/bin/python     (after scripts/check_package.sh, which builds dist/)
set -euo pipefail

cd "$(dirname "$0")/.."
root=$PWD
python=${1:?usage: check_extras.sh PYTHON}
[ -n "$(ls dist/*.whl 2>/dev/null)" ] || { echo "no wheel in dist/: run scripts/check_package.sh first" >&2; exit 1; }
wheel=$(ls "$root"/dist/*.whl)

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
"$python" -m venv "$away/base"
"$away/base/bin/pip" install --quiet "$wheel" -c constraints.txt
base=$("$away/base/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# An environment that has the base install already, and nothing else.
fresh() {
    "$python" -m venv "$away/$1"
    echo "$base" >"$("$away/$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/base.pth"
}

installed() {
    fresh "$1"
    "$away/$1/bin/pip" install --quiet "$wheel[$1]" -c constraints.txt
    (cd "$away" && "$away/$1/bin/python" -I -c "import conqret, ${2// /, }")
    seen+=" $1 "
    echo "$1: installed, and imports ${2// /, }"
}

resolved() {
    fresh "$1"
    constraints=(-c constraints.txt)
    if grep -q "^$1 " scripts/adapters.txt; then constraints=(); fi
    "$away/$1/bin/pip" install --quiet --dry-run "$wheel[$1]" ${constraints[@]+"${constraints[@]}"}
    echo "$1: resolved only"
}

seen=" dev "
installed pandas "pandas pyarrow"
installed scrape "trafilatura lxml.html pypdf warcio protego charset_normalizer"
installed retrieval "pyterrier bm25s Stemmer ir_measures"
installed stats "numpy scipy"
installed plots "matplotlib"
installed pytest "pytest conqret.pytest_plugin"
installed anova "statsmodels.api"
installed web "starlette uvicorn conqret.web.server"
every=$("$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"])')
for extra in $every; do
    case $seen in *" $extra "*) ;; *) resolved "$extra" ;; esac
done
