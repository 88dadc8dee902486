# The commands of the project. Each installs the packages it needs, builds under build/, and says what went wrong.
# A processor count of one's own: make test JOBS=1
JOBS ?= $(shell nproc)
# So many tests run at once. Many tests mostly wait: two more than there are processors.
TEST_JOBS ?= $(shell expr $(JOBS) + 2)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
VENV := .venv
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build test compare compare-full compare-peers compare-web peers scale scale-quick performance bench-build experiments asan tsan tidy format check \
  reference fuzz stress model model-mutations test-cpp differential differential-fixed simulate simulate-planted test-interop test-packages test-pyzmq test-world time-world time-pyzmq install packages test-install release release-check site clean

# $(call build_preset,preset[,further build arguments[,further configure arguments]]): configures when needed, builds.
define build_preset
	@echo "== building $(1) in build/$(1)"
	@cmake --preset $(1) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(3) \
	  -DZLINK_CPP_EVERY_WAY=$(if $(filter test-cpp,$(MAKECMDGOALS)),ON,OFF) > build/$(1).configure.log 2>&1 \
	  || { cat build/$(1).configure.log; echo "FAILED: configuring '$(1)'"; exit 1; }
	@cmake --build --preset $(1) -j $(JOBS) $(2) || { echo "FAILED: building '$(1)'"; exit 1; }
endef
# $(call test_preset,preset[,ctest arguments])
define test_preset
	@ctest --preset $(1) -j $(TEST_JOBS) $(2) \
	  || { echo "FAILED: see build/$(1)/Testing/Temporary/LastTest.log; again: ctest --preset $(1) --rerun-failed"; exit 1; }
endef

help:
	@echo "make test          build and run all tests"
	@echo "make compare       table, report and plots of zlink beside libzmq, about five minutes, into results/compare/latest"
	@echo "make compare-full  the same over the whole matrix"
	@echo "make compare-peers the same as compare, with the libraries of make peers beside it"
	@echo "make compare-web   tls, ws and wss beside nng, Python's websockets and uWebSockets: five minutes, into docs/performance/web.md"
	@echo "make peers         builds other libraries with this C interface (omq-libzmq, Rust) into build/peers"
	@echo "make scale         many peers, connections and subscriptions; latency and cost between processes: five minutes"
	@echo "make scale-quick   the same, less of everything: under two minutes"
	@echo "make performance   all settings and scale, into docs/PERFORMANCE.md and the READMEs: about 45 minutes (SERIES=1 or 2)"
	@echo "make experiments   the standing questions about speed, with intervals and verdicts, into docs/experiments: three quarters of an hour (RUNS=5)"
	@echo "make asan | tsan   the tests under the address and undefined-behaviour, or the thread sanitizer"
	@echo "make stress        the stress tests, three times over"
	@echo "make model         the memory orders of the lock-free structures, in every execution of small programs: two minutes (PROGRAM=queue)"
	@echo "make model-mutations  weakens each of these orders, and shows which program notices: an hour of processor time"
	@echo "make test-cpp      the C++ headers with Boost.Asio, with standalone Asio and on libzmq, and their speed programs"
	@echo "make differential   fresh sequences of calls on libzmq and on zlink, every result compared (SEEDS=300 FIRST=1 PROFILE=inproc REFERENCE=system, wheel or a file)"
	@echo "make differential-fixed  the fixed sequences of make test, and planted differences, which the machine has to find: a minute"
	@echo "make simulate      the library on a pretend kernel, fresh seeds (MINUTES=1 FIRST=seed), one seed with its trace (SEED=n), or a simpler run with its finding (MINIMISE=n)"
	@echo "make simulate-planted  plants defects in copies of the sources, which the simulation has to find: five minutes"
	@echo "make test-pyzmq    pyzmq's own tests on its libzmq and on zlink, compared test by test: about twenty minutes"
	@echo "make test-interop  exchanges with libzmq, JeroMQ, go-zeromq, jszmq and two Rust implementations, every pattern both ways, and through nginx and HAProxy: half an hour"
	@echo "make time-pyzmq    how fast pyzmq is on its own libzmq and with zlink preloaded: a minute"
	@echo "make test-packages Debian's packages that load libzmq (Python, czmq, cppzmq, Ruby, Java, Octave) on libzmq and on zlink, compared: a minute"
	@echo "make test-world    programs, suites and bindings of the world on libzmq and on zlink, compared case by case, into docs/WORLD.md (ONLY=name)"
	@echo "make time-world    the times of more runs of them, the libraries in turn, into docs/WORLD.md (ONLY=name REPEAT=n)"
	@echo "make fuzz          one minute of fuzzing (FUZZ_SECONDS=60)"
	@echo "make check         formatting, structure, words and goals of the house, prose, reference, numbers about performance;  make tidy: clang-tidy;  make format: formats all sources"
	@echo "make reference     docs/api/reference from the headers"
	@echo "make install       builds and installs the library and the command (PREFIX=/usr/local, DESTDIR=, COMPAT=ON: libzmq's names too, STATIC=ON)"
	@echo "make packages      Debian packages, RPM packages, a Python wheel and a source archive of the last commit, into build/packages"
	@echo "make test-install  makes the packages, and uses each in a clean root, as docs/INSTALL.md says (ONLY='c cpp python ...')"
	@echo "make release       tags the last commit as CMakeLists.txt's version, signed, with its part of CHANGELOG.md (UNSIGNED=1); make release-check says what is in the way"
	@echo "make site          the documents as a site with search, into build/site"

