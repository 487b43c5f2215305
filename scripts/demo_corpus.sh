#!/usr/bin/env bash
# From debate pages to rankings, on the fixture site. Run by fixtures/site.py, which sets SITE_URL and SITE_URLS:
#   .venv/bin/python fixtures/site.py --run scripts/demo_corpus.sh .venv/bin runs/demo-corpus
set -euo pipefail

bin=${1:?usage: demo_corpus.sh BIN CORPUS, run by fixtures/site.py}
corpus=${2:?usage: demo_corpus.sh BIN CORPUS, run by fixtures/site.py}
rm -rf "$corpus"
export CONQRET_SEARXNG_URL=$SITE_URL

"$bin/conqret" corpus debates "$SITE_URLS" -o "$corpus" --allow-private --delay 0 --quiet
for index in procon resources/debatabase; do
	"$bin/conqret" corpus topics "$SITE_URL/$index" -o "$corpus/topics.txt" --overwrite --allow-private --delay 0
	"$bin/conqret" corpus debates "$corpus/topics.txt" -o "$corpus" --allow-private --delay 0 --quiet
done
"$bin/conqret" corpus evidence "$corpus" --allow-private --delay 0 --search searxng --quiet
"$bin/conqret" corpus build "$corpus" --seed 13
"$bin/conqret" retrieve index "$corpus"
for side in pro con; do
	"$bin/conqret" retrieve run "$corpus" --stance "$side" --rerank offline -k 10 -o "$corpus/runs/$side.res.gz"
done
"$bin/conqret" retrieve evaluate "$corpus" --systems bm25,generic,pro,con
