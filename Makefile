# pulpsim: build, test, run. `make help` lists the targets.
#
# Settings: change them here or on the command line (`make CC=clang SANITIZE=1 check`).

VERSION   := 0.1.0
SANITIZE  ?= 0
HOSTILE   ?= 0
BUILD     ?= $(if $(filter 1,$(SANITIZE)),build/sanitize,$(if $(filter 1,$(HOSTILE)),build/hostile,build))
PREFIX    ?= /usr/local
DESTDIR   ?=
TOOLCHAIN ?= gnu
V         ?= 0
JOBS      ?= $(shell nproc 2>/dev/null || echo 1)
SUITES    ?=

ifeq ($(origin CC),default)
CC := gcc
endif
AR     ?= ar
CCACHE ?= $(shell command -v ccache 2>/dev/null)

OPTIMIZE ?= -O2
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wno-overlength-strings $(if $(MUTATE),,-Werror)
GEN      := $(BUILD)/gen
comma    := ,
CPPFLAGS += -D_GNU_SOURCE -DPULPSIM_VERSION='"$(VERSION)"' -iquote . -iquote sim -iquote $(GEN)
CFLAGS   += -std=gnu17 $(OPTIMIZE) -g $(WARNINGS) -ffp-contract=off
LDFLAGS  += -Wl,--as-needed
LDLIBS   += -lyaml -ldw -lelf -lz -lzstd -lm
TESTLIBS := -lcheck -lsubunit -lrt -lpthread -lmpfr -lgmp -lz

ifeq ($(SANITIZE),1)
CFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif

# A heap of poisoned blocks that fails on request (tests/hostile/memory.c), and tiny limits.
ifeq ($(HOSTILE),1)
CPPFLAGS += -DPULPSIM_TINY
HOSTILE_SRCS := tests/hostile/memory.c
HOSTILE_LDFLAGS := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free strdup)
endif

# Instruction bodies are statement expressions, executors hold computed gotos: GNU C on purpose.
BODY_CFLAGS := -Wno-pedantic
SHARED_CFLAGS := -fPIC -fvisibility=hidden -fno-semantic-interposition
ENGINE_CFLAGS := $(if $(filter -O2,$(OPTIMIZE)),-O3)
EXEC_CFLAGS := -foptimize-sibling-calls -fno-plt -fno-stack-protector -fno-tree-slp-vectorize

# Where the compiler targets such hosts, one file is also compiled for newer ones of them; what is
# compiled so runs only where the host has these instructions.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
AVX2_CFLAGS := -mavx2 -mfma -mf16c -mbmi -mbmi2 -mpopcnt
endif

# ---------------------------------------------------------------------------- files

Q := $(if $(filter 1,$(V)),,@)
say = @printf '  %-8s %s\n' $(1) $(2)

