#!/usr/bin/env bash
# Each extra by itself, beside the built wheel and nothing else: it is installed, and what conqret asks for where it needs
# it (scripts/extras.txt) is imported. Exit code 1 where one fails; the others are tried all the same.
#   scripts/check_extras.sh PYTHON [EXTRA …]     (after scripts/check_package.sh, which builds dist/)
# Extras of adapters go without constraints.txt, as in scripts/test_adapters.sh, but for torch, which weighs gigabytes:
# pip's settings (PIP_FIND_LINKS, PIP_EXTRA_INDEX_URL) can lead to its build for CPUs.
set -euo pipefail

cd "$(dirname "$0")/.."
root=$PWD
python=${1:?usage: check_extras.sh PYTHON [EXTRA …]}
shift
[ -n "$(ls dist/*.whl 2>/dev/null)" ] || { echo "no wheel in dist/: run scripts/check_package.sh first" >&2; exit 1; }
wheel=$(ls "$root"/dist/*.whl)
for extra in "$@"; do
    grep -q "^$extra " scripts/extras.txt || { echo "no such extra in scripts/extras.txt: $extra" >&2; exit 2; }
done

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
grep '^torch==' constraints.txt >"$away/torch.txt"
# AutoJudge loads these from the network as it is imported, where they are not there.
mkdir -p "$away/nltk/corpora/stopwords"
echo the >"$away/nltk/corpora/stopwords/english"
export NLTK_DATA=$away/nltk
"$python" -m venv "$away/base"
"$away/base/bin/pip" install --quiet "$wheel" -c constraints.txt
purelib='import sysconfig; print(sysconfig.get_path("purelib"))'
base=$("$away/base/bin/python" -c "$purelib")

# In an environment that has the base install already, and nothing else.
check() {
    local extra=$1 modules=$2 constraints=constraints.txt
    if grep -q "^$extra " scripts/adapters.txt; then constraints=$away/torch.txt; fi
    "$python" -m venv "$away/one" &&
        echo "$base" >"$("$away/one/bin/python" -c "$purelib")/base.pth" &&
        "$away/one/bin/pip" install --quiet --no-compile "$wheel[$extra]" -c "$constraints" &&
        "$away/one/bin/pip" check --quiet &&
        (cd "$away" && "$away/one/bin/python" -I -c "import conqret, ${modules// /, }") &&
        echo "$extra: installed ($(du -sh "$away/one" | cut -f1), $((SECONDS - began)) s), imports ${modules// /, }"
}

failed=()
while read -r extra modules <&3; do
    case $extra in '' | \#*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $extra "* ]]; then continue; fi
    began=$SECONDS
    check "$extra" "$modules" || failed+=("$extra")
    rm -rf "$away/one"
done 3<scripts/extras.txt

if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
