#!/usr/bin/env bash
# A model's answers to the demo items, recorded for everybody to replay: run again when a prompt has changed.
#   make demo-recordings MODEL=gpt-4o [OPTIONS="--api-base http://localhost:8000/v1"]
# All items by the two formats that show most, the first item by the others. The same command goes on where it
# stopped; delete runs/demo-recordings to begin afresh.
set -euo pipefail

bin=${1:?usage: demo_recordings.sh BIN MODEL [OPTION …]}
model=${2:?say which model: make demo-recordings MODEL=gpt-4o}
shift 2

demo=fixtures/demo
out=runs/demo-recordings
mkdir -p "$out"
head -n 1 "$demo/items.jsonl" >"$out/first.jsonl"

record() {
	items=$1 format=$2
	shift 2
	"$bin/conqret" judge "$items" --format "$format" --model "$model" "$@" \
		--recordings "$out/recordings.sqlite" -o "$out/$format" --overwrite --quiet
}

for format in rag-fine-grained listwise; do
	record "$demo/items.jsonl" "$format" "$@"
done
for format in listwise-rag pointwise direct g-eval static-rubric query-rubric rag-direct rag-rubric citation-support; do
	record "$out/first.jsonl" "$format" "$@"
done
"$bin/conqret" runs recordings export "$out/recordings.sqlite" "$out/recordings.jsonl"
gzip -9 -n -c "$out/recordings.jsonl" >"$demo/recordings.jsonl.gz"
ls -l "$demo/recordings.jsonl.gz"
