# A thin face over CMake and Ninja.
#
#   make run       install what is missing, build what the demonstration needs, run it
#   make test      the same set-up, then the gate: what CI runs
#   make soak      all that is tested: hours; before an issue is called resolved (CONTRIBUTING.md)
#   make           build only
#   make test-stack  PyTorch, Triton, CuPy, Numba and the like from PyPI in .cache/stack (gigabytes; part of the soak)
#   make bench     speed of the simulator (bench.json)
#   make sanitize  unit and end-to-end tests under ASan and UBSan
#   make clang     what clang warns of, without a build
#   make fuzz      the parser under libFuzzer for FUZZ_SECONDS
#   make install   command, library, headers, man page under PREFIX
#   make deb       Debian packages in build/deb: warpwatt, warpwatt-cuda, libwarpwatt0, libwarpwatt-dev
#   make docs      the reference pages that come from the code's tables
#   make papers    docs/papers: the page of each paper, from its rows and the kept results
#   make papers-run  what docs/papers/paper-runs.csv lists (what is kept is not run again), its results kept, the pages;
#                  WHOLE=1: the papers' studies whole, at size paper (a day)
#   make gallery   a site of pages in build/gallery: ten programs, comparisons, what is kept of the studies
#   make characterize  docs/workloads.md and the figures of the workloads' pages (minutes)
#   make format    clang-format over our sources
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
CC ?= cc

.PHONY: build run test soak test-stack bench sanitize clang fuzz install deb docs papers papers-run gallery characterize format clean setup
build: $(BUILD)/build.ninja
	@cmake --build $(BUILD)
$(BUILD)/build.ninja:
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null

setup:
	@tools/setup build
run: setup
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target demonstration
	@$(BUILD)/warpwatt run -g gtx480 --size paper hotspot
test:
	@tools/setup test
	@tools/test
soak:
	@tools/setup test
	@tools/test --soak $(if $(BASE),--base $(BASE))
test-stack: build
	@tools/test-stack
bench: build
	@$(BUILD)/warpwatt bench
sanitize:
	@tools/test --only sanitize
clang:
	@tools/test --only clang
fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/test --only fuzz
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)
deb: build
	@tools/deb $(BUILD)
docs: build
	@for page in machine-code counters stalls instructions classes gpu-keys power circuits expressions; do \
	    $(BUILD)/warpwatt reference $$page >docs/reference-$$page.md; done
gallery: build
	@WARPWATT=$(BUILD)/warpwatt tools/gallery -o $(BUILD)/gallery
papers:
	@tools/paper-pages
PAPER_STUDIES = gpusimpow warped-gates origami warped-register-file pilot-register-file front-end-sharing cache-power
WHOLE_RUNS = printf '%s,paper,,\n' $(PAPER_STUDIES)
LISTED_RUNS = tail -n +2 docs/papers/paper-runs.csv
papers-run: build
	@$(if $(WHOLE),$(WHOLE_RUNS),$(LISTED_RUNS)) | \
	while IFS=, read -r study size figures seconds; do \
	    out=$(BUILD)/papers/$$study-$$size; only=$$(echo $$figures | tr ' ' ,); \
	    $(BUILD)/warpwatt study $$study --size $$size $${only:+--figures $$only} -o $$out $(STUDY_OPTIONS) </dev/null && \
	    tools/paper-pages --keep $$out || exit 1; done
	@tools/paper-pages
characterize: build
	@mkdir -p workloads/measured
	@for size in small paper; do \
	    out=$(BUILD)/characterize/$$size; markdown=; [ $$size = small ] || markdown="--markdown docs/workloads.md"; \
	    $(BUILD)/warpwatt study characterize --size $$size -o $$out $$markdown $(STUDY_OPTIONS) || exit 1; \
	    for f in page lanes meters; do cp $$out/$$f.csv workloads/measured/$$size-$$f.csv; done; \
	    grep -E '^workload,|^[^ ,]+,gtx480,' $$out/kernels.csv >workloads/measured/$$size-kernels.csv; done
	@cp $(BUILD)/characterize/paper/published.csv workloads/measured/published.csv
format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i
clean:
	rm -rf build build-*