build:
	@mkdir -p build
	@tools/install_packages.sh build
	$(call build_preset,release)

test: build
	$(call test_preset,release)

compare compare-full compare-peers compare-web scale scale-quick performance: bench-build
bench-build:
	@mkdir -p build
	@tools/install_packages.sh build compare $(if $(filter compare-web,$(MAKECMDGOALS)),compare-web)
	$(call build_preset,bench)
	@tools/make_venv.sh $(VENV) benchwithzmq/requirements.txt

compare-peers: peers
compare compare-full compare-peers:
	@$(VENV)/bin/python benchwithzmq/run_comparison.py ALL $(if $(filter compare-full,$@),,--matrix representative) \
	  $(if $(filter compare-peers,$@),$$(cat build/peers/arguments)) --build-dir build/bench --reuse-build

compare-web:
	@tools/make_venv.sh build/web_venv benchwithzmq/web/requirements.txt
	@benchwithzmq/run_web.py --build-dir build/bench --python build/web_venv/bin/python --page docs/performance/web.md

peers:
	@mkdir -p build
	@tools/install_packages.sh build
	@tools/make_peers.sh build/peers

scale scale-quick:
	@$(VENV)/bin/python benchwithzmq/run_scale.py $(if $(filter scale-quick,$@),--quick) \
	  --build-dir build/bench --reuse-build --output results/$@

# SERIES=1 or SERIES=2 names the stored series to replace; the older one if it is not given. COSTS=all: the costs of every cell.
performance:
	@$(VENV)/bin/python benchwithzmq/run_performance.py --measure $(if $(SERIES),--series $(SERIES)) $(if $(filter all,$(COSTS)),--all-costs) \
	  $$(cat build/peers/arguments 2>/dev/null || true) --build-dir build/bench

experiments:
	@mkdir -p build
	@tools/install_packages.sh build compare
	$(call build_preset,bench)
	@benchwithzmq/run_experiment.py --check || echo "an experiment whose patch does not fit cannot be measured"
	@benchwithzmq/run_experiment.py --questions --build-dir build/bench --reuse-build $(if $(RUNS),--runs $(RUNS))

asan tsan: preset = $(if $(filter asan,$@),asan-ubsan,tsan)
asan tsan:
	@mkdir -p build
	@tools/install_packages.sh build
	$(call build_preset,$(preset))
	$(call test_preset,$(preset))

stress: build
	$(call test_preset,release,-L stress --repeat until-fail:3)

model:
	@mkdir -p build
	@tools/install_packages.sh build
	$(call build_preset,release,--target model_checker)
	@build/release/tests/model/model_checker $(PROGRAM) || { echo "FAILED: an execution above breaks a memory order"; exit 1; }