# The files of the cycle model are compiled as one, and so are those of the DMA and of the cache.
MODELS       := sim/core/cycle_model.c sim/cluster/icache_model.c sim/cluster/mchan_model.c
MODEL_SRCS   := $(addprefix sim/,$(shell sed -n 's/^#include "\(.*\.c\)"/\1/p' $(MODELS)))
SIM_SRCS     := $(filter-out $(MODEL_SRCS),$(sort $(shell find sim -name '*.c')))
CLI_SRCS     := $(filter sim/main.c sim/cli/%,$(SIM_SRCS))
ISA_SRCS     := $(sort $(wildcard isa/*.c))
LIB_SRCS     := $(filter-out $(CLI_SRCS),$(SIM_SRCS)) $(ISA_SRCS) $(HOSTILE_SRCS)
ISAGEN_SRCS  := $(sort $(wildcard isa/gen/*.c))
BENCH_SRCS   := $(sort $(wildcard bench/*.c))
TEST_SRCS    := tests/main.c $(filter-out tests/hostile/memory.c,$(sort $(wildcard tests/*/*.c)))
CONFIG_FILES := $(sort $(wildcard configs/*.yml))

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
GEN_FILES := $(addprefix $(GEN)/,isa_ops.h isa_table.inc xpulp.h xpulp.S.h pulp_builtins.inc builtin_configs.inc \
               report_css.inc report_js.inc onnx.pb-c.h)
PROGRAMS  := $(BUILD)/pulpsim $(if $(BENCH_SRCS),$(BUILD)/pulpsim-bench) $(BUILD)/pulpsim-deploy $(BUILD)/pulpsim-tune

.PHONY: all run run-now peer peer-there check check-now hostile-program chip-programs check-hostile check-engines check-qemu check-rtl mutate bench bench-suite bench-speed kernels docs format lint \
        install uninstall clean help deps deps-test FORCE
.DELETE_ON_ERROR:
$(BUILD)/pulpsim $(BUILD)/pulpsim-bench $(BUILD)/tests/check: private LDFLAGS += $(HOSTILE_LDFLAGS)
.SUFFIXES:
.DEFAULT_GOAL := all

all: $(PROGRAMS) $(BUILD)/libpulpsim.a

-include kernels/kernels.mk
-include tests/fuzz/fuzz.mk
-include kernels/examples/examples.mk
-include kernels/own.mk
-include kernels/libc/libc.mk
-include kernels/libc/rust.mk
-include deploy/deploy.mk
-include configs/install.mk

# ---------------------------------------------------------------------------- rules

# A file that changes when the way of compiling does: everything compiled depends on it.
FLAGS := $(CC) $(CPPFLAGS) $(CFLAGS) $(BODY_CFLAGS) $(EXEC_CFLAGS) $(ENGINE_CFLAGS) $(SHARED_CFLAGS) $(AVX2_CFLAGS) $(LDFLAGS) $(LDLIBS) $(TESTLIBS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS))' > $@

$(BUILD)/obj/sim/core/%.o $(BUILD)/obj/tests/isa/%.o: CFLAGS += $(BODY_CFLAGS)
$(call objects,$(wildcard sim/core/*.c sim/cluster/*.c sim/engine/*.c)): CFLAGS += $(ENGINE_CFLAGS)
$(BUILD)/obj/sim/core/exe%.o: CFLAGS += $(BODY_CFLAGS) $(EXEC_CFLAGS)
$(BUILD)/obj/sim/core/%_avx2.o: CFLAGS += $(AVX2_CFLAGS)
# One set of objects for programs and shared library; what its interface does not declare is hidden.
$(call objects,$(LIB_SRCS)): CFLAGS += $(SHARED_CFLAGS)
$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(GEN_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libpulpsim.a: $(call objects,$(LIB_SRCS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/pulpsim: $(call objects,$(CLI_SRCS)) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/pulpsim-bench: $(call objects,$(BENCH_SRCS) deploy/cli/root.c) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The generator of everything that follows from the instruction rows. It is compiled before
# the generated headers exist, hence its own rule.
ISAGEN_OBJS := $(call objects,$(ISAGEN_SRCS))
$(ISAGEN_OBJS): $(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/isagen: $(ISAGEN_OBJS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The generator replaces a file only when its contents change, so that what depends on it is
# rebuilt only then; the stamp says that all are up to date.
$(GEN)/.stamp: $(BUILD)/isagen
	@mkdir -p $(GEN)
	$(call say,GEN,$(GEN))
	$(Q)$(BUILD)/isagen $(GEN)
	@touch $@
$(filter-out %/builtin_configs.inc %/report_css.inc %/report_js.inc %/onnx.pb-c.h,$(GEN_FILES)): $(GEN)/.stamp ;

# The shipped configurations, compiled in: the binary works wherever it is copied to.
$(GEN)/builtin_configs.inc: $(CONFIG_FILES) Makefile
	@mkdir -p $(@D)
	@for f in $(CONFIG_FILES); do \
	  printf '{"%s",\n' $$(basename $$f .yml); \
	  sed -e 's/[\\"]/\\&/g' -e 's/.*/ "&\\n"/' $$f; printf '},\n'; done > $@

# The report's style and script, compiled in likewise.
$(GEN)/report_%.inc: bench/report.%
	@mkdir -p $(@D)
	@sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< > $@

# Tests: every tests/*/NAME.c that defines NAME_suite(void) takes part.
$(GEN)/suites.inc: FORCE
	@mkdir -p $(@D)
	@for f in $(TEST_SRCS); do n=$$(basename $$f .c); \
	  if grep -q "$${n}_suite(void)" $$f; then echo "SUITE($$n)"; fi; done > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/obj/tests/%.o: CPPFLAGS += -iquote tests -DTEST_BUILD_DIR='"$(BUILD)"'
$(BUILD)/obj/tests/main.o: | $(GEN)/suites.inc

$(BUILD)/tests/check: $(call objects,$(TEST_SRCS)) $(BUILD)/libpulpsim.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(TESTLIBS)

# ---------------------------------------------------------------------------- targets

# `make run` and `make check` first see to the packages they need; the rest of the work is
# a second make, because what was just installed changes what this one would do.
deps:
	@tests/deps.sh build $(TOOLCHAIN)
deps-test:
	@tests/deps.sh build test $(TOOLCHAIN)

# RUN: names of kernels/bench/list.txt; without names, all of them, which takes minutes.
RUN ?= hello vec_axpy mm_f32_naive mm_f32_6x4 mm_i8_4x4 conv2d pointwise linear_u8i4u8 nn_linear \
       nn_maxpool nn_add mmt_f32_1x1 mmt_f32_tn mmt_f16_nt train_pointwise_fw train_linear_fw \
       train_conv2d_fw train_depthwise_fw
run: deps
	+@$(MAKE) --no-print-directory -j$(JOBS) run-now
run-now: all kernels
	@$(BUILD)/pulpsim-bench run -k $(BUILD)/kernels $(RUN)
	+@$(MAKE) --no-print-directory KMACHINE=gap8 $(BUILD)/kernels-gap8/libkernels.a
	@echo; echo "Keyword spotting (MLPerf Tiny, int8) on gap8, from the model to the class of an input:"
	@tail -c +2 tests/data/networks/kws_48.bin | head -c 490 > $(BUILD)/kws_input.bin
	+@$(BUILD)/pulpsim-deploy run tests/data/networks/kws_int8.tflite --on sim --input $(BUILD)/kws_input.bin

# A program of the user's whose Makefile includes $(RULES_DIR)/pmsis_rules.mk: GOALS of its folder PEER,
# with the variables of this command line. Nothing is written there but by its own rules.
PEER  ?=
GOALS ?= all run
peer: peer-there all libc
	+@$(MAKE) --no-print-directory -C '$(PEER)' RULES_DIR=$(CURDIR)/kernels/compat PULPSIM_BUILD=$(abspath $(BUILD)) \
	  BUILD_DIR=$(abspath $(BUILD))/peer/$(subst /,-,$(abspath $(PEER))) $(GOALS)

peer-there:
	@[ -n '$(PEER)' ] || { echo 'make peer: say which folder: make peer PEER=dir, GOALS="all run"' >&2; exit 64; }
	@ls '$(PEER)'/[Mm]akefile '$(PEER)'/GNUmakefile 2>/dev/null | grep -q . || \
	  { echo 'make peer: $(PEER): there is no Makefile in it' >&2; exit 66; }

# The field's benchmarks from the user's directories: tables on stdout.
bench-suite:
	@tests/deps.sh build libc $(TOOLCHAIN)
	+@$(MAKE) --no-print-directory -j$(JOBS) all
	@COREMARK='$(COREMARK)' EMBENCH='$(EMBENCH)' DHRYSTONE='$(DHRYSTONE)' bench/bench_suite.sh $(BUILD)

check: deps-test
	+@$(MAKE) --no-print-directory -j$(JOBS) check-now
check-now: all kernels $(BUILD)/tests/check hostile-program chip-programs
	@$(if $(filter 1,$(SANITIZE)),CK_TIMEOUT_MULTIPLIER=$${CK_TIMEOUT_MULTIPLIER:-10}) $(BUILD)/tests/check -j $(JOBS) $(SUITES)

# The simulator on a bad heap and with tiny limits, which the suite `hostile` runs; make check-hostile
# fails each allocation in turn.
hostile-program:
ifneq ($(HOSTILE),1)
	+@$(MAKE) --no-print-directory HOSTILE=1 SANITIZE=0 BUILD=$(BUILD)/hostile $(BUILD)/hostile/pulpsim
endif
# What the suite kernels_sim runs on a machine without floats, whose DMA is version 6.
chip-programs: kernels # they share build/gen, which one make at a time should write
ifeq ($(SANITIZE),1) # networks are built with the library that is always here
	+@$(MAKE) --no-print-directory SANITIZE=0 BUILD=build KMACHINE=gap8 build/kernels-gap8/libkernels.a
endif
ifeq ($(KMACHINE),)
	+@$(MAKE) --no-print-directory KMACHINE=gap8 $(patsubst %,$(BUILD)/kernels-gap8/%.elf,conv2d vec_axpy lab_barrier test/grid_dma test/l3)
endif
check-hostile: deps-test
	+@$(MAKE) --no-print-directory -j$(JOBS) all kernels $(BUILD)/tests/check hostile-program
	@HOSTILE_ALL=1 $(BUILD)/tests/check -j $(JOBS) hostile

# All kernels by both engines: their statistics are to be equal.
check-engines: deps
	+@$(MAKE) --no-print-directory -j$(JOBS) all kernels
	@tests/engines.sh $(BUILD)

# The mutants of tests/mutants.txt, each of which has to make a test fail (half an hour or more).
mutate: deps-test
	+@$(MAKE) --no-print-directory -j$(JOBS) $(GEN_FILES)
	@for p in $$(seq 0 $$(($(JOBS) - 1))); do tests/mutate.sh $(BUILD) $$p/$(JOBS) & all="$$all $$!"; done; \
	  status=0; for p in $$all; do wait $$p || status=1; done; exit $$status

# A million instructions of random programs, on the simulator and on qemu.
check-qemu: deps-test
	+@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/pulpsim
	@tests/isa/lockstep/run.sh $(BUILD)

# The cycle model against the RTL that the user has: see tests/timing/rtl/README.md.
$(BUILD)/rtl-compare: $(call objects,tests/timing/rtl/compare.c tests/timing/testbench.c \
                        tests/timing/random_program.c tests/timing/repeat_program.c \
                        tests/timing/float_program.c) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/rtl-cores: $(call objects,tests/cluster/rtl/cores_compare.c tests/timing/testbench.c \
                      tests/timing/random_program.c) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/rtl-icache: $(call objects,tests/cluster/rtl/icache_compare.c tests/cluster/rtl/command.c \
                       tests/cluster/fetch_program.c tests/cluster/guest.c tests/sim/tiny_elf.c) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TESTLIBS)
