# Every target sets up .venv by itself. `make demo` is the place to start.
#   PYTHON=python3.12 make test          another interpreter (3.11 or newer)
#   make test-llm LLM_MODEL=qwen2.5-coder-0.5b LLAMA_WHEEL=/some/where/llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl
#   make bench INSTANCES=lite.jsonl MIRRORS='/some/where/{owner}+{name}/repo' OUT=predictions.jsonl BENCH_ARGS='--limit 20'

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OUT ?= predictions.jsonl
TEST_JOBS ?= 2
BENCH_ARGS ?=
LLM_MODEL ?= smollm2-135m
LLM_ARGS ?=
export LLM_MODEL LLM_DIR LLAMA_WHEEL

.DEFAULT_GOAL := help
.PHONY: help install demo test test-llm llm-server check format docs bench clean

help:
	@echo "make demo    two tasks and two questions: on this repository and on installed packages"
	@echo "make test    the whole test suite, in two processes (TEST_JOBS=n for others)"
	@echo "make test-llm    every door with a real small model; builds llama.cpp on first use (docs/llm.md)"
	@echo "make llm-server  serve that model for your own questions: LLM_MODEL=smollm2-135m|qwen2.5-coder-0.5b"
	@echo "make check   ruff, mypy --strict, import-linter"
	@echo "make format  let ruff lay out the code"
	@echo "make docs    the documentation site, in build/site; without network"
	@echo "make bench   file localization: INSTANCES=... MIRRORS=... [OUT=...] [BENCH_ARGS=...]"
	@echo "make clean   remove .venv, builds and caches"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say PYTHON=python3.12 make ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP)
	@echo '--- this repository ---'
	$(BIN)/iterative-retrieval "Stop the retrieval loop earlier when a cycle brings no new file and no score gain" --root . --budget 4000
	@echo
	@echo '--- an installed package: typer ---'
	$(BIN)/iterative-retrieval "Shell completion suggests nothing for a choice option when case_sensitive=False" \
		--root "$$($(BIN)/python -c 'import pathlib, typer; print(pathlib.Path(typer.__file__).parent)')" --budget 4000
	@echo
	@echo '--- questions to the documentation of this repository and of an installed package ---'
	$(BIN)/iterative-retrieval index demo README.md CHANGELOG.md docs evolution/domains/bsl/documents \
		"$$($(BIN)/python -c 'import pathlib, langgraph.graph; print(pathlib.Path(langgraph.graph.__path__[0]))')"
	$(BIN)/iterative-retrieval ask "What is a focus area?" --collection demo
	@echo
	$(BIN)/iterative-retrieval ask "Доступна ли таблица значений на тонком клиенте?" --collection demo

test: $(STAMP)
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile

test-llm: $(STAMP)
	$(BIN)/python -m tests.llm --model $(LLM_MODEL) --prepare
	$(BIN)/python -m pytest -m llm tests/llm $(LLM_ARGS)

llm-server: $(STAMP)
	$(BIN)/python -m tests.llm --model $(LLM_MODEL) $(LLM_ARGS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html -c docs/site -d build/doctrees . build/site
	@echo "open build/site/index.html"

bench: $(STAMP)
	@test -n "$(INSTANCES)" && test -n "$(MIRRORS)" || \
		{ echo "usage: make bench INSTANCES=FILE MIRRORS='/some/where/{owner}+{name}/repo' [OUT=predictions.jsonl]"; exit 2; }
	$(BIN)/python -m benchmarks.localization --instances '$(INSTANCES)' --mirrors '$(MIRRORS)' --out '$(OUT)' $(BENCH_ARGS)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
