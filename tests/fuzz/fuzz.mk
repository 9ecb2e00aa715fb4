# tests/fuzz/fuzz.mk: the fuzzers (tests/fuzz/fuzz.h), linked with libFuzzer. Needs clang and
# libclang-rt-14-dev.
#
#   make fuzz                      builds them, and runs each FUZZ_RUNS times
#   make fuzz FUZZ_RUNS=10000000   the long run of docs/reliability.md
#   make fuzz FUZZ_TARGETS=gdb     one of them
#   make fuzz-keep                 adds what has run here to tests/data/fuzz/executions
#
# The totals that it prints are those of that file and of the runs here since.

FUZZ_TARGETS ?= elf yaml word program packet gdb tflite net sample onnx operators
FUZZ_RUNS    ?= 20000
FUZZ_CC      ?= clang
FUZZ         := $(BUILD)/fuzz
FUZZ_CFLAGS  := -std=gnu17 -O2 -g -ffp-contract=off -D__SANITIZE_ADDRESS__=1 -w \
                -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_OBJS     = $(patsubst %.c,$(FUZZ)/%.o,$(LIB_SRCS) tests/fuzz/tiny_machine.c \
                  $(wildcard deploy/memory.c deploy/net/*.c deploy/host/*.c deploy/read/flatbuffer.c \
                    deploy/read/tflite*.c deploy/read/sample*.c \
                    deploy/read/onnx*.c deploy/graph/*.c deploy/lower/*.c deploy/op/*.c deploy/quant/real*.c) $(GEN)/onnx.pb-c.c)

FUZZ_KEPT    := tests/data/fuzz/executions
FUZZ_TOTALS   = awk '!/^\#/ { if (!($$1 in n)) order[++k] = $$1; n[$$1] += $$2 } \
                  END { for (i = 1; i <= k; i++) print order[i], n[order[i]] }' $(FUZZ_KEPT) $(FUZZ)/executions

.PHONY: fuzz fuzz-programs fuzz-keep
.SECONDARY:

$(FUZZ)/%.o: %.c | $(GEN_FILES)
	@mkdir -p $(@D)
	$(call say,FUZZCC,$<)
	$(Q)$(CCACHE) $(FUZZ_CC) $(CPPFLAGS) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<

# Comparisons of the machine say little about an input, and recording them takes half of the time.
$(addprefix $(FUZZ)/sim/,core/%.o cluster/%.o engine/%.o soc/%.o observe/tap.o control.o inspect.o \
  machine.o snapshot.o wiring.o): FUZZ_CFLAGS += -fno-sanitize-coverage=trace-cmp

# Nor do those of single bytes of a packet, which take more than half of the time.
$(FUZZ)/sim/observe/gdb_packet.o $(FUZZ)/tests/fuzz/fuzz_packet.o: \
  FUZZ_CFLAGS += -fno-sanitize-coverage=trace-cmp

# The search for the nearest key would drown everything else in comparisons.
$(FUZZ)/sim/config.o: FUZZ_CFLAGS += -fno-sanitize-coverage=trace-cmp

$(FUZZ)/driver-%.o: tests/fuzz/driver.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_CFLAGS) -DFUZZ_TARGET=fuzz_$* -c -o $@ $<

# An archive: after each input libFuzzer looks at the counters of all that is linked.
$(FUZZ)/lib.a: $(FUZZ_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(FUZZ)/run-%: $(FUZZ)/driver-%.o $(FUZZ)/tests/fuzz/fuzz_%.o $(FUZZ)/lib.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS) -lpng -lprotobuf-c

$(FUZZ)/corpus-%: tests/data/fuzz/%.tar.gz
	@mkdir -p $@ && tar -xzf $< -C $@ && touch $@

# The names of the keys, whole and in parts: libyaml is not instrumented and would not be got past.
$(FUZZ)/yaml.dict: sim/config_keys.def
	@mkdir -p $(@D)
	@sed -n 's/^KEY([^"]*"\([^"]*\)".*/\1/p' $< | \
	  awk -F. '{print "\"" $$0 "=\""; for (i = 1; i <= NF; i++) print "\"" $$i ": \""}' | sort -u > $@

fuzz-programs: $(FUZZ_TARGETS:%=$(FUZZ)/run-%)

fuzz: fuzz-programs $(FUZZ_TARGETS:%=$(FUZZ)/corpus-%) $(FUZZ)/yaml.dict
	@for t in $(FUZZ_TARGETS); do \
	  echo "fuzz $$t: $(FUZZ_RUNS) runs"; \
	  $(FUZZ)/run-$$t $$(test $$t != yaml || echo -dict=$(FUZZ)/yaml.dict) -runs=$(FUZZ_RUNS) -max_len=4096 -rss_limit_mb=4096 -entropic=0 -print_final_stats=1 \
	    -detect_leaks=$$(case $$t in program|gdb) echo 0;; *) echo 1;; esac) -artifact_prefix=$(FUZZ)/finding-$$t- $(FUZZ)/corpus-$$t >$(FUZZ)/$$t.log 2>&1 || \
	    { tail -40 $(FUZZ)/$$t.log; exit 1; }; \
	  grep -E 'number_of_executed_units|average_exec_per_sec' $(FUZZ)/$$t.log; \
	  awk -v t=$$t '/number_of_executed_units/ { print t, $$2 }' $(FUZZ)/$$t.log >>$(FUZZ)/executions; done
	@$(FUZZ_TOTALS) | awk '{ all += $$2; print $$1 ": " $$2 } END { print "all targets: " all }'

fuzz-keep:
	@touch $(FUZZ)/executions && $(FUZZ_TOTALS) >$(FUZZ)/totals
	@{ grep '^#' $(FUZZ_KEPT); cat $(FUZZ)/totals; } >$(FUZZ)/kept && cp $(FUZZ)/kept $(FUZZ_KEPT)
	@rm $(FUZZ)/executions

-include $(shell find $(BUILD)/fuzz -name '*.d' 2>/dev/null)
