#!/usr/bin/env bash
# What action.yml runs: conqret judge, with what the inputs say, which come by the environment and are never evaluated.
# Each error, a condition that is not met among them, becomes an annotation; the job's summary has the conditions and
# the means as tables, or the errors where nothing was judged. The exit code is that of conqret judge: 1 where a condition is not met, 2 where an input is wrong.
#   action.sh CONQRET
set -euo pipefail

arguments=()
while IFS= read -r line; do
    [ -z "${line// /}" ] || arguments+=(--require "$line")
done <<<"${REQUIRE:-}"
while IFS= read -r line; do
    [ -z "${line// /}" ] || arguments+=("$line")
done <<<"${ARGUMENTS:-}"

kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT

# Messages may quote items: until the pause ends, the runner takes no line for a command to itself.
pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$pause"
code=0
# An empty list is unbound to the bash of macOS, and a file's name may begin with a hyphen.
"$1" judge --format "$FORMAT" --model "$MODEL" --output "$OUTPUT" \
    --markdown "$kept/tables" ${arguments[@]+"${arguments[@]}"} -- "$ITEMS" 2>&1 >"$kept/result" | tee "$kept/said" || code=$?
cat "$kept/result"
echo "::$pause::"

# An error, and the lines below it that are indented, in one annotation each.
awk '{ gsub(/%/, "%25") }
    /^  / && told { told = told "%0A" $0; next }
    told { print told; told = "" }
    /^error: / { told = "::error title=conqret judge::" substr($0, 8) }
    END { if (told) print told }' "$kept/said"

case $code in
    0) verdict="every condition is met" ;;
    1) verdict="not every condition is met, or not every item is judged" ;;
    *) verdict="nothing was judged" ;;
esac
{
    printf '### conqret judge: %s\n\n' "$verdict"
    if [ -f "$kept/tables" ]; then
        cat "$kept/tables"
    else # four blanks make it code, which no text can leave
        tail -n 40 "$kept/said" | sed 's/^/    /'
    fi
    echo
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
