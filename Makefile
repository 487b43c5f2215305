# make demo       judge the demo items offline, replay a model's answers to them, and write a report (no key, no network)
# make demo-corpus  from debate pages to rankings, on a small site served from this machine
# make test       everything pytest finds, a real browser included where one can be had
# make torture    every attack of docs/results/attacks.md at full length
# make test-adapters  each adapter with the real library, in an environment of its own (ADAPTERS=autojudge: only that)
# make docs       the documentation site, in site/, with its notebooks executed
# make pictures   the pictures of README.md and docs/, from runs
# make check      lint, typecheck, layers, package, docs-check
# Set-up is repeated only when pyproject.toml or constraints.txt change.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo demo-recordings demo-corpus test test-adapters torture coverage check lint format typecheck layers package extras docs docs-check pages-check pictures audit clean

VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base-installed
DEV := $(VENV)/.dev-installed
CORPUS := $(VENV)/.corpus-installed
DOCS := .docs
DEMO := runs/demo
ITEMS := fixtures/demo/items.jsonl
RECORDED := openai/claude
# Processes for the tests: one more than two cores, since tests wait for servers, signals and processes. Each takes 1.5 GB.
JOBS ?= 3
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The first interpreter that answers and is new enough; 3.11 is the one that constraints.txt was made on.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

help:
	@sed -n 's/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST)) | sed -n '1,9p'

define make_venv
@test -n "$(PYTHON)" || { echo "conqret needs Python 3.11 or newer on PATH (or: make PYTHON=/path/to/python)" >&2; exit 1; }
@test -x $(1)/bin/pip || $(PYTHON) -m venv $(1)
endef

$(BASE): pyproject.toml constraints.txt
	$(call make_venv,$(VENV))
	$(BIN)/pip install --quiet -e . -c constraints.txt
	@touch $@

$(CORPUS): pyproject.toml constraints.txt
	$(call make_venv,$(VENV))
	$(BIN)/pip install --quiet -e '.[scrape,retrieval]' -c constraints.txt
	@touch $(BASE) $@

$(DEV): pyproject.toml constraints.txt
	$(call make_venv,$(VENV))
	$(BIN)/pip install --quiet -e '.[dev]' -c constraints.txt
	@touch $(BASE) $(CORPUS) $@

demo: $(BASE)
	@$(BIN)/conqret judge $(ITEMS) --format rag-fine-grained --model offline -o $(DEMO)-offline --quiet >/dev/null
	@$(BIN)/conqret judge $(ITEMS) --format rag-fine-grained --model $(RECORDED) --replay fixtures/demo/recordings.jsonl.gz -o $(DEMO) --quiet >/dev/null
	$(BIN)/conqret runs report $(DEMO) --recordings fixtures/demo/recordings.jsonl.gz
	@echo
	@echo "Open $(DEMO)/report.html. Then, for example:"
	@echo "  . $(BIN)/activate    # so that the shell finds conqret; or type $(BIN)/conqret"
	@echo "  conqret judge $(ITEMS) --format direct"
	@echo "  conqret runs show $(DEMO) voting-age-pro"
	@echo "  conqret validate $(DEMO) --labels fixtures/demo/labels.jsonl"

demo-recordings: $(BASE)
	scripts/demo_recordings.sh $(BIN) "$(MODEL)" $(OPTIONS)

demo-corpus: $(CORPUS)
	$(BIN)/python fixtures/site.py --run scripts/demo_corpus.sh $(BIN) $(DEMO)-corpus

# Bytecode is kept whatever the shell says: each worker, and each command that a test starts, would compile everything anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(DEV)
	@scripts/install_chromium.sh
	$(BIN)/pytest -n $(JOBS) --dist loadgroup $(ARGS)
	@echo "Next: make demo, or . $(BIN)/activate and conqret --help"

test-adapters:
	@test -n "$(PYTHON)" || { echo "conqret needs Python 3.11 or newer on PATH" >&2; exit 1; }
	scripts/test_adapters.sh $(PYTHON) $(ADAPTERS)

# The short form of the same attacks is part of make test.
torture: $(DEV)
	CONQRET_TORTURE=1 $(BIN)/pytest -n $(JOBS) tests/torture $$(grep -o 'tests/[a-z_/]*\.py' docs/results/attacks.md | sort -u)

coverage: $(DEV)
	$(BIN)/pytest -n $(JOBS) --cov --cov-report=term-missing $(ARGS)

check: lint typecheck layers package docs-check

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/check_words.py

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What is installed, as one tree: the only place where judges/, prompts/ and scrapers/ lie under conqret/.
# The metadata of the tree would shadow the editable install's, so it goes.
define build_tree
@rm -rf build
@$(BIN)/pip install --quiet --no-deps --target build/typed .
@rm -rf build/lib build/bdist.* build/typed/*.dist-info build/typed/bin
endef

typecheck: $(DEV)
	$(build_tree)
	cd build/typed && ../../$(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache conqret

layers: $(DEV)
	$(build_tree)
	cd build/typed && ../../$(BIN)/lint-imports --config ../../pyproject.toml --no-cache

package: $(DEV)
	scripts/check_package.sh $(BIN)/python

# Each extra, installed from the wheel that "package" built (EXTRAS="tune ray": only those). All take an hour and gigabytes,
# so .ci/extras is a job of its own.
extras: package
	scripts/check_extras.sh $(BIN)/python $(EXTRAS)

docs-check: $(DEV)
	$(BIN)/python scripts/check_docs.py --run

$(DOCS)/.installed: pyproject.toml constraints.txt
	$(call make_venv,$(DOCS))
	$(DOCS)/bin/pip install --quiet -e '.[docs]' -c constraints.txt
	@touch $@

# The site, every warning an error (--quiet would hide them from that). Its pages load nothing from elsewhere. Then its search
# is asked what people type (scripts/site/queries.toml; without Node it says that nothing was checked).
docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict
	$(DOCS)/bin/python scripts/check_search.py site
	@echo "Next: python -m http.server --directory site, and open http://localhost:8000 (or site/index.html, without search)"

# A page of each kind, and the documentation where it is made, in Chromium with axe-core: two widths, light and dark.
# Without Chromium, or npm for axe-core, it says that nothing was checked.
pages-check: $(DEV)
	@scripts/install_chromium.sh
	$(BIN)/python scripts/check_pages.py $(ARGS)

pictures: $(DEV)
	@scripts/install_chromium.sh
	$(BIN)/python scripts/pictures.py $(ARGS)

audit: $(DEV)
	scripts/audit.sh $(BIN)/python

clean:
	rm -rf build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache
