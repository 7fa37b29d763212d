# The developer's interface. Everything happens in .venv, which is made once; needs git, python3 and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Which PySpark lines the tests install the wheel on: none, ends (lowest and highest), or all.
MATRIX ?= none
# The PySpark of `make test-all` and `make test-slice`: the newest patch of a line (4.0), or a patch (4.0.1).
NEWEST := 4.3
PYSPARK ?= $(NEWEST)
# The environment that it is in.
ON = $(if $(filter $(NEWEST),$(PYSPARK)),$(VENV),$(VENV)/on/$(PYSPARK))
PYSPARK_WANTED = pyspark$(if $(word 3,$(subst ., ,$(PYSPARK))),==$(PYSPARK),~=$(PYSPARK).0)
# What the build server runs beyond the gate: an eighth of the rest (see tests/parts.py).
SLICE ?= 1
SEED ?= 1
# Processes that run tests; each has a Spark of its own.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-slice test-unit test-matrix test-endurance test-stores test-frameworks bench lint format docs docs-serve wheel lock clean

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-15s %s\n", $$1, $$2}'

demo: $(VENV)/.java $(VENV)/.demo ## 336,776 flights into a Delta table, and back out of it with three engines
	@$(BIN)/python demo/flights.py

test: $(VENV)/.java $(VENV)/.test $(VENV)/.classes lint ## the gate: lint, types, layers, the tests that every change passes
	PUREDELTA_MATRIX=$(MATRIX) $(BIN)/python -m pytest -n $(WORKERS) --part gate

test-all: $(VENV)/.java $(ON)/.test $(ON)/.classes ## all tests; on another PySpark those of Spark: PYSPARK=4.1, 4.1.4
	$(ON)/bin/python -m pytest -n $(WORKERS) $(if $(filter $(NEWEST),$(PYSPARK)),,tests/spark tests/parity)

test-slice: $(VENV)/.java $(ON)/.test $(ON)/.classes ## an eighth of the rest, in random order: SLICE=1..8 PYSPARK=4.0 SEED=1
	$(ON)/bin/python -m pytest -n $(WORKERS) --part $(SLICE)/8 -p randomly --randomly-seed=$(SEED)

test-unit: $(VENV)/.test ## the tests that need no Spark: seconds
	$(BIN)/python -m pytest tests/unit tests/properties tests/meta

test-matrix: $(VENV)/.java $(VENV)/.test ## the wheel on the newest patch of every PySpark line
	PUREDELTA_MATRIX=all $(BIN)/python -m pytest tests/matrix

test-endurance: $(VENV)/.java $(VENV)/.test ## kills, races, hostile tables and a long session: hours
	PUREDELTA_ENDURANCE=long $(BIN)/python -m pytest tests/endurance

test-stores: $(VENV)/.java $(VENV)/.test ## stores on real servers: MinIO (built with Go) and HDFS (from Maven)
	tools/fetch_stores.sh $(BIN)/python
	$(BIN)/python -m pytest tests/stores

test-frameworks: $(VENV)/.java $(VENV)/.test $(VENV)/frameworks/.ready ## dbt, SQLAlchemy and Great Expectations, in an environment of their own
	$(BIN)/python -m pytest tests/ways/frameworks

bench: $(VENV)/.java $(VENV)/.test ## ours, native Parquet and delta-spark side by side, into bench/RESULTS.md
	$(BIN)/python bench/run.py

lint: $(VENV)/.test $(VENV)/.lint ## ruff, mypy strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.lint ## let ruff lay the code out
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: $(VENV)/.docs ## the documentation, live
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

wheel: $(VENV)/.python ## the distributions, puredelta and puredelta-as-delta, into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist . ./packages/puredelta-as-delta

lock: $(VENV)/.test $(VENV)/.lint ## the exact versions of this environment, into requirements-dev.lock
	@tools/lock.sh $(BIN)/python > requirements-dev.lock

clean: ## what was made, away
	rm -rf $(VENV) build dist site demo/out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# ---- the environment: one stamp for each group of dependencies

$(VENV)/.python:
	tools/make_venv.sh $(PYTHON) $(VENV)
	@touch $@

$(VENV)/on/%/.test: pyproject.toml | $(VENV)/.python
	@echo "installing $(PYSPARK_WANTED) (once)"
	tools/make_venv.sh $(BIN)/python $(@D)
	$(@D)/bin/python -m pip install --quiet --editable '.[spark]' --group test '$(PYSPARK_WANTED)'
	@touch $@

$(VENV)/frameworks/.ready: pyproject.toml | $(VENV)/.python
	@echo "installing the frameworks (once)"
	tools/make_venv.sh $(BIN)/python $(@D)
	$(@D)/bin/python -m pip install --quiet --editable '.[spark]' --group frameworks '$(PYSPARK_WANTED)'
	@touch $@

# Spark's classes, from which each JVM of the tests starts in half the time.
%/.classes: tests/class_archive.py | %/.test $(VENV)/.java
	@echo "keeping Spark's classes for the tests (once)"
	@$(@D)/bin/python -m tests.class_archive 2>/dev/null
	@touch $@

$(VENV)/.java: tools/install_java.sh | $(VENV)/.python
	tools/install_java.sh
	@touch $@

$(VENV)/.demo $(VENV)/.test $(VENV)/.lint $(VENV)/.docs: $(VENV)/.%: pyproject.toml | $(VENV)/.python
	@echo "installing what 'make $*' needs (once)"
	$(BIN)/python -m pip install --quiet --editable '.[spark]' --group $*
	@touch $@