model-mutations:
	@mkdir -p build
	@tools/install_packages.sh build
	$(call build_preset,release,--target model_mutable)
	@tests/model/mutate.py run build/release/tests/model/model_mutable build/release/tests/model/mutable/src/orders.tsv build/model

test-cpp: build
	$(call test_preset,release,-L cpp)

SEEDS ?= 300
FIRST ?= 1
PROFILE ?= inproc
differential-fixed: build
	$(call test_preset,release,-L differential)
	@cd tests/differential && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest unit.real_mutations
differential: build
	@tests/differential/run.py --seeds $(SEEDS) --first $(FIRST) --profile $(PROFILE) $(if $(REFERENCE),--reference $(REFERENCE))

# FIRST without a value: seeds that nobody has played.
MINUTES ?= 1
simulate simulate-planted:
	@mkdir -p build
	@tools/install_packages.sh build
	$(call build_preset,release,--target simulate,$(if $(filter simulate-planted,$@),-DZLINK_UNITY=OFF))
	@$(if $(filter simulate-planted,$@),tests/sim/planted.py,build/release/tests/sim/simulate \
	  $(if $(MINIMISE),--minimise $(MINIMISE),$(if $(SEED),$(if $(SIMPLER),--simpler $(SIMPLER)) --seed $(SEED),--minutes $(MINUTES) --first $(if $(filter file,$(origin FIRST)),$$(date +%s)000,$(FIRST)))))

test-world: build
	@tests/world/run_world.py --build-dir build/release --work build/world --page $(if $(ONLY),$(addprefix --only ,$(ONLY)))

REPEAT ?= 5
time-world: build
	@tests/world/run_world.py --build-dir build/release --work build/world --page --times $(REPEAT) $(if $(ONLY),$(addprefix --only ,$(ONLY)))

test-pyzmq: build
	@tools/install_packages.sh pyzmq
	@tools/test_pyzmq.py --build-dir build/release --work build/pyzmq

time-pyzmq: build
	@tools/install_packages.sh pyzmq
	@tools/time_pyzmq.py --build-dir build/release --work build/pyzmq

test-interop: build
	@tools/install_packages.sh proxies
	@tests/interop/run_peers.py --build-dir build/release --work build/interop
	$(call test_preset,release,-R '^interop\.(nginx|haproxy|tls|ws|wss)\.')

test-packages: build
	@tools/install_packages.sh packages
	@tests/packages/run_packages.py --build-dir build/release --work build/packages

tidy:
	@mkdir -p build
	@tools/install_packages.sh build tidy
	$(call build_preset,tidy,-- -k 0)

fuzz:
	@mkdir -p build
	@tools/install_packages.sh fuzz
	$(call build_preset,fuzz)
	@tools/run_fuzz.sh build/fuzz $(FUZZ_SECONDS)

check:
	@tools/install_packages.sh check
	@tools/check_format.sh
	@tools/check_structure.py
	@tools/check_words.py --self-test
	@tools/check_words.py
	@tools/check_house.py --self-test
	@tools/check_house.py
	@tools/check_prose.py --self-test
	@tools/check_prose.py
	@tools/make_reference.py --check
	@benchwithzmq/run_performance.py --check

reference:
	@tools/make_reference.py

format:
	@tools/install_packages.sh check
	@tools/check_format.sh --fix

# The library and the command, no tests. COMPAT=ON: also under libzmq's names. STATIC=ON: also the static library.
COMPAT ?= OFF
STATIC ?= OFF
install:
	@mkdir -p build
	@tools/install_packages.sh install
	$(call build_preset,install,,-DZLINK_COMPAT=$(COMPAT) -DZLINK_STATIC=$(STATIC))
	cmake --install build/install --prefix $(PREFIX)

packages:
	@mkdir -p build
	@tools/install_packages.sh make-packages
	@tools/make_packages.py --out build/packages --jobs $(JOBS)

test-install:
	@tools/install_packages.sh make-packages test-install
	@tests/install/run_install.py --work build/test-install $(addprefix --only ,$(ONLY))

release release-check:
	@tools/make_release.py $(if $(filter release-check,$@),--check) $(if $(UNSIGNED),--unsigned)

site:
	@tools/install_packages.sh names python3 python3-venv
	@tools/make_site.py --out build/site

clean:
	rm -rf build
