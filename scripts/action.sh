#!/usr/bin/env bash
# What action.yml runs: conqret judge, with what the inputs say. Inputs come by the environment and are never evaluated.
set -euo pipefail

arguments=()
while IFS= read -r line; do
    [ -z "$line" ] || arguments+=(--require "$line")
done <<<"${REQUIRE:-}"
while IFS= read -r line; do
    [ -z "$line" ] || arguments+=("$line")
done <<<"${ARGUMENTS:-}"

# An empty list is unbound to the bash of macOS, and a file's name may begin with a hyphen.
exec "${CONQRET:-conqret}" judge --format "$FORMAT" --model "$MODEL" --output "$OUTPUT" \
    ${arguments[@]+"${arguments[@]}"} -- "$ITEMS"
