# Each target makes .venv itself. `make check` is what continuous integration runs.
.PHONY: install up test soak soak-chaos bench cover check lint types format proto baseline docs lock image clean
.DEFAULT_GOAL := check

PYTHON ?= python3
BIN := .venv/bin

install: .venv/.installed  ## the environment, from the hashed lock

.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Croupier needs Python 3.11 or later; name one: make PYTHON=python3.11"; exit 2; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv \
	  || { echo "Python lacks its venv module: apt-get install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

up: install  ## everything on this machine
	$(BIN)/croupier up

test: install
	$(BIN)/pytest -n 2 -m "not soak"

soak: install  ## the long ones
	$(BIN)/pytest -m soak

soak-chaos: install  ## histories of 200 matches while everything is killed: minutes, one JSON line a setting
	PYTHONPATH=tests $(BIN)/python -m chaos

bench: install  ## what a move costs beside the bare stack; how late deadlines are; how fast the rules are
	$(BIN)/python -m bench floor
	$(BIN)/python -m bench moves
	$(BIN)/python -m bench unary
	$(BIN)/python -m bench rest
	$(BIN)/python -m bench deadlines
	$(BIN)/python -m bench buzz
	$(BIN)/python -m bench engine
	$(BIN)/python -m bench guesser
	$(BIN)/python -m bench idle
	$(BIN)/python -m bench payload
	$(BIN)/python -m bench scale
	$(BIN)/python -m bench fanout

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking proto --against proto/baseline.binpb

types: install
	$(BIN)/mypy

cover: install  ## every branch of the rules is tested
	$(BIN)/pytest tests/engine --ignore=tests/engine/conformance -q --cov=croupier_engine --cov-branch \
	  --cov-report=term-missing:skip-covered --cov-fail-under=100

check: lint types cover test

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/buf format --write

proto: install  ## generated code beside the proto files
	$(BIN)/python tools/generate_proto.py

baseline: install  ## accept an API change; it needs a line in CHANGELOG.md
	$(BIN)/buf build proto -o proto/baseline.binpb

docs: install  ## the pages that are made from the proto files: openapi.json, errors.md, events.md
	$(BIN)/python tools/generate_docs.py

lock: install
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --extra server --group test --group dev pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --extra server --constraint requirements.lock pyproject.toml -o requirements.server.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group build --constraint requirements.lock -o requirements.build.lock

image: install  ## the container image, built without a registry, and a match played on it; as root, takes minutes
	tools/build_image.sh

clean:
	rm -rf .venv