$(BUILD)/rtl-whole: $(call objects,tests/cluster/rtl/whole_compare.c tests/cluster/rtl/whole_run.c \
                      tests/cluster/rtl/command.c tests/cluster/whole_program.c \
                      tests/cluster/mixed_program.c tests/cluster/line.c tests/cluster/fetch_program.c \
                      tests/cluster/guest.c tests/sim/tiny_elf.c) $(BUILD)/libpulpsim.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TESTLIBS)
# A checkout of a core's RTL, or traces of a whole cluster's (and the command that makes them).
ifneq ($(TRACES),)
check-rtl: $(BUILD)/rtl-whole
	@FIRST='$(FIRST)' COUNT='$(COUNT)' MACHINE='$(MACHINE)' SETTINGS='$(SETTINGS)' \
	  tests/cluster/rtl/whole.sh $(BUILD) '$(TRACES)' '$(CLUSTER)'
else
check-rtl: $(if $(RTL),$(BUILD)/rtl-compare)
	@[ -n '$(RTL)' ] || { echo 'make check-rtl: say RTL=DIR, a checkout of CV32E40P, or TRACES=DIR, traces of a cluster' >&2; exit 64; }
	@tests/timing/rtl/check.sh '$(RTL)' $(BUILD) $(COUNT)
