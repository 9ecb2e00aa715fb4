# deploy/models/models.mk: the project's own network, trained by the kernels as compiled for the host.
#
# `make models` trains it again: some minutes an epoch on one core. The file is the same on any number of
# threads, by gcc and by clang, at any level of optimization: the kernels state the order of their sums, and
# products are contracted only where they say so (-ffp-contract=off).
MODELS_SRCS := $(wildcard deploy/models/*.c kernels/mm/mmt_*.c kernels/train/*.c isa/fp*.c) kernels/rt/rt_host.c
MODELS_OBJS := $(patsubst %.c,$(BUILD)/models/%.o,$(MODELS_SRCS))

# For this host, as it is what takes the time.
$(BUILD)/models/%.o: %.c $(BUILD)/flags | $(GEN_FILES)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -O3 -march=native -fno-math-errno -MMD -MP -c -o $@ $<

$(BUILD)/train_fashion: $(MODELS_OBJS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lz -lpthread -lm

.PHONY: models
models: $(BUILD)/train_fashion
	$(BUILD)/train_fashion $(FASHION) deploy/models/fashion.onnx
-include $(MODELS_OBJS:.o=.d)
