# Two commands do everything: `make demo` and `make test`. The others are for developers.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find src core bindings -type f 2>/dev/null | grep -v __pycache__) CMakeLists.txt pyproject.toml

.PHONY: demo test core-test lint develop clean

demo: $(VENV)/installed
	$(BIN)/fwmap demo --folder demo

test: $(VENV)/tested core-test
	$(BIN)/python -m pytest tests --pyargs fwmap

# The C++ core alone, without Python, under address and undefined-behaviour sanitizers.
core-test: $(VENV)/tested
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S core -B build/core -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
	  -DFWMAP_SANITIZE=ON -DFWMAP_WARNINGS_AS_ERRORS=ON
	$(BIN)/cmake --build build/core
	$(BIN)/ctest --test-dir build/core --output-on-failure

lint: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p fwmap

# What was installed, with its extras; made again when a source changes.
$(VENV)/installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check '.[all]'
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check '.[test,lint]'
	touch $@

# An editable installation; run again after a change to C++. mypy wants the stub beside the sources.
develop:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet scikit-build-core nanobind cmake ninja
	$(BIN)/pip install --no-build-isolation --editable '.[test,lint]'
	cp $$(find $(VENV) -path '*/fwmap/_core.pyi') src/fwmap/

clean:
	rm -rf build $(VENV)