endif

# SUITE: names of bench/suites/*.yml, all by default; `networks` alone: whole ones (bench/networks.sh); `fronts` alone:
# quantized ones (bench/fronts.sh), which stand in the report as long as BENCH/fronts.tsv is there. Results of the first
# are kept in BENCH/cache.
SUITE ?=
BENCH ?= $(BUILD)/bench
# What the suites `dory` and `machines` run.
DORY_TILES := nn_shape conv2d conv2d_chw pointwise speed_layer nn_depthwise nn_depthwise_chw nn_depthwise_hyb
HEADLINES := mm_i8_4x4 conv2d pointwise nn_linear nn_maxpool vec_axpy
# Neither one of ours nor a file; and what is run alone, but is not.
NO_SUITE := $(strip $(foreach s,$(if $(filter 1,$(words $(SUITE))),$(filter-out networks fronts,$(SUITE)),$(SUITE)), \
              $(if $(wildcard bench/suites/$(s).yml $(s)),,$(s))))
ifneq ($(NO_SUITE),)
bench:
	@echo 'make bench: $(NO_SUITE): no suite; there are networks and fronts, each alone, and' \
	  '$(basename $(notdir $(wildcard bench/suites/*.yml)))' >&2; exit 64
else ifneq ($(filter $(SUITE),networks fronts),)
bench: deps
	+@$(MAKE) --no-print-directory -j$(JOBS) all
	+@$(MAKE) --no-print-directory -j$(JOBS) KMACHINE=gap8 $(BUILD)/kernels-gap8/libkernels.a
	@mkdir -p $(BENCH)
ifeq ($(SUITE),fronts)
	@BENCH=$(BENCH) bench/fronts.sh $(BUILD); status=$$?; $(BUILD)/pulpsim-bench report -o $(BENCH) \
	  -c "$$(git describe --always --dirty 2>/dev/null || echo unknown)" fronts && exit $$status
else
	@bench/$(SUITE).sh $(BUILD) > $(BENCH)/$(SUITE).md && cat $(BENCH)/$(SUITE).md
