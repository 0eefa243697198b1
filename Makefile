# make help tells what there is.
ROS ?= jazzy
ROBOTS ?= 8
COMPILED ?= yes
# of the tests, which wait more than they compute
WORKERS ?= $(shell expr $$(nproc) + 4)
VENV := $(if $(filter jazzy,$(ROS)),.venv,.venv-$(ROS))
BIN := $(VENV)/bin
SEED ?= $(shell date +%s)
export PYTHON
export THYMIO_FLEET_COMPILED := $(COMPILED)

# A sourced ROS installation must not leak into the virtual environment.
unexport PYTHONPATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH
# Without bytecode, each of the hundreds of programs that tests start would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-long lint format check lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  ROS=jazzy|kilted chooses the ROS 2 distribution, ROBOTS=N the size of the demo,"
	@echo "  COMPILED=no runs the sources as they are (a compiled core is made anew when they have changed),"
	@echo "  ARGS='...' goes to pytest (ARGS='--workers 0' for one process), PYTHON=... names the interpreter for set-up."

setup: ## the virtual environment; quick if nothing has changed
	@tools/setup.sh $(ROS) $(VENV)

demo: ## simulated robots share a factory floor; the core is compiled meanwhile
	@tools/demo.sh $(ROS) $(VENV) $(ROBOTS)

test: setup ## every test that can run here
	$(BIN)/pytest --workers $(WORKERS) $(ARGS)

test-fast: setup ## what needs neither ROS nor sockets, with fewer examples
	$(BIN)/pytest --workers $$(nproc) --fast $(ARGS)

test-long: setup ## what only repeats: soaks, and properties with all their examples, new ones each time (SEED=N: those of N)
	THYMIO_FLEET_LONG_TESTS=1 THYMIO_FLEET_COLD_PROGRAMS=1 $(BIN)/pytest --workers $(WORKERS) $(shell grep -rl harness.budgets test --include='test_*.py') --hypothesis-seed=$(SEED) $(ARGS)

lint: setup ## style, types, and the layers of the imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy -n $$(nproc)
	$(BIN)/lint-imports
	$(BIN)/python tools/measure_tree.py
	$(BIN)/hadolint Dockerfile

format: setup ## put the sources into shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

check: lint test ## lint and test: what a change must pass

lock: ## pin requirements/ anew (needs uv; UPGRADE=--upgrade for newer versions)
	@tools/lock.sh $(ROS) $(UPGRADE)

clean: ## remove everything that is made, and what killed programs have left behind
	@python3 tools/remove_leftovers.py
	rm -rf .venv .venv-* build install log demo_paths.svg demo_gantt.svg *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find aseba_link bench body conformance experiments fleet simulator test thymio_base thymio_fleet tools launch -name __pycache__ -type d -exec rm -rf {} +
	find aseba_link body experiments fleet simulator thymio_base -name '*.so' -delete
