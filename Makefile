# A thin face over CMake and Ninja.
BUILD ?= build
build: $(BUILD)/build.ninja
	@cmake --build $(BUILD)
$(BUILD)/build.ninja:
	@cmake -S . -B $(BUILD) -G Ninja >/dev/null
.PHONY: build