endif
else
bench: deps
	+@$(MAKE) --no-print-directory -j$(JOBS) all kernels
	+@for chip in gap8 mrwolf vega; do \
	  $(MAKE) --no-print-directory -j$(JOBS) KMACHINE=$$chip \
	    $(addprefix $(BUILD)/kernels-$$chip/,$(addsuffix .elf,$(HEADLINES))) || exit 1; \
	done
	+@$(MAKE) --no-print-directory KMACHINE=mrwolf $(BUILD)/kernels-mrwolf/mm_f32_6x4.elf
	+@$(MAKE) --no-print-directory -j$(JOBS) KMACHINE=gap8 \
	  $(addprefix $(BUILD)/kernels-gap8/,$(addsuffix .elf,$(DORY_TILES))) $(BUILD)/kernels-gap8/libkernels.a
	@$(BUILD)/pulpsim-bench report -k $(BUILD)/kernels -o $(BENCH) -j $(JOBS) \
	  -c "$$(git describe --always --dirty 2>/dev/null || echo unknown)" $(SUITE)
endif

bench-speed: deps
	+@$(MAKE) --no-print-directory -j$(JOBS) all kernels
	@mkdir -p $(BENCH)
	@$(BUILD)/pulpsim-bench speed -k $(BUILD)/kernels -o $(BENCH)/speed.json

docs: $(BUILD)/isagen $(BUILD)/pulpsim
	$(call say,DOCS,docs/isa.md)
	$(Q)$(BUILD)/isagen --docs docs/isa.md
	$(call say,DOCS,docs/configuration.md)
	$(Q)$(BUILD)/pulpsim config --list --markdown > docs/configuration.md

C_FILES := $(shell find sim isa deploy bench tests kernels -name '*.[ch]' 2>/dev/null)
format:
	$(Q)clang-format -i $(C_FILES)

# clang-tidy reads what the compiler does: the libraries' headers, and the generated ones.
lint:
	@tests/deps.sh build test lint
	+@$(MAKE) --no-print-directory $(GEN_FILES) $(GEN)/suites.inc
	@tests/lint.sh $(BUILD)

clean:
	rm -rf $(BUILD)

help:
	@echo 'make             the simulator: $(BUILD)/pulpsim, $(BUILD)/libpulpsim.a'
	@echo 'make run         install what is missing, build, run some kernels, print MAC/clk (RUN="a b" for others, RUN= for all)'
	@echo 'make check       install what is missing, build, run all tests (SUITES="a b" for some)'
	@echo 'make check-hostile  the simulator on a heap that fails: each allocation in turn'
	@echo 'make check-engines  all kernels by both engines: equal statistics (minutes)'
	@echo 'make mutate      small edits to kernels and simulator: a test has to notice each'
	@echo 'make check-qemu  random programs in lockstep with qemu-riscv32: a million instructions'
	@echo 'make check-rtl   random programs on RTL=DIR (a checkout of CV32E40P) and on the cycle model;'
	@echo '                 TRACES=DIR: what your RTL of a whole cluster has traced, against the machine'
	@echo 'make kernels     programs for the simulated machine (TOOLCHAIN=gnu|llvm); make kernel FILE=dot.c: one of yours'
	@echo 'make libc        C and C++ with picolibc: riscv64-unknown-elf-gcc --specs=$(BUILD)/kernels/libc/pulpsim.specs'
	@echo 'make rust        Rust without its standard library: rustc @$(BUILD)/kernels/libc/rust.args'
	@echo 'make peer        a PMSIS program of yours: PEER=dir, whose Makefile includes $$(RULES_DIR)/pmsis_rules.mk'
	@echo 'make bench       reports beside published figures (SUITE=nn); bench-speed: the simulator itself'
	@echo "make bench-suite CoreMark, Embench, Dhrystone from your COREMARK=DIR, EMBENCH=DIR, DHRYSTONE=DIR"
	@echo 'make fuzz        fuzzers of everything that reads input (FUZZ_RUNS=N, FUZZ_TARGETS="elf gdb")'
	@echo 'make lint        clang-format, clang-tidy, cppcheck, shellcheck; format: apply the format'
	@echo 'make docs        docs made from the sources'
	@echo 'make install     into PREFIX ($(PREFIX)), honours DESTDIR; uninstall removes it again; deb, deb-source: Debian packages'
	@echo 'Settings: CC=$(CC) BUILD=$(BUILD) SANITIZE=1 V=1 JOBS=$(JOBS) TOOLCHAIN=$(TOOLCHAIN)'

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
